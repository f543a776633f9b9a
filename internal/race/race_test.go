package race

import (
	"math"
	"testing"

	"bayestream/internal/spec"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sums returns sums of n records in which candidates have these errors, and the least loss at these tempers.
func sums(n int64, errors []int64, tempers ...int) *Sums {
	s := NewSums(len(errors))
	s.Scored = n
	for i := range s.By {
		s.By[i].Errors = errors[i]
		for j := range s.By[i].Loss {
			s.By[i].Loss[j] = n * Unit
		}
		if i < len(tempers) {
			s.By[i].Loss[tempers[i]] = 0
		}
	}
	return s
}

var three = List{{spec.Multinomial, 1}, {spec.Complement, 0.1}, {spec.Complement, 1}}

func fold(t *testing.T, s *State, d *Sums) Leader {
	t.Helper()
	if !s.Fold(s.of, d) {
		t.Fatal("sums of the list in force were not taken")
	}
	return s.Leader()
}

// The leader is chosen once 200 records are scored, changes only for one that is clearly better, and has the temper of the
// least loss.
func TestLeader(t *testing.T) {
	s := NewState(three)
	if got := fold(t, s, sums(199, []int64{99, 0, 0}, 3, 4)); got != (Leader{Fallback, grid[0]}) {
		t.Errorf("199 records chose %v", got)
	}
	if got := fold(t, s, sums(1, []int64{1, 0, 0}, 3, 4)); got != (Leader{three[1], grid[4]}) {
		t.Errorf("200 records chose %v, want %v with %v", got, three[1], grid[4])
	}
	// 100 and 101 errors; the other must have fewer by more than 5 + sqrt(101).
	for _, c := range []struct {
		errors int64
		want   Candidate
	}{{85, three[1]}, {84, three[2]}} {
		s := NewState(three)
		s.leader.Candidate = three[1]
		if got := fold(t, s, sums(1000, []int64{200, 100, c.errors}, 0, 1, 2)); got.Candidate != c.want {
			t.Errorf("100 and %d errors: %v leads, want %v", c.errors, got.Candidate, c.want)
		}
	}
}

// Another list begins again, and the leader stays until 200 records are scored, even if it is not in the list.
func TestListChanges(t *testing.T) {
	s := NewState(three)
	leader := fold(t, s, sums(300, []int64{100, 0, 50}, 1, 2, 3))
	before := s.of
	s.SetList(three)
	if s.Sums().Scored != 300 {
		t.Error("the same list began again")
	}
	other := List{{spec.Multinomial, 0.1}, {spec.Multinomial, 1}}
	s.SetList(other)
	if s.Fold(before, sums(300, []int64{0, 0, 0})) || s.Sums().Scored != 0 || s.Leader() != leader {
		t.Errorf("sums of another list were taken: %+v, leader %v", s.Sums(), s.Leader())
	}
	if got := fold(t, s, sums(199, []int64{0, 0})); got != leader {
		t.Errorf("199 records chose %v", got)
	}
	if got := fold(t, s, sums(1, []int64{0, 1}, 7)); got.Candidate != other[0] {
		t.Errorf("%v leads, which is not in the list", got)
	}
}

func drawSums(t *rapid.T, n int) *Sums {
	s := NewSums(n)
	s.Scored = rapid.Int64Range(0, 3000).Draw(t, "scored")
	for i := range s.By {
		s.By[i].Errors = rapid.Int64Range(0, s.Scored).Draw(t, "errors")
		for j := range s.By[i].Loss {
			s.By[i].Loss[j] = rapid.Int64Range(0, 1000).Draw(t, "loss") * s.Scored
		}
	}
	return s
}

// TestSumsLaws: sums are integers that pass their check, below full in any division into deltas; at full all are
// halved together, so that errors stay below the records.
func TestSumsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, many := NewState(three), NewState(three)
		all := NewSums(len(three))
		for range rapid.IntRange(0, 10).Draw(t, "deltas") {
			d := drawSums(t, len(three))
			if err := d.Check(len(three)); err != nil {
				t.Fatal(err)
			}
			many.Fold(many.of, d)
			all.Add(d)
			if err := many.Sums().Check(len(three)); err != nil || many.Sums().Scored >= full {
				t.Fatalf("%+v: %v", many.Sums(), err)
			}
			if all.Scored >= full {
				return
			}
		}
		one.Fold(one.of, all)
		if diff := cmp.Diff(one.Sums(), many.Sums()); diff != "" {
			t.Fatalf("as one delta -, as many +:\n%s", diff)
		}
	})
}

func TestCheckRefusesWhatCannotBe(t *testing.T) {
	good := func() *Sums { return sums(10, []int64{1, 2, 3}) }
	for name, damage := range map[string]func(s *Sums){
		"candidates": func(s *Sums) { s.By = s.By[1:] }, "tempers": func(s *Sums) { s.By[1].Loss = s.By[1].Loss[1:] },
		"scored": func(s *Sums) { s.Scored = -1 }, "few": func(s *Sums) { s.Scored = 2 }, "errors": func(s *Sums) { s.By[0].Errors = -1 },
		"loss": func(s *Sums) { s.By[2].Loss[5] = -1 }, "large": func(s *Sums) { s.By[2].Loss[5] = 10*MaxLoss + 1 }, "endless": func(s *Sums) { s.Scored = math.MaxInt64 },
	} {
		s := good()
		damage(s)
		if err := s.Check(3); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := good().Check(3); err != nil {
		t.Error(err)
	}
}

func TestFixedLoss(t *testing.T) {
	for loss, want := range map[float64]int64{0: 0, 1: Unit, -1e-17: 0, 0.5 / Unit: 1, 0.25 / Unit: 0, 19.5: 19*Unit + Unit/2, 20: MaxLoss, 1e300: MaxLoss, math.Inf(1): MaxLoss} {
		if got := FixedLoss(loss); got != want {
			t.Errorf("%v is %d, want %d", loss, got, want)
		}
	}
	if got := FixedLoss(math.NaN()); got != MaxLoss {
		t.Errorf("NaN is %d, want %d", got, MaxLoss)
	}
}

// A list is known by its candidates, in their order.
func TestFingerprint(t *testing.T) {
	seen := map[Fingerprint]bool{}
	for _, l := range []List{Default(), three, {three[1], three[0], three[2]}, three[:2], {{spec.Multinomial, 0.1}, three[1], three[2]}} {
		if seen[l.Fingerprint()] {
			t.Errorf("%v has the fingerprint of another list", l)
		}
		seen[l.Fingerprint()] = true
	}
	if len(Default()) != 6 || Default()[2] != Fallback {
		t.Errorf("the default is %v", Default())
	}
}
