package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayestream/internal/core/model"

	"gonum.org/v1/gonum/floats"
)

// Outcome is one document that was answered. It may be used again for the next one: whoever takes
// an outcome keeps nothing of it.
type Outcome struct {
	Truth        string    // the true label
	Label        string    // the label it got; "": none, the model has no class yet or all are impossible
	Classes      []string  // the classes of the model, sorted by name
	LogPosterior []float64 // ln P(class | document), as many; a class that is not listed has probability 0

	Risk float64 // expected loss of the label, where the spec has a loss or a reject option; 0: none

	// Of the document, to name it among the mistakes.
	ID   string
	Text string // how it begins; "": it has no text
}

// SetDecision sets o to what a model decided on a document whose label is truth.
func (o *Outcome) SetDecision(truth string, d *model.Decision) {
	o.Truth, o.Label = truth, ""
	o.Classes, o.LogPosterior = o.Classes[:0], o.LogPosterior[:0]
	if !d.Labelled {
		return
	}
	o.Label = d.Label
	o.Risk = 0
	for i := range d.Classes {
		if d.HasRisk && d.Classes[i].Name == d.Label {
			o.Risk = d.Classes[i].Risk
		}
		o.Classes = append(o.Classes, d.Classes[i].Name)
		o.LogPosterior = append(o.LogPosterior, d.Classes[i].LogPosterior)
	}
}

// above1 is how far a log posterior may lie above 0 by rounding.
const above1 = 1e-9

// check reports what makes an outcome impossible to score.
func (o *Outcome) check() error {
	if o.Truth == "" {
		return fmt.Errorf("outcome has no true label: only labelled documents can be scored")
	}
	if len(o.Classes) != len(o.LogPosterior) {
		return fmt.Errorf("outcome of a document of class %q has %d classes and %d log posteriors", o.Truth, len(o.Classes),
			len(o.LogPosterior))
	}
	possible := len(o.Classes) == 0
	for i, lp := range o.LogPosterior {
		if !(lp <= above1) {
			return fmt.Errorf("outcome of a document of class %q: log posterior of class %q is %v, want a number up to 0",
				o.Truth, o.Classes[i], lp)
		}
		possible = possible || !math.IsInf(lp, -1)
	}
	if !possible {
		return fmt.Errorf("outcome of a document of class %q: every class has probability 0", o.Truth)
	}
	return nil
}

// logPosterior returns ln P(class | document), -Inf for a class that is not listed.
func (o *Outcome) logPosterior(class string) float64 {
	if i := slices.Index(o.Classes, class); i >= 0 {
		return min(o.LogPosterior[i], 0)
	}
	return math.Inf(-1)
}

// clip is ln 1e-15: the log loss takes no posterior for smaller, since a single certain error would
// make the mean infinite.
var clip = math.Log(1e-15)

// Loss returns the log loss of the document, -ln P(truth | document), at most -ln 1e-15.
func (o *Outcome) Loss() float64 { return -max(o.logPosterior(o.Truth), clip) }

// brier returns the sum over all classes of (p - y)^2, where y is 1 for the true class and 0 for
// the others (Brier 1950).
func (o *Outcome) brier() float64 {
	sum, listed := 0.0, false
	for i, c := range o.Classes {
		p := math.Exp(min(o.LogPosterior[i], 0))
		if c == o.Truth {
			p, listed = 1-p, true
		}
		sum += p * p
	}
	if !listed {
		sum++
	}
	return sum
}

// top returns the largest posterior and whether its class is the true one. Of equal ones it is the
// label's, else the first: under 0-1 loss always the label's.
func (o *Outcome) top() (posterior float64, correct bool) {
	best := -1
	for i, lp := range o.LogPosterior {
		if best < 0 || lp > o.LogPosterior[best] || lp == o.LogPosterior[best] && o.Classes[i] == o.Label {
			best = i
		}
	}
	if best < 0 {
		return 0, false
	}
	return math.Exp(min(o.LogPosterior[best], 0)), o.Classes[best] == o.Truth
}

// sure is ln 0.999: above it a log posterior has lost digits that the odds need.
var sure = math.Log(0.999)

// appendLogOdds appends for each class ln P(c|x) - ln P(not c|x). For a class that is nearly sure
// the second is a log-sum-exp over the other classes: so the odds still grow where the posterior is
// 1 in float64. Else it is ln(1 - p), a function of the posterior alone, so that equal posteriors
// give equal odds however the rest is spread over the other classes (a vote of 3 of 5 neighbours is
// a tie with another one). A class that has all the probability has the odds +Inf.
func appendLogOdds(dst, logPosterior []float64) []float64 {
	for i, lp := range logPosterior {
		others := math.Log1p(-math.Exp(min(lp, 0)))
		if lp > sure {
			others = logSumExp(slices.Concat(logPosterior[:i], logPosterior[i+1:]))
		}
		dst = append(dst, lp-others+0) // + 0: no negative zero
	}
	return dst
}

// logSumExp returns ln of the sum of exp(x_i), -Inf of nothing.
func logSumExp(x []float64) float64 {
	if len(x) == 0 {
		return math.Inf(-1)
	}
	return floats.LogSumExp(x)
}

// Mistake is a document that got another label than its own.
type Mistake struct {
	ID        string `json:"id"`
	Truth     string `json:"label"`
	Label     string `json:"predicted"`
	Posterior Number `json:"posterior"` // of the label it got
	Text      string `json:"text,omitempty"`

	odds float64 // ln of the odds of that label: a posterior near 1 tells no difference
}

// mistakes are the documents with the surest wrong labels, each once.
type mistakes struct {
	limit int
	list  []Mistake // the surest first
}

// add takes an outcome in, if it is a mistake and surer than others. A document without a label is
// none, and none that was decided when there was one class: nothing was sure.
func (m *mistakes) add(o *Outcome) {
	if m.limit == 0 || o.Label == "" || o.Label == o.Truth || len(o.Classes) < 2 {
		return
	}
	x := Mistake{ID: o.ID, Truth: o.Truth, Label: o.Label, Posterior: Number(math.Exp(o.logPosterior(o.Label))),
		Text: o.Text, odds: o.oddsOfLabel()}
	if i := slices.IndexFunc(m.list, func(y Mistake) bool { return y.ID == x.ID }); x.ID != "" && i >= 0 {
		if surer(m.list[i], x) <= 0 {
			return
		}
		m.list = slices.Delete(m.list, i, i+1)
	}
	at, _ := slices.BinarySearchFunc(m.list, x, surer)
	if at == m.limit {
		return
	}
	m.list = slices.Insert(m.list, at, x)
	m.list = m.list[:min(len(m.list), m.limit)]
}

// surer orders mistakes, the surest first, and equally sure ones by their ids.
func surer(a, b Mistake) int {
	return cmp.Or(cmp.Compare(b.odds, a.odds), strings.Compare(a.ID, b.ID), strings.Compare(a.Label, b.Label))
}

// oddsOfLabel returns ln P(label | document) - ln P(not label | document).
func (o *Outcome) oddsOfLabel() float64 {
	i := slices.Index(o.Classes, o.Label)
	if i < 0 {
		return math.Inf(-1)
	}
	return min(o.LogPosterior[i], 0) - logSumExp(slices.Concat(o.LogPosterior[:i], o.LogPosterior[i+1:]))
}

// Confused is how many documents of one class got the label of another.
type Confused struct {
	Truth     string `json:"label"`
	Label     string `json:"predicted"`
	Documents int64  `json:"n"`
}

// MostConfused returns up to n pairs of classes with the most documents of one that got the label
// of the other; equal ones by name.
func (c *Confusion) MostConfused(n int) []Confused {
	pairs := []Confused{}
	for i, row := range c.Rows {
		for j, documents := range row {
			if i != j && documents > 0 {
				pairs = append(pairs, Confused{Truth: c.Labels[i], Label: c.Labels[j], Documents: documents})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b Confused) int { return cmp.Compare(b.Documents, a.Documents) })
	return pairs[:min(n, len(pairs))]
}
