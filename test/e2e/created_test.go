package e2e

import (
	"fmt"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// noticed is how long it may take until a topic is found to be another one.
const noticed = time.Minute

// replaceTraining deletes the training topic, which holds fewer records, and creates it again with
// n of the class spam.
func (p *pipeline) replaceTraining(n int) {
	p.t.Helper()
	kafkatest.Recreate(p.t, p.training, p.partitions)
	p.fill(p.training, n, func(i int) stream.Record {
		return stream.Record{Value: fmt.Appendf(nil, `{"id":"n%d","text":"another word%d","label":"spam"}`, i, i)}
	})
}

// fill writes n records to a topic that was created again. The brokers may put the first ones into
// the topic that they are deleting: what is not there is written once more.
func (p *pipeline) fill(topic string, n int, record func(i int) stream.Record) {
	p.t.Helper()
	for i := 0; i < n; i = len(p.read(topic, 0)) {
		p.produce(topic, 0, record(i))
	}
}

// TestTopicsAreCreatedAgain deletes a training topic and creates it again, longer than before,
// while ingest runs and while it does not. What --on-source-change promises happens within a
// minute: nothing, the sum, or the new topic alone.
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
				next := p.counted(ingest).Next()
				if !isRunning {
					ingest.stop()
				}
				p.replaceTraining(after)
				if !isRunning {
					ingest = p.runIngest("--on-source-change=" + policy)
				}
				start := time.Now()
				if policy == "stop" {
					ingest.trouble(0, "is not the one that was counted up to offset 3", "--on-source-change continue")
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
				if grown := ingest.must().Next(); policy == "stop" && grown != next {
					t.Errorf("the model log grew from %d to %d records", next, grown)
				}
			})
		}
	}
}

// TestDocumentsAreCreatedAgain deletes a documents topic and creates it again, longer than before,
// while classify runs: each document of the new topic is labelled, within a minute.
func TestDocumentsAreCreatedAgain(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	p.teach()
	p.counted(p.startIngest())
	classify := p.startClassify()
	document := func(name string, i int) stream.Record {
		return stream.Record{Value: fmt.Appendf(nil, `{"id":"%s%d","text":"word%d"}`, name, i, i)}
	}
	for i := range 3 {
		p.produce(p.documents, 0, document("old", i))
	}
	labelled := func(n int) (bool, string) {
		got := len(p.read(p.labels, 0))
		return got == n, fmt.Sprintf("%d decisions, want %d", got, n)
	}
	classify.eventually("done labelling", func() (bool, string) { return labelled(3) })
	kafkatest.Recreate(t, p.documents, 1)
	start := time.Now()
	p.fill(p.documents, 8, func(i int) stream.Record { return document("new", i) })
	classify.eventually("done with the other topic", func() (bool, string) { return labelled(3 + 8) })
	if took := time.Since(start); took > noticed {
		t.Errorf("it took %s", took)
	}
	classify.eventually("counted", func() (bool, string) {
		n := classify.metric(`bayestream_topic_changes_total{action="restart"}`)
		return n >= 1, fmt.Sprintf("the metrics say that the topic was changed %v times", n)
	})
}
