package evaluate

import (
	"cmp"
	"math"
	"slices"
)

// accepted is what a reject option needs of each document.
type accepted struct {
	risk    float64 // 1 - P(label)
	correct bool
}

// Threshold is the largest cost of no decision, decision.reject, at which no larger share than
// wanted of the labels that are accepted is wrong: the point of the risk-coverage curve of
// selective classification (El-Yaniv and Wiener 2010). It is chosen by the documents that it is
// measured on; High says how far the error of others may be off.
type Threshold struct {
	Wanted   float64 `json:"wanted_error"`
	Reject   Number  `json:"reject"` // as decision.reject of a spec; null: no label may be accepted
	N        int64   `json:"n"`      // documents that are accepted
	Errors   int64   `json:"errors"`
	Share    Number  `json:"share"`
	Error    Number  `json:"error"`      // of those
	High     Number  `json:"error_high"` // upper end of the 95 % interval of Wilson
	Rejected int64   `json:"rejected"`   // documents that get no label, those of no class included
}

// Threshold returns the threshold for a wanted error; nil without Options.Risks.
func (s *Scores) Threshold(wanted float64) *Threshold {
	if !s.o.Risks {
		return nil
	}
	all := slices.Clone(s.risks)
	slices.SortFunc(all, func(a, b accepted) int { return cmp.Compare(a.risk, b.risk) })
	t := &Threshold{Wanted: wanted, Reject: undefined, Error: undefined, High: undefined, Rejected: s.n}
	errors := int64(0)
	for i, a := range all {
		if !a.correct {
			errors++
		}
		n := int64(i + 1)
		next := 1.0
		if i+1 < len(all) {
			next = all[i+1].risk
		}
		if a.risk < next && float64(errors) <= wanted*float64(n) {
			t.N, t.Errors, t.Reject = n, errors, Number(shortest(a.risk, next))
		}
	}
	t.Share = Number(float64(t.N) / float64(s.n))
	t.Rejected = s.n - t.N
	if t.N > 0 {
		_, high := Wilson(t.Errors, t.N)
		t.Error, t.High = Number(float64(t.Errors)/float64(t.N)), Number(high)
	}
	return t
}

// shortest returns a number with few digits from low on, and below high: what is accepted at low is
// accepted at it, and nothing else.
func shortest(low, high float64) float64 {
	for digits := range 16 {
		scale := math.Pow(10, float64(digits)-math.Floor(math.Log10(low)))
		if x := math.Ceil(low*scale) / scale; x >= low && x < high {
			return x
		}
	}
	return low
}
