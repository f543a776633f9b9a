package ingest

import (
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/fold"
)

// TestFoldedView shows what a partition has learned, and nothing once the log was replaced.
func TestFoldedView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"), document(2, "b"), document(3, "b"), document(1, "b"))
		l.learn()
		l.wantCounted(4, 3)
		epoch, err := l.replica.CatchUp(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		v := foldedView{epoch, fold.Source{Topic: "training"}}
		other := foldedView{epoch, fold.Source{Topic: "training", Partition: 1}}
		if entry, ok := v.find("d1"); !ok || entry.Label != "b" || entry.Offset != 3 {
			t.Errorf("d1 is %+v, %v; want what was learned last", entry, ok)
		}
		if entry, ok := v.oldest(); !ok || entry.ID != "d2" || entry.Offset != 1 {
			t.Errorf("the oldest entry is %+v, %v; want d2", entry, ok)
		}
		if known, count := v.classes("b"); !known || count != 1 {
			t.Errorf("b is known: %v of %d classes, want one class", known, count)
		}
		if known, _ := v.classes("a"); known {
			t.Error("a has no documents and is known")
		}
		if _, ok := other.find("d1"); ok {
			t.Error("another partition knows d1")
		}
		if _, ok := other.oldest(); ok {
			t.Error("another partition has entries")
		}

		l.memory.CreateTopic("model", 1)
		time.Sleep(time.Minute)
		_, isFound := v.find("d1")
		_, hasOldest := v.oldest()
		known, count := v.classes("b")
		if isFound || hasOldest || known || count != 0 {
			t.Errorf("after the log was replaced: d1 is found: %v, an oldest entry: %v, b is known: %v, %d classes; want nothing", isFound, hasOldest, known, count)
		}
	})
}
