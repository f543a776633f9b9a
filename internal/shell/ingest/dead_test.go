package ingest

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
)

// TestDeadLettersAreWrittenOnce has two partitions bring new classes at the limit at the same time:
// the fold refuses the second delta, which is built again without its last class. What was a dead
// letter the first time is not written again.
func TestDeadLettersAreWrittenOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "spec.yaml")
	filetest.Write(t, file, "limits: {classes: 2}")
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.Spec = file })
		defer l.end()
		l.train("no document", document(1, "a"), document(2, "b"), document(3, "c"), document(4, "a"))
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind != "produce" || r.Topic != "model" {
				return nil
			}
			l.memory.Intercept(nil)
			return l.other(fold.Source{Topic: "training", Partition: 1}, "d")
		})
		l.learn()
		if err := <-l.ended; err == nil || !strings.Contains(err.Error(), "the fold refused the delta") {
			t.Fatalf("ended with %v, want a refused delta", err)
		}
		l.ended = make(chan error, 1)
		l.learn() // as the group does
		l.wantCounted(5, 3)
		if n := len(l.host.Dead); n != 3 {
			t.Errorf("%d dead letters, want those of the offsets 0, 2 and 3", n)
		}
	})
}

// TestDeadLettersOfUncountedTopic replaces the training topic when its dead letter is written and
// nothing of it is counted: the records of the next topic have dead letters of their own.
func TestDeadLettersOfUncountedTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		l.train("no document")
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind != "produce" || r.Topic != "model" {
				return nil
			}
			l.memory.Intercept(nil)
			l.memory.CreateTopic("training", 1)
			l.train(`{"text":"without a label"}`, document(1, "a"))
			return stream.ErrUnknownTopic
		})
		l.learn()
		if err := <-l.ended; err == nil {
			t.Fatal("the delta was appended")
		}
		l.ended = make(chan error, 1)
		l.learn() // as the group does
		defer l.end()
		l.wantCounted(2, 1)
		if n := len(l.host.Dead); n != 2 {
			t.Errorf("%d dead letters, want one of each topic", n)
		}
	})
}
