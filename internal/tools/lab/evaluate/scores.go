package evaluate

import (
	"fmt"
	"math"
	"slices"
)

// Options of Scores. The zero value gives everything.
type Options struct {
	// Unranked leaves out what needs the log-odds of every document: areas and curves. What remains
	// needs memory for classes, not for documents.
	Unranked bool
	// Risks keeps the risk of each document, for Threshold.
	Risks bool
	// Mistakes is how many of the surest mistakes are kept.
	Mistakes int
	// Each is called for each document once it is scored; nil: it is not. An error ends the scoring.
	Each func(*Outcome) error
}

// Scores adds up outcomes. Make it with NewScores.
type Scores struct {
	o       Options
	tally   tally
	n       int64
	loss    total
	brier   total
	bins    reliability
	covered coverage
	risks   []accepted // in the order of the documents; with Options.Risks
	ranking ranking
	missed  mistakes

	// The classes of the outcome before, and their numbers: outcomes of one model share them.
	known []string
	ids   []int
	odds  []float64 // scratch
}

// NewScores returns scores of no outcomes.
func NewScores(o Options) *Scores {
	return &Scores{o: o, missed: mistakes{limit: o.Mistakes}}
}

// Add scores one document. The error says why the outcome cannot be scored; nothing has changed
// then.
func (s *Scores) Add(o *Outcome) error {
	if err := o.check(); err != nil {
		return err
	}
	s.know(o.Classes)
	truth := s.tally.class(o.Truth)
	s.tally.observe(o.Truth, o.Label)
	s.n++
	s.loss.add(fixed(o.Loss()))
	s.brier.add(fixed(o.brier()))
	s.bins.add(o.top())
	risk, correct := o.risk()
	s.covered.add(risk, correct)
	if s.o.Risks {
		s.risks = append(s.risks, accepted{risk, correct})
	}
	s.missed.add(o)
	if !s.o.Unranked {
		s.odds = appendLogOdds(s.odds[:0], o.LogPosterior)
		s.ranking.add(truth, s.ids, s.odds)
	}
	if s.o.Each != nil {
		return s.o.Each(o)
	}
	return nil
}

// know sets s.ids to the numbers of the classes.
func (s *Scores) know(names []string) {
	if slices.Equal(s.known, names) {
		return
	}
	s.known = append(s.known[:0], names...)
	s.ids = s.ids[:0]
	for _, name := range names {
		s.ids = append(s.ids, s.tally.class(name))
	}
}

// N returns the number of documents.
func (s *Scores) N() int64 { return s.n }

// Classes returns all classes met, as a label, true or predicted, or in a posterior, sorted by
// name.
func (s *Scores) Classes() []string { return slices.Sorted(slices.Values(s.tally.classes.names)) }

// Positive returns the positive class: named, or with "" the last one by name.
func (s *Scores) Positive(named string) (string, error) {
	all := s.Classes()
	switch {
	case len(all) == 0:
		return "", fmt.Errorf("no documents were scored: there is no positive class")
	case named == "":
		return all[len(all)-1], nil
	case !slices.Contains(all, named):
		return "", fmt.Errorf("positive class %q is not among the classes %q", named, all)
	}
	return named, nil
}

// Mistakes returns the mistakes with the surest labels, the surest first.
func (s *Scores) Mistakes() []Mistake { return append([]Mistake{}, s.missed.list...) }

// Confusion returns the contingency table.
func (s *Scores) Confusion() *Confusion { return s.tally.confusion() }

// LogLoss returns the mean of -ln P(truth | document), each at most -ln 1e-15: the cross-entropy.
func (s *Scores) LogLoss() float64 { return s.loss.mean(s.n) }

// Brier returns the mean squared error of the posteriors: for two classes (p - y)^2 of one of them,
// which is the same for both; for any other number the sum over the classes.
func (s *Scores) Brier() float64 {
	b := s.brier.mean(s.n)
	if len(s.tally.classes.names) == 2 {
		return b / 2
	}
	return b
}

// ECE returns the expected calibration error: the mean distance between how sure the model was and
// how often it was right, over calibrationBins bins of the largest posterior, weighed by documents.
func (s *Scores) ECE() float64 { return s.bins.error() }

// Reliability returns the bins of ECE.
func (s *Scores) Reliability() []Bin { return s.bins.bins() }

// ROC returns the curve of a class against all others; nil for a class that was not met, and of
// unranked scores.
func (s *Scores) ROC(class string) *ROC {
	sorted, id, ok := s.sorted(class)
	if !ok {
		return nil
	}
	return newROC(sorted, id)
}

// PR returns the precision-recall curve of a class against all others; nil for a class that was not
// met, and of unranked scores.
func (s *Scores) PR(class string) *PR {
	sorted, id, ok := s.sorted(class)
	if !ok {
		return nil
	}
	return newPR(sorted, id)
}

func (s *Scores) sorted(class string) (documents []scored, id int, ok bool) {
	id, ok = s.tally.classes.ids[class]
	if !ok || s.o.Unranked {
		return nil, 0, false
	}
	return s.ranking.sorted(nil, id, true), id, true
}

// areas adds up by name: the last digit of a sum must not tell which class came first.
func (s *Scores) areas() areas {
	if s.o.Unranked {
		return areas{ovr: math.NaN(), ovo: math.NaN()}
	}
	return s.ranking.areas(s.tally.truth, s.tally.classes.sorted(func(int) bool { return true }))
}

// calibrationBins is the number of bins of the expected calibration error.
const calibrationBins = 15

// Bin is one bar of the reliability diagram: the documents whose largest posterior is in (Lower,
// Upper]; the first bin has 0 as well.
type Bin struct {
	Lower      float64 `json:"lower"`
	Upper      float64 `json:"upper"`
	N          int64   `json:"n"`
	Confidence Number  `json:"confidence"` // mean of the largest posterior; NaN when empty
	Accuracy   Number  `json:"accuracy"`   // share whose most probable class is the true one; NaN when empty
}

// reliability counts documents by their largest posterior.
type reliability [calibrationBins]struct {
	n, correct int64
	confidence total
}

func (r *reliability) add(posterior float64, correct bool) {
	i := binOf(posterior)
	r[i].n++
	if correct {
		r[i].correct++
	}
	r[i].confidence.add(fixed(posterior))
}

// binOf returns the first bin whose upper edge, the float64 nearest to (i+1)/15, is not below p.
func binOf(p float64) int {
	i := min(int(p*calibrationBins), calibrationBins-1)
	for i > 0 && p <= float64(i)/calibrationBins {
		i--
	}
	return i
}

func (r *reliability) bins() []Bin {
	bins := make([]Bin, calibrationBins)
	for i := range r {
		bins[i] = Bin{
			Lower: float64(i) / calibrationBins, Upper: float64(i+1) / calibrationBins, N: r[i].n,
			Confidence: Number(r[i].confidence.mean(r[i].n)), Accuracy: Number(float64(r[i].correct) / float64(r[i].n)),
		}
	}
	return bins
}

// error returns sum over the bins of n_b/n |accuracy_b - confidence_b|, which is the sum of
// |correct_b - sum of confidences_b| over n (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017).
func (r *reliability) error() float64 {
	sum, n := 0.0, int64(0)
	for i := range r {
		sum += math.Abs(float64(r[i].correct) - r[i].confidence.float())
		n += r[i].n
	}
	return sum / float64(n)
}
