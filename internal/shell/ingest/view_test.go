package ingest

import (
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// TestView shows what a partition has learned, and nothing once the log was replaced.
func TestView(t *testing.T) {
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
		v := stateView{epoch.Read, fold.Source{Topic: "training"}, 0, stream.TopicID{}}
		other := stateView{epoch.Read, fold.Source{Topic: "training", Partition: 1}, 0, stream.TopicID{}}
		if entry, ok := v.Entry("d1"); !ok || entry.Put.Label != "b" || entry.Put.Offset != 3 {
			t.Errorf("d1 is %+v, %v; want what was learned last", entry, ok)
		}
		if n := v.Inside(); n != 3 {
			t.Errorf("the ledger has %d documents, want 3", n)
		}
		if all := v.Oldest(fold.BeforeAll, 9); len(all) != 3 || all[0] != (fold.Leaving{Offset: 1, ID: "d2"}) || all[2].ID != "d1" {
			t.Errorf("the entries are %+v, want d2, d3, d1", all)
		}
		if some := v.Oldest(fold.Leaving{Offset: 1}, 1); len(some) != 1 || some[0].ID != "d3" {
			t.Errorf("the first entry after offset 1 is %+v, want d3", some)
		}
		if known, count := v.classes("b"); !known || count != 1 {
			t.Errorf("b is known: %v of %d classes, want one class", known, count)
		}
		if known, _ := v.classes("a"); known {
			t.Error("a has no documents and is known")
		}
		if _, ok := other.Entry("d1"); ok {
			t.Error("another partition knows d1")
		}
		if all := other.Oldest(fold.BeforeAll, 9); len(all) > 0 || other.Inside() > 0 {
			t.Errorf("another partition has entries: %+v", all)
		}

		l.memory.CreateTopic("model", 1)
		time.Sleep(time.Minute)
		_, isFound := v.Entry("d1")
		known, count := v.classes("b")
		if isFound || v.Inside() > 0 || len(v.Oldest(fold.BeforeAll, 9)) > 0 || known || count != 0 {
			t.Errorf("after the log was replaced: d1 is found: %v, %d entries, b is known: %v, %d classes; want nothing", isFound, v.Inside(), known, count)
		}
	})
}

// viewOf returns the view of a source on a state.
func viewOf(s *fold.State, source fold.Source) stateView {
	read := func(f func(*fold.State)) bool {
		f(s)
		return true
	}
	return stateView{read, source, 0, stream.TopicID{}}
}
