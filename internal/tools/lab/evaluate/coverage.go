package evaluate

import (
	"cmp"
	"math"
	"slices"
)

// enough is how many documents must be scored before shares of them are worth a table.
const enough = 200

// rejects are the costs of no decision at which coverage is shown.
var rejects = [...]float64{0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001}

// coverage counts the documents whose risk under 0-1 loss is at most each of rejects.
type coverage [len(rejects)]struct{ accepted, correct int64 }

func (c *coverage) add(risk float64, correct bool) {
	for i := range c {
		if risk > rejects[i] {
			continue
		}
		c[i].accepted++
		if correct {
			c[i].correct++
		}
	}
}

// Coverage is what a reject option would leave: a document is accepted, and not unsure, if 1 -
// P(label) is at most Reject.
type Coverage struct {
	Reject   float64 `json:"reject"` // as decision.reject of a spec
	N        int64   `json:"n"`      // documents that are accepted
	Correct  int64   `json:"correct"`
	Share    Number  `json:"share"`
	Accuracy Number  `json:"accuracy"` // of those; null if there are none
}

// Coverage returns what is left at some costs of no decision, from the largest to the smallest; nil
// for fewer than 200 documents.
func (s *Scores) Coverage() []Coverage {
	if s.n < enough {
		return nil
	}
	var out []Coverage
	for i, c := range s.covered {
		out = append(out, Coverage{
			Reject: rejects[i], N: c.accepted, Correct: c.correct, Share: Number(float64(c.accepted) / float64(s.n)),
			Accuracy: Number(float64(c.correct) / float64(c.accepted)),
		})
	}
	return out
}

// risk returns what the reject option is compared with, and whether the label is right: the
// expected loss of the label where it is known, else 1 - P(label | document), from the other
// posteriors, which keeps its digits when it is small.
func (o *Outcome) risk() (risk float64, correct bool) {
	if o.Label != "" && o.Risk > 0 {
		return o.Risk, o.Label == o.Truth
	}
	for i, lp := range o.LogPosterior {
		if o.Classes[i] != o.Label {
			risk += math.Exp(min(lp, 0))
		}
	}
	if o.Label == "" {
		return 1, false
	}
	return risk, o.Label == o.Truth
}

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

// costs are what it may cost to take a document for positive that is not, where a missed positive
// costs 1.
var costs = [...]float64{0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000}

// Cost is what decisions of least expected cost come to, by the posterior of the positive class, if
// a false positive costs so many times what a missed positive costs.
type Cost struct {
	Cost        float64 `json:"cost"`      // of a false positive
	Threshold   float64 `json:"threshold"` // posterior from which on positive is the cheaper label: cost / (1 + cost)
	FP          int64   `json:"fp"`
	FN          int64   `json:"fn"`
	FPR         Number  `json:"fpr"`
	FNR         Number  `json:"fnr"`
	PerDocument Number  `json:"per_document"`
	Best        Number  `json:"best"`    // a document, with the best threshold by these documents
	Trivial     Number  `json:"trivial"` // a document, with the cheaper label for all
}

// costCurve returns what decisions come to at each of costs. sorted are the documents by falling
// log-odds of the positive class. It is the cost curve (Drummond and Holte 2006) at the frequencies
// of the classes in the data; the distance of PerDocument to Best is what the posteriors lose
// because they are too sure, or not sure enough.
func costCurve(sorted []scored, positive int) []Cost {
	positives, negatives := sides(sorted, positive)
	n := float64(len(sorted))
	out := make([]Cost, len(costs))
	for i, cost := range costs {
		out[i] = Cost{
			Cost: cost, Threshold: cost / (1 + cost), FN: positives,
			Best: Number(float64(positives) / n), Trivial: Number(min(float64(positives), cost*float64(negatives)) / n),
		}
	}
	var tp, fp int64
	ties(sorted, func(tied []scored) {
		p, q := sides(tied, positive)
		tp += p
		fp += q
		for i := range out {
			c := &out[i]
			if tied[0].odds > math.Log(c.Cost) {
				c.FP, c.FN = fp, positives-tp
			}
			c.Best = min(c.Best, Number((c.Cost*float64(fp)+float64(positives-tp))/n))
		}
	})
	for i := range out {
		c := &out[i]
		c.FPR, c.FNR = Number(float64(c.FP)/float64(negatives)), Number(float64(c.FN)/float64(positives))
		c.PerDocument = Number((c.Cost*float64(c.FP) + float64(c.FN)) / n)
	}
	return out
}
