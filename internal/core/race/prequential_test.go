package race

import (
	"testing"

	"pgregory.net/rapid"
)

// All records are counted for good. The window has the newest, 1,000 at least once there are so
// many, and a block that is not needed for that is never in it.
func TestPrequential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Prequential{}
		var all []Block
		for range rapid.IntRange(0, 60).Draw(t, "deltas") {
			s := NewSums(0)
			s.Scored = rapid.Int64Range(0, int64(1)<<rapid.IntRange(0, 11).Draw(t, "bits")).Draw(t, "scored")
			s.Decided.Errors = rapid.Int64Range(0, s.Scored).Draw(t, "errors")
			s.Decided.Loss = s.Decided.Errors * Unit
			s.Decided.Confidence[3].Records = s.Scored
			classes := Tallies{}
			if s.Scored > 0 {
				classes["a"] = Tally{Records: s.Scored, Right: s.Scored - s.Decided.Errors, Decided: s.Scored}
			}
			p.Add(s, classes)
			all = append(all, Block{Scored: s.Scored, Decided: s.Decided})
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
		}
		var scored, errors int64
		for i := range all {
			scored += all[i].Scored
			errors += all[i].Decided.Errors
		}
		if p.Scored != scored || p.Errors != errors || p.Loss != errors*Unit {
			t.Fatalf("%+v of %d records with %d errors", p, scored, errors)
		}
		got := p.Newest()
		if got.Scored < min(scored, newest) || len(p.Window) > 0 && got.Scored-p.Window[0].Scored >= newest {
			t.Fatalf("the window has %d of %d records in blocks %+v", got.Scored, scored, p.Window)
		}
		// It is of the last deltas, all of each.
		var last Block
		for i := len(all) - 1; i >= 0 && last.Scored < got.Scored; i-- {
			last.Scored += all[i].Scored
			last.Decided.Errors += all[i].Decided.Errors
		}
		if last.Scored != got.Scored || last.Decided.Errors != got.Decided.Errors || got.Decided.Loss != got.Decided.Errors*Unit ||
			got.Classes["a"].Records != got.Scored || got.Decided.Confidence[3].Records != got.Scored {
			t.Fatalf("the window is %+v, the last deltas are %+v", got, last)
		}
	})
}

// A class that is renamed keeps what is known of it.
func TestPrequentialRename(t *testing.T) {
	p := &Prequential{}
	s := NewSums(0)
	s.Scored = 3
	p.Add(s, Tallies{"a": {Records: 2, Right: 2, Decided: 3}, "b": {Records: 1}})
	p.Rename("a", "b")
	if got := p.Newest().Classes; len(got) != 1 || got["b"] != (Tally{3, 2, 3}) {
		t.Errorf("%+v", got)
	}
}
