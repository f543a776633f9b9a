package console

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bayestream/bench/labelled"
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// The undo of a forget counts the document as often as before: one that stands elsewhere, and one
// of the training topic whose weight was changed since.
func TestUndoKeepsTheWeight(t *testing.T) {
	b := newBench(t)
	s := b.open()
	b.teach(s, 6)
	kafkatest.Produce(t, b.topics.Documents, 0, stream.Record{Key: []byte("d1"), Value: labelled.AppendDocument(nil, "d1", "a prize of words")})
	for partition, record := range []string{
		fmt.Sprintf(`{"id":"d1","ref":{"topic":%q,"partition":0,"offset":0},"label":"spam","weight":3}`, b.topics.Documents),
		`{"id":"t1","label":"spam","weight":5}`,
	} {
		id := []string{"d1", "t1"}[partition]
		before := s.digestOf()
		kafkatest.Produce(t, b.topics.Training, partition, stream.Record{Key: []byte(id), Value: []byte(record)})
		s.await("the document is counted", func() bool { return s.digestOf() != before })
		want := s.digestOf()
		forgotten := s.post(map[string]any{"documents": []string{id}, "forget": true})
		undone := s.post(map[string]any{"documents": []string{*forgotten.Place}, "undo": true})
		if got := s.digestOf(); got != want {
			t.Errorf("%s: forget was %s and its undo %s, and the counts are not as before: %d documents", id, forgotten.Outcome, undone.Outcome, s.documents())
		}
	}
}

// What a rollback took out is not counted, cannot be taken back, and changed no count.
func TestRolledBackCorrection(t *testing.T) {
	b := newBench(t)
	s := b.open()
	b.teach(s, 6)
	d := b.label(s, "m1", "a prize for the lunch")
	var next int64
	s.console.replica.Read(func(st *fold.State) { next = st.Next() })
	s.post(map[string]any{"documents": []string{d.Place}, "label": "ham"})
	if _, err := modellog.Command(t.Context(), s.console.client, b.topics.Model, fold.New(true), modellog.Rollback(next, "x")); err != nil {
		t.Fatal(err)
	}
	var list correctionsJSON
	s.await("the correction is out", func() bool {
		s.get("/v1/corrections?limit=1", &list)
		return list.Corrections[0].Outcome == "skipped"
	})
	if x := list.Corrections[0]; x.Reason != reasonRolledBack || x.MayUndo || len(x.Counts) > 0 || s.documents() != 6 {
		t.Errorf("%+v of a model of %d documents", x, s.documents())
	}
	again := s.post(map[string]any{"documents": []string{d.Place}, "label": "ham"})
	s.get("/v1/corrections?limit=1", &list)
	if x := list.Corrections[0]; again.Outcome != "counted" || x.Outcome != "counted" || !x.MayUndo {
		t.Errorf("corrected again: %s, %+v", again.Outcome, x)
	}
}

// The decisions of a labels topic that was created again are shown, though they stand where others
// stood.
func TestLabelsTopicCreatedAgain(t *testing.T) {
	b := newBench(t)
	s := b.open()
	labels := b.topics.Labels[0]
	write := func(name string, n int) {
		for i := range n {
			const decision = `{"id":"%s%d","label":"ham","status":"ok","log_posterior":{"ham":-0.1,"spam":-2},"posterior":{"ham":0.9,"spam":0.1},"margin":1,"tokens":{"total":1,"known":1}}`
			kafkatest.Produce(t, labels, 0, stream.Record{Value: fmt.Appendf(nil, decision, name, i)})
		}
	}
	shows := func(id string) func() bool {
		return func() bool {
			var h historyJSON
			s.get("/v1/history", &h)
			return slices.ContainsFunc(h.Decisions, func(d decisionJSON) bool { return d.ID == id })
		}
	}
	write("old", 3)
	s.await("the old ones are shown", shows("old2"))
	kafkatest.Recreate(t, labels, 2)
	write("new", 1)
	s.await("the new one is shown", shows("new0"))
}

// Labels that are numbers are read as ingest reads them.
func TestLabelsOfAnyType(t *testing.T) {
	file := filepath.Join(t.TempDir(), "spec.yaml")
	if err := os.WriteFile(file, []byte("records: {label: {type: any}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBenchOf(t, file)
	s := b.open()
	kafkatest.Produce(t, b.topics.Training, 0, stream.Record{Value: []byte(`{"id":"x","label":1,"text":"word"}`)})
	s.await("the label is known", func() bool {
		said, known := s.console.memory.said("x")
		return known && said.label != nil && *said.label == "1"
	})
}
