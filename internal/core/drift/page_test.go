package drift

import (
	"math/rand/v2"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// noModel is a model that has learned nothing.
func noModel(t interface {
	Helper()
	Fatal(args ...any)
}) *model.Model {
	return model.New(modeltest.Spec(t, "text: {}"))
}

// step is a delta of records of one class.
func step(scored, errors, at int64) *Step {
	classes := race.Tallies{}
	if scored > 0 {
		classes["a"] = race.Tally{Records: scored, Right: scored - errors, Decided: scored}
	}
	return &Step{Place: Place{Mark: Mark{Offset: at}}, Period: Period{scored, errors, classes}, Counts: &model.Delta{}}
}

// feed adds deltas of up to most records until so many are scored, each an error with the
// probability p, and returns the records until the first alarm, or n.
func feed(t *testing.T, s *State, rnd *rand.Rand, n, most int, p float64) int {
	t.Helper()
	m := noModel(t)
	found := s.Found
	for at := 0; at < n; {
		scored := 1 + rnd.IntN(most)
		errors := 0
		for range scored {
			if rnd.Float64() < p {
				errors++
			}
		}
		at += scored
		s.Add(m, step(int64(scored), int64(errors), int64(at)))
		if s.Found > found {
			return at
		}
	}
	return n
}

// A quiet stream has no alarm, and one that changes has one, soon, and no other behind it.
func TestDrift(t *testing.T) {
	for _, c := range []struct {
		before, after float64
		within        int
	}{{0.001, 0.1, 1000}, {0.02, 0.1, 1500}, {0.1, 0.3, 600}, {0.3, 0.6, 500}, {0.02, 0.9, 100}} {
		for seed := range uint64(3) {
			s := New()
			rnd := rand.New(rand.NewPCG(seed, 1))
			if feed(t, s, rnd, 300_000, 100, c.before); s.Found != 0 || s.Last() != nil {
				t.Fatalf("a quiet stream with the error rate %v has %d alarms", c.before, s.Found)
			}
			if got := feed(t, s, rnd, 20_000, 20, c.after); got > c.within || s.Found != 1 {
				t.Errorf("from %v to %v: %d alarms, the first after %d records, want one within %d", c.before, c.after, s.Found, got, c.within)
			}
			a := s.Last()
			before, after := share(a.Before), share(a.After)
			if before > 1.2*c.before+0.002 || after < (c.before+c.after)/2 || len(a.Classes) != 1 || a.Since.Offset > a.Offset {
				t.Errorf("from %v to %v: the alarm says from %v to %v, in %+v", c.before, c.after, before, after, a.Classes)
			}
			at := a.Offset
			if feed(t, s, rnd, 100_000, 100, c.after); s.Found != 1 || s.Last().Offset != at {
				t.Errorf("from %v to %v: %d alarms for one drift", c.before, c.after, s.Found)
			}
		}
	}
}

func share(r Rate) float64 { return float64(r.Errors) / float64(r.Scored) }

// A model that learns errs less and less, and has no alarm.
func TestLearningIsNoDrift(t *testing.T) {
	for seed := range uint64(20) {
		s := New()
		rnd := rand.New(rand.NewPCG(seed, 2))
		for i := range 200 {
			feed(t, s, rnd, 200, 50, 0.05+0.5/float64(1+i))
		}
		if s.Found != 0 {
			t.Errorf("seed %d: %d alarms", seed, s.Found)
		}
	}
}

// Whatever deltas say, the state passes its check, an alarm says where it was, and the classes of
// the records are all of them.
func TestDriftLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New()
		m := noModel(t)
		for at := range rapid.Int64Range(0, 50).Draw(t, "deltas") {
			scored := rapid.Int64Range(0, 20000).Draw(t, "scored")
			before := s.Found
			s.Add(m, step(scored, rapid.Int64Range(0, scored).Draw(t, "errors"), at))
			if s.Found > before && (s.Last().Offset != at || s.Found != before+1 || s.Excess != 0 || s.Usual.Scored != 0) {
				t.Fatalf("an alarm at %d: %+v", at, s)
			}
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if got := s.Usual.Classes["a"]; got.Records != s.Usual.Scored {
				t.Fatalf("the class has %+v of %d records", got, s.Usual.Scored)
			}
		}
	})
}
