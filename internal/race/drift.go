package race

import (
	"fmt"
	"math"
)

// Drift watches the errors of decisions: Page's test (1954), which adds up how many more there are than a stream that has not
// changed would have, and begins again at 0 whenever there are fewer. It is computed in integers, and so the same on every
// replica.
//
// The errors to expect are those of the records before, up to their upper limit of three standard deviations, and a quarter more. The test is
// for an error rate that rises: a model that learns errs less and less.
type Drift struct {
	Records, Errors int64 // that say what to expect; halved together at 16384 records
	Excess          int64 // errors above that, in Unit
	Alarms          int64 // drifts that were found
	At              int64 // offset of the model log of the last one, -1 if there is none
}

const (
	// watched is how many records say what to expect before the test begins.
	watched = 500
	// alarming is the excess that is a drift. Chance reaches it once in some 10^9 records.
	alarming = 50 * Unit
)

// NoDrift is what is known before the first record.
var NoDrift = Drift{At: -1}

// add adds the decisions on scored records, and reports whether they show a drift: one alarm, behind which the test begins
// anew, with what the model does then.
func (d *Drift) add(scored, errors, at int64) bool {
	if d.Records >= watched {
		d.Excess = max(0, d.Excess+errors*Unit-scored*d.expected())
	}
	if d.Excess > alarming {
		*d = Drift{Alarms: d.Alarms + 1, At: at}
		return true
	}
	d.Records += scored
	d.Errors += errors
	for d.Records >= full {
		d.Records /= 2
		d.Errors /= 2
	}
	return false
}

// expected returns the errors to expect of a record, in Unit.
func (d *Drift) expected() int64 {
	limit := d.Errors + 3*root(d.Errors) + 5
	return limit * Unit / d.Records * 5 / 4
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

// check returns an error if there can be no such drift.
func (d *Drift) check() error {
	if d.Errors < 0 || d.Errors > d.Records || d.Records >= full || d.Excess < 0 || d.Excess > alarming || d.Alarms < 0 || d.At < -1 {
		return fmt.Errorf("a drift cannot be found from %+v", *d)
	}
	return nil
}
