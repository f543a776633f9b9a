package ingest

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/testing/kafkatest"
)

// TestRecountIsLost: a new leader of the model log has lost the record that empties the model, and
// nobody appends behind it.
func TestRecountIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "recount" })
		defer l.end()
		l.train(document(1, "a"), document(2, "b"), document(3, "a"))
		l.learnFirst(0, 0)
		l.wantCounted(3, 3)
		end := int64(len(l.memory.Records("model", 0)))
		var resets, lost atomic.Bool
		asked := make(chan struct{})
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			switch {
			case r.Topic != "model":
			case r.Kind == "produce" && resets.CompareAndSwap(false, true):
				<-asked
			case r.Kind == "fetch" && r.Offset == end && resets.Load() && lost.CompareAndSwap(false, true):
				close(asked)
				time.Sleep(time.Second) // it is appended meanwhile
				l.memory.Elect("model", 0, end)
			}
			return nil
		})
		l.memory.CreateTopic("training", 1)
		l.train(others(5)...)
		l.wantProgress(0, 0, 5, 5)
		if !lost.Load() {
			t.Error("no record is lost")
		}
	})
}

// TestRecountKeepsImports: what was imported would not be counted again, so that the partition
// stands still.
func TestRecountKeepsImports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "recount" })
		defer l.end()
		if err := l.other(fold.Source{Topic: "import/00"}, "x"); err != nil {
			t.Fatal(err)
		}
		l.train(document(1, "a"), document(2, "b"))
		l.learn()
		l.wantCounted(2, 3)
		l.memory.CreateTopic("training", 1)
		l.train(others(5)...)
		l.wantProgress(0, 0, 2, 3)
		l.wantTrouble("holds imported counts")
	})
}
