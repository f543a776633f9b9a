package ingest

import (
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
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
		v := foldedView{epoch, fold.Source{Topic: "training"}, 0, stream.TopicID{}}
		other := foldedView{epoch, fold.Source{Topic: "training", Partition: 1}, 0, stream.TopicID{}}
		if entry, ok := v.find("d1"); !ok || entry.Label != "b" || entry.Offset != 3 {
			t.Errorf("d1 is %+v, %v; want what was learned last", entry, ok)
		}
		if n := v.size(); n != 3 {
			t.Errorf("the ledger has %d documents, want 3", n)
		}
		if all := v.oldest(fold.BeforeAll, 9); len(all) != 3 || all[0] != (fold.Leaving{Offset: 1, ID: "d2"}) || all[2].ID != "d1" {
			t.Errorf("the entries are %+v, want d2, d3, d1", all)
		}
		if some := v.oldest(fold.Leaving{Offset: 1}, 1); len(some) != 1 || some[0].ID != "d3" {
			t.Errorf("the first entry after offset 1 is %+v, want d3", some)
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
		if all := other.oldest(fold.BeforeAll, 9); len(all) > 0 || other.size() > 0 {
			t.Errorf("another partition has entries: %+v", all)
		}

		l.memory.CreateTopic("model", 1)
		time.Sleep(time.Minute)
		_, isFound := v.find("d1")
		known, count := v.classes("b")
		if isFound || v.size() > 0 || len(v.oldest(fold.BeforeAll, 9)) > 0 || known || count != 0 {
			t.Errorf("after the log was replaced: d1 is found: %v, %d entries, b is known: %v, %d classes; want nothing", isFound, v.size(), known, count)
		}
	})
}
