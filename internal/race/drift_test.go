package race

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// feed adds deltas of up to most records until so many are scored, each an error with the probability p, and returns the records
// until the first alarm, or n.
func feed(d *Drift, rnd *rand.Rand, n, most int, p float64) int {
	for at := 0; at < n; {
		scored := 1 + rnd.IntN(most)
		errors := 0
		for range scored {
			if rnd.Float64() < p {
				errors++
			}
		}
		at += scored
		if d.add(int64(scored), int64(errors), int64(at)) {
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
			d := NoDrift
			rnd := rand.New(rand.NewPCG(seed, 1))
			if feed(&d, rnd, 300_000, 100, c.before); d.Alarms != 0 || d.At != -1 {
				t.Fatalf("a quiet stream with the error rate %v has %d alarms", c.before, d.Alarms)
			}
			if got := feed(&d, rnd, 20_000, 20, c.after); got > c.within || d.Alarms != 1 {
				t.Errorf("from %v to %v: %d alarms, the first after %d records, want one within %d", c.before, c.after, d.Alarms, got, c.within)
			}
			at := d.At
			if feed(&d, rnd, 100_000, 100, c.after); d.Alarms != 1 || d.At != at {
				t.Errorf("from %v to %v: %d alarms for one drift", c.before, c.after, d.Alarms)
			}
		}
	}
}

// A model that learns errs less and less, and has no alarm.
func TestLearningIsNoDrift(t *testing.T) {
	for seed := range uint64(20) {
		d := NoDrift
		rnd := rand.New(rand.NewPCG(seed, 2))
		for i := range 200 {
			feed(&d, rnd, 200, 50, 0.05+0.5/float64(1+i))
		}
		if d.Alarms != 0 {
			t.Errorf("seed %d: %d alarms", seed, d.Alarms)
		}
	}
}

// Whatever deltas say, the numbers pass their check, and an alarm says where it was.
func TestDriftLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NoDrift
		for at := range rapid.Int64Range(0, 50).Draw(t, "deltas") {
			scored := rapid.Int64Range(0, 20000).Draw(t, "scored")
			before := d
			if d.add(scored, rapid.Int64Range(0, scored).Draw(t, "errors"), at) && (d.At != at || d.Alarms != before.Alarms+1) {
				t.Fatalf("an alarm at %d: %+v, before %+v", at, d, before)
			}
			if err := d.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
