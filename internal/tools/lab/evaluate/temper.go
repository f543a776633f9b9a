package evaluate

import (
	"math"
	"slices"
	"strconv"

	"bayestream/internal/core/spec"
)

// enough is how many documents must be scored before a temper is chosen by them, and before shares
// of them are worth a table.
const enough = 200

// tempers scores outcomes under a grid of tempers, without deciding again: a temper scales the
// differences of the log posteriors.
type tempers struct {
	amplifies bool
	n         int64
	grid      []tempered // the first is none
	gaps      []float64  // scratch: by class, ln posterior less the largest, as without a temper
}

// tempered is the scores under one temper.
type tempered struct {
	temper spec.Temper
	loss   total
	bins   reliability
}

// typicalLength is about the length of a text in tokens: at it, each gamma of the grid has the same
// tau.
const typicalLength = 128

// newTempers returns the grid for a spec: five gammas, fifteen T each.
func newTempers(s *spec.Spec) *tempers {
	t := &tempers{amplifies: s.Amplifies()}
	t.grid = append(t.grid, tempered{temper: spec.Temper{T: 1}})
	taus := []float64{0.01, 0.014, 0.02, 0.028, 0.04, 0.056, 0.08, 0.11, 0.16, 0.22, 0.32, 0.45, 0.63, 0.8, 1}
	if t.amplifies { // its scores are about 1 / |vocabulary|
		for i := range taus {
			taus[i] = math.Pow(4, float64(i))
		}
	}
	for _, gamma := range []float64{0, 0.25, 0.5, 0.75, 1} {
		for _, tau := range taus {
			t.grid = append(t.grid, tempered{temper: spec.Temper{T: round2(tau * math.Pow(typicalLength, gamma)), Gamma: gamma}})
		}
	}
	return t
}

// round2 rounds to two significant digits.
func round2(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	if err != nil {
		panic(err) // it was just written
	}
	return rounded
}

// add scores one outcome under all tempers of the grid.
func (t *tempers) add(o *Outcome) {
	t.n++
	best := o.best()
	if best < 0 {
		for i := range t.grid {
			t.grid[i].loss.add(fixed(-clip))
			t.grid[i].bins.add(0, false)
		}
		return
	}
	t.gaps = t.gaps[:0]
	for _, lp := range o.LogPosterior {
		t.gaps = append(t.gaps, (lp-o.LogPosterior[best])/o.tau())
	}
	truth := slices.Index(o.Classes, o.Truth)
	for i := range t.grid {
		t.grid[i].add(t.gaps, best, truth, t.grid[i].temper.Tau(o.Known, t.amplifies))
	}
}

// add scores one outcome: gaps are ln posterior less the largest one, untempered; truth is -1 for a
// class that is not listed.
func (t *tempered) add(gaps []float64, best, truth int, tau float64) {
	sum := 0.0
	for k, gap := range gaps {
		if k != best {
			sum += math.Exp(tau * gap)
		}
	}
	loss := -clip
	if truth >= 0 {
		loss = min(max(math.Log1p(sum)-tau*gaps[truth], 0), loss)
	}
	t.loss.add(fixed(loss))
	t.bins.add(1/(1+sum), best == truth)
}

// best returns the temper with the least log loss, none if no other is better.
func (t *tempers) best() *tempered {
	best := &t.grid[0]
	for i := range t.grid {
		if t.grid[i].loss.float() < best.loss.float() {
			best = &t.grid[i]
		}
	}
	return best
}

// TemperReport compares what a temper would make of the posteriors. The labels are the same.
type TemperReport struct {
	None TemperScore `json:"none"` // without a temper
	Best TemperScore `json:"best"` // of the grid, by log loss on the same documents
}

// TemperScore is the scores under one temper.
type TemperScore struct {
	T       float64 `json:"t"`
	Gamma   float64 `json:"gamma"`
	LogLoss Number  `json:"log_loss"`
	ECE     Number  `json:"ece"`
}

// Temper returns the temper as it is in a spec.
func (s *TemperScore) Temper() spec.Temper { return spec.Temper{T: s.T, Gamma: s.Gamma} }

func (t *tempered) score(n int64) TemperScore {
	return TemperScore{T: t.temper.T, Gamma: t.temper.Gamma, LogLoss: Number(t.loss.mean(n)), ECE: Number(t.bins.error())}
}

// Temper returns what a temper would make of the posteriors; nil without Options.Spec, for a spec
// without words, and for fewer than 200 documents, by which none should be chosen.
func (s *Scores) Temper() *TemperReport {
	if s.tempers == nil || s.tempers.n < enough {
		return nil
	}
	return &TemperReport{None: s.tempers.grid[0].score(s.n), Best: s.tempers.best().score(s.n)}
}
