package fold_test

import (
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// A delta counts only if its records were read by the paths in force, and a spec only if it keeps them.
func TestRevisions(t *testing.T) {
	specOf := func(text string) *spec.Spec {
		s, err := spec.Parse([]byte("numbers: [{fields: [amount]}]\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := specOf("from: {training: {amount: [total]}}")
	more := specOf("from: {training: {amount: [total, sum]}}")
	delta := func(revision int64, generation uint32) fold.Entry {
		d := &fold.Delta{Counting: first.Counting(), Source: training, Generation: generation, End: 1, Revision: revision, Counts: model.NewBuilder(first).Delta()}
		return fold.Entry{Delta: d}
	}
	s := fold.New(true)
	for i, c := range []struct {
		entry fold.Entry
		want  fold.Outcome
	}{
		{fold.Entry{Spec: first}, fold.Respecified},
		{delta(0, 0), fold.Stale},
		{delta(2, 0), fold.Gap},
		{fold.Entry{Spec: more}, fold.Respecified},
		{delta(1, 0), fold.Stale},
		{fold.Entry{Spec: first}, fold.Stale},
		{fold.Entry{Spec: specOf("")}, fold.Stale},
		{fold.Entry{Spec: more}, fold.Repeated},
		{delta(2, 0), fold.Accepted},
		{delta(1, 1), fold.Stale},
	} {
		c.entry.Offset = int64(i)
		got, err := s.Fold(c.entry)
		if err != nil || got != c.want {
			t.Errorf("entry %d is %s, %v; want %s", i, got, err, c.want)
		}
	}
	if s.Spec().FromRevision() != 2 {
		t.Errorf("the paths in force are %v", s.Spec().From)
	}
}
