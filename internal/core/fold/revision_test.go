package fold_test

import (
	"errors"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

// A delta counts only if its records were read by the spec in force. A spec counts only if it keeps
// the paths, the id and the time by which records are counted. Before the first it may say anything.
func TestRevisions(t *testing.T) {
	specOf := func(text string) *spec.Spec {
		s := modeltest.Spec(t, "numbers: [{fields: [amount]}]\n"+text)
		return s
	}
	first := specOf("from: {training: {amount: [total]}}")
	moreOf := func(text string) *spec.Spec { return specOf("from: {training: {amount: [total, sum]}}\n" + text) }
	delta := func(at, start int64, generation uint32) fold.Entry {
		d := &fold.Delta{Ranges: []fold.Range{{Source: training, Generation: generation, Start: start, End: start + 1}},
			Counting: first.Counting(),
			Spec:     at,
			Counts:   model.NewBuilder(first).Delta()}
		return fold.Entry{Delta: d}
	}
	s := fold.New(true)
	for i, c := range []struct {
		entry fold.Entry
		want  fold.Outcome
	}{
		{fold.Entry{Spec: first}, fold.Respecified},
		{delta(-1, 0, 0), fold.Stale},
		{delta(3, 0, 0), fold.Gap},
		{fold.Entry{Spec: specOf("records: {id: {from: key}}")}, fold.Respecified},
		{fold.Entry{Spec: first}, fold.Respecified},
		{delta(4, 0, 0), fold.Accepted},
		{fold.Entry{Spec: moreOf("")}, fold.Respecified},
		{delta(4, 1, 0), fold.Stale},
		{fold.Entry{Spec: first}, fold.Stale},
		{fold.Entry{Spec: specOf("")}, fold.Stale},
		{fold.Entry{Spec: moreOf("records: {id: {from: key}}")}, fold.Stale},
		{fold.Entry{Spec: moreOf("records: {time: {field: at}}")}, fold.Stale},
		{fold.Entry{Spec: moreOf("")}, fold.Repeated},
		{delta(6, 1, 0), fold.Accepted},
		{delta(4, 2, 1), fold.Stale},
		{fold.Entry{Spec: moreOf("records: {label: {field: team}, weight: {field: times}}")}, fold.Respecified},
		{delta(6, 2, 0), fold.Stale},
		{delta(15, 2, 0), fold.Accepted},
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
		delta := func(r fold.Range, of int64) *fold.Delta {
			r.Source = training
			r.End = r.Start + 1
			return &fold.Delta{Counting: first.Counting(), Ranges: []fold.Range{r}, Spec: of, Counts: model.NewBuilder(first).Delta()}
		}
		s := fold.New(true)
		log := []fold.Entry{{Spec: first}, {Delta: delta(fold.Range{}, 0), Sum: 7}, {Spec: &named}, {Control: &fold.Control{Void: &c.void}}}
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
			d := delta(fold.Range{Start: 1, Previous: b.Previous}, at)
			d.SpecCRC, d.Era, d.EraCRC = b.SpecCRC, b.Era, b.EraCRC
			got, err := s.Fold(fold.Entry{Offset: s.Next(), Delta: d})
			if err != nil || (got == fold.Accepted) != (at == c.spec) {
				t.Errorf("%s: a delta of the spec at offset %d is %s, %v", name, at, got, err)
			}
		}
	}
}

// withSpec gives the delta of an entry another spec at the same offset.
func withSpec(e fold.Entry, crc uint32) fold.Entry {
	e.Delta.SpecCRC = crc
	return e
}

// A record that forgets by one spec may be none by another. A rollback leaves in force what was
// forgotten, not what a delta said that was built by another spec and never counted.
func TestForgetOfAnotherSpec(t *testing.T) {
	first := spec.Default()
	other := modeltest.Spec(t, "records: {label: {field: team}}")
	of := func(at, start int64, sum uint64, c fold.LedgerChange) fold.Entry {
		d := &fold.Delta{Ranges: []fold.Range{{Source: training, Start: start, End: start + 1}},
			Counting: first.Counting(),
			Spec:     at,
			Counts:   model.NewBuilder(first).Delta()}
		if start > 0 {
			d.Ranges[0].Previous = 7
		}
		if at > 0 {
			d.SpecCRC = uint32(10 + at)
		}
		if c.ID != "" {
			c.Offset = start
			d.Ranges[0].Ledger = []fold.LedgerChange{c}
		}
		return fold.Entry{Delta: d, Sum: sum}
	}
	learned := fold.LedgerChange{ID: "a", Put: &fold.Learned{Label: "ham", Weight: 1}}
	for name, c := range map[string]struct {
		forgets fold.Entry
		owed    bool
	}{
		"counted":                       {of(2, 1, 9, fold.LedgerChange{ID: "a"}), true},
		"stale":                         {of(0, 1, 9, fold.LedgerChange{ID: "a"}), false},
		"of another spec at the offset": {withSpec(of(2, 1, 9, fold.LedgerChange{ID: "a"}), 99), false},
	} {
		s := fold.New(true)
		log := []fold.Entry{{Spec: first}, of(0, 0, 7, learned), {Spec: other}, c.forgets, of(2, 1, 8, fold.LedgerChange{})}
		for i := range log {
			log[i].Offset = int64(i)
			log[i].CRC = uint32(10 + i)
			if _, err := s.Fold(log[i]); err != nil {
				t.Fatal(err)
			}
		}
		p, _ := s.Progress(training)
		void := &fold.Void{From: 3, To: 5, FirstCRC: 13, LastCRC: 14, Marks: []fold.Mark{{Source: training, Progress: p}}}
		s.Restart(s.VoidsWith(fold.KnownVoid{At: 5, Void: void}))
		for i := range log {
			if _, err := s.Fold(log[i]); err != nil {
				t.Fatal(err)
			}
		}
		if e, known := s.Ledger(training).Entry("a"); !known || e.Put.Owed != c.owed {
			t.Errorf("%s: the entry is %+v, %v; want owed %v", name, e.Put, known, c.owed)
		}
	}
}
