package drift

import (
	"fmt"
	"math"

	"bayestream/internal/core/race"
)

// Test is Page's test (1954), which adds up how many more errors there are than a stream that has
// not changed would have, and begins again at 0 whenever there are fewer.
//
// The errors to expect are those of the records before, up to their upper limit of three standard
// deviations, and a quarter more. The test is for an error rate that rises: a model that learns
// errs less and less.
type Test struct {
	Records, Errors int64 // that say what to expect; halved together at full records
	Excess          int64 // errors above that, in race.Unit
}

const (
	// watched is how many records say what to expect before the test begins.
	watched = 500
	// full is how many records are halved, so that old ones weigh less.
	full = 1 << 14
	// alarming is the excess that is a drift. Chance reaches it once in some 10^9 records.
	alarming = 50 * race.Unit
	// rising is the excess up to which it is taken for chance, which brings it often, and for long.
	rising = 10 * race.Unit
)

// add adds the decisions on scored records to the excess.
func (t *Test) add(scored, errors int64) {
	if t.Records >= watched {
		t.Excess = max(0, t.Excess+errors*race.Unit-scored*t.expected())
	}
}

// isRise reports whether the excess may become a drift.
func (t *Test) isRise() bool { return t.Excess > rising }

// isDrift reports whether the excess is one.
func (t *Test) isDrift() bool { return t.Excess > alarming }

// expected returns the errors to expect of a record, in race.Unit.
func (t *Test) expected() int64 {
	limit := t.Errors + 3*root(t.Errors) + 5
	return limit * race.Unit / t.Records * 5 / 4
}

// root returns the largest integer whose square is at most n.
func root(n int64) int64 {
	r := int64(math.Sqrt(float64(n)))
	for r*r > n {
		r--
	}
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}

// check returns an error if there can be no such test.
func (t *Test) check() error {
	if t.Errors < 0 || t.Errors > t.Records || t.Records >= full || t.Excess < 0 || t.Excess > alarming {
		return fmt.Errorf("a drift cannot be found from %+v", *t)
	}
	return nil
}
