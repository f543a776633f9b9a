package e2e

import (
	"fmt"
	"testing"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/testing/kafkatest"
)

// noticed is how long it may take until a topic is found to be another one.
const noticed = time.Minute

// replaceTraining deletes the training topic, which holds fewer records, and creates it again with n of the class spam.
func (p *pipeline) replaceTraining(n int) {
	p.t.Helper()
	kafkatest.Recreate(p.t, p.training, p.partitions)
	for i := range n {
		p.learn(0, fmt.Sprintf(`{"id":"n%d","text":"another word%d","label":"spam"}`, i, i))
	}
}

// TestTopicsAreCreatedAgain deletes a training topic and creates it again, longer than before, while ingest runs and while
// it does not. What --on-source-change promises happens within a minute: nothing, the sum, or the new topic alone.
func TestTopicsAreCreatedAgain(t *testing.T) {
	t.Parallel()
	const before, after = 3, 8
	for _, isRunning := range []bool{true, false} {
		for policy, want := range map[string]fold.Progress{
			"stop":     {Watermark: before},
			"continue": {Watermark: after, Generation: 1},
			"recount":  {Watermark: after},
		} {
			t.Run(fmt.Sprintf("%s, running %v", policy, isRunning), func(t *testing.T) {
				t.Parallel()
				p := newPipeline(t, 1)
				ingest := p.startIngest("--on-source-change=" + policy)
				for i := range before {
					p.learn(0, fmt.Sprintf(`{"id":"d%d","text":"a word%d","label":"ham"}`, i, i))
				}
				p.counted(ingest)
				if !isRunning {
					ingest.stop()
				}
				p.replaceTraining(after)
				if !isRunning {
					ingest = p.runIngest("--on-source-change=" + policy)
				}
				start := time.Now()
				if policy == "stop" {
					ingest.trouble(0, "is not the one that was counted up to offset 3", "--on-source-change")
				}
				documents := map[string]int64{"stop": before, "continue": before + after, "recount": after}[policy]
				ingest.eventually("done with the other topic", func() (bool, string) {
					s, err := ingest.state()
					if err != nil {
						return false, err.Error()
					}
					got, _ := s.Progress(fold.Source{Topic: p.training})
					n := s.Model().Classes().Total()
					return n == documents && got.Watermark == want.Watermark && got.Generation == want.Generation,
						fmt.Sprintf("%d documents are counted, up to offset %d of generation %d", n, got.Watermark, got.Generation)
				})
				if took := time.Since(start); took > noticed {
					t.Errorf("it took %s", took)
				}
			})
		}
	}
}
