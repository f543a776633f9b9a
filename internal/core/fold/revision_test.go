package fold_test

import (
	"errors"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// A delta counts only if its records were read by the paths in force, and a spec only if it keeps
// them.
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
	delta := func(at int64, generation uint32) fold.Entry {
		d := &fold.Delta{Counting: first.Counting(), Source: training, Generation: generation, End: 1, Spec: at, Counts: model.NewBuilder(first).Delta()}
		return fold.Entry{Delta: d}
	}
	s := fold.New(true)
	for i, c := range []struct {
		entry fold.Entry
		want  fold.Outcome
	}{
		{fold.Entry{Spec: first}, fold.Respecified},
		{delta(-1, 0), fold.Stale},
		{delta(3, 0), fold.Gap},
		{fold.Entry{Spec: more}, fold.Respecified},
		{delta(0, 0), fold.Stale},
		{fold.Entry{Spec: first}, fold.Stale},
		{fold.Entry{Spec: specOf("")}, fold.Stale},
		{fold.Entry{Spec: more}, fold.Repeated},
		{delta(3, 0), fold.Accepted},
		{delta(0, 1), fold.Stale},
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

// A void with recount takes a spec out, and the number that deltas name is that of the spec before
// it again. Behind a rollback a spec stays in force, and so does its number, whatever the era.
func TestSpecsUnderVoids(t *testing.T) {
	for name, c := range map[string]struct {
		void fold.Void
		spec int64
	}{
		"recount":  {fold.Void{From: 2, To: 3, FirstCRC: 12, LastCRC: 12, Recount: true}, 0},
		"rollback": {fold.Void{From: 2, To: 3, FirstCRC: 12, LastCRC: 12}, 2},
	} {
		first := spec.Default()
		named := *first
		named.Name = "another"
		delta := func(d fold.Delta) *fold.Delta {
			d.Counting = first.Counting()
			d.Source = training
			d.End = d.Start + 1
			d.Counts = model.NewBuilder(first).Delta()
			return &d
		}
		s := fold.New(true)
		log := []fold.Entry{{Spec: first}, {Delta: delta(fold.Delta{}), Sum: 7}, {Spec: &named}, {Control: &fold.Control{Void: &c.void}}}
		restarts := 0
		for s.Next() < int64(len(log)) {
			e := log[s.Next()]
			e.Offset = s.Next()
			e.CRC = uint32(10 + s.Next())
			_, err := s.Fold(e)
			var voided *fold.VoidedError
			switch {
			case errors.As(err, &voided) && restarts == 0:
				s.Restart(s.VoidsWith(voided.Void))
				restarts++
			case err != nil:
				t.Fatalf("%s: offset %d: %v", name, e.Offset, err)
			}
		}
		if b := s.Basis(training); b.Spec != c.spec || restarts != 1 {
			t.Errorf("%s: the basis is %+v after %d restarts, want the spec at offset %d", name, b, restarts, c.spec)
		}
		for _, at := range []int64{2 - c.spec, c.spec} {
			b := s.Basis(training)
			got, err := s.Fold(fold.Entry{Offset: s.Next(), Delta: delta(fold.Delta{Start: 1, Spec: at, Era: b.Era, Previous: b.Previous})})
			if err != nil || (got == fold.Accepted) != (at == c.spec) {
				t.Errorf("%s: a delta of the spec at offset %d is %s, %v", name, at, got, err)
			}
		}
	}
}
