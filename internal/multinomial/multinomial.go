// Package multinomial is the multinomial event model of naive Bayes and two forms of it, complement
// and one against all: a document of class c is drawn token by token, and term t comes with
// probability
//
//	theta_tc = (n_tc + alpha) / (N_c + alpha |V|)
//
// where n_tc counts the tokens of t in class c, N_c all tokens of c, and V is the set of terms that
// any class has counted (McCallum and Nigam 1998; Manning, Raghavan and Schütze 2008, eq. 13.7).
// The log likelihood of a document with x_t tokens of term t is
//
//	ln P(d|c) = sum_t x_t ln theta_tc
//
// up to the multinomial coefficient, which is the same in every class and left out. A term outside
// of V does not vote.
//
// Complement naive Bayes (Rennie, Shih, Teevan and Karger 2003) estimates the parameters of a class
// from the documents of all other classes, of which there are more when classes are skewed. With
// n_t the sum of n_tc over the classes and N that of N_c,
//
//	theta_tc = (n_t - n_tc + alpha) / (N - N_c + alpha |V|)
//	score_c  = - sum_t x_t ln theta_tc
//
// or, normalised, sum_t x_t ln theta_tc / sum_t' ln theta_t'c, which takes out the weight that long
// documents give to a class.
//
// One against all (Berger 1999; Rennie, Shih, Teevan and Karger 2003, section 3.1) takes both: how
// much likelier the document is in class c than in all others together. With theta of the first
// form and theta' of the second
//
//	score_c = sum_t x_t (ln theta_tc - ln theta'_tc)
//
// With two classes it ranks as the two others do. These scores are no likelihoods: a prior does not
// enter, and the log-softmax that is reported of them ranks the classes and is no calibrated
// probability.
//
// A Likelihood holds what depends on the counts and computes the row of a term: ln theta_tc by
// class. A Scorer remembers rows and sums them over the tokens of documents.
package multinomial

import (
	"math"

	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// Kind says which counts estimate theta_tc, and which factor f_c makes score_c = sum_t x_t f_c ln
// theta_tc.
type Kind int

// The kinds of Likelihood.
const (
	Multinomial Kind = iota // the counts of c; f_c = 1
	Complement              // the counts of all classes but c; f_c = -1
	Normalized              // as Complement; f_c = 1 / sum over V of ln theta_tc
	OneVsAll                // theta_tc is the quotient of that of Multinomial and that of Complement; f_c = 1
)

// Form is a way to score words. It weighs the counts of the model by Alpha, and those of the document by
// Sublinear, which makes a term with x tokens weigh 1 + ln x instead of x. Words come in bursts:
// the second occurrence says less than the first (Rennie et al. 2003, section 4.1; Manning,
// Raghavan and Schütze 2008, 6.4.1).
type Form struct {
	Kind
	Alpha       float64 // smoothing constant, above 0
	Sublinear   bool
	Corrections float64 // what they weigh; 0: they do not enter
}

// manyTokens of one term are rare in a document.
const manyTokens = 32

// sublinear is 1 + ln x by x, for x below manyTokens; 0 of none.
var sublinear = func() (table [manyTokens]float64) {
	for x := 1; x < manyTokens; x++ {
		table[x] = 1 + math.Log(float64(x))
	}
	return table
}()

// frequency returns what x tokens of a term weigh.
func (f *Form) frequency(x uint32) float64 {
	switch {
	case !f.Sublinear:
		return float64(x)
	case x < manyTokens:
		return sublinear[x]
	}
	return 1 + math.Log(float64(x))
}

// Likelihood computes the rows of one form over a table of counts n_tc. Several may read one
// table. Between two calls of Prepare any number of goroutines may use it.
type Likelihood struct {
	Form
	table   *counts.Table
	classes *counts.Classes
	logs    *smoothing.Logs
	version uint64    // how often it was prepared
	logDen  []float64 // by class: the logarithm of the denominator of theta_tc
	factor  []float64 // by class: f_c
	scale   float64   // see Scale

	corrections corrections
}

// New returns the likelihood over the counts in t, and the corrections of c if they enter.
func New(f Form, t *counts.Table, classes *counts.Classes, c *counts.Corrections) *Likelihood {
	l := &Likelihood{Form: f, table: t, classes: classes, logs: smoothing.NewLogs(f.Alpha)}
	if f.Corrections > 0 {
		l.corrections.of = c
	}
	return l
}

// Prepare brings the denominators and factors up to date. It must be called after the counts
// changed and before a Scorer is used. A Normalized likelihood visits the whole vocabulary.
func (l *Likelihood) Prepare() {
	l.version++
	l.logDen = l.logDen[:0]
	l.factor = l.factor[:0]
	l.scale = 1
	factor := 1.0
	if l.Kind == Complement || l.Kind == Normalized {
		factor = -1
	}
	var all int64
	for c := range l.classes.Cap() {
		all += l.table.Total(c)
	}
	l.prepareCorrections(all)
	for c := range l.classes.Cap() {
		l.logDen = append(l.logDen, l.logDenominator(l.table.Total(c), all))
		l.factor = append(l.factor, factor)
	}
	if l.Kind == Normalized && l.table.Vocabulary() > 0 {
		l.normalize()
	}
}

// Scale returns the factor that gives the score the unit of a log likelihood: of Normalized the
// mean over the classes of what Complement's scores are divided by, so that classes differ in their
// weights as before, and the weights are those of Complement on average. It is 1 for the others.
func (l *Likelihood) Scale() float64 { return l.scale }

// normalize sets f_c to 1 / sum over the vocabulary of ln theta_tc, and the scale.
func (l *Likelihood) normalize() {
	shared := 0.0                           // the sum if no class had counted a term
	own := make([]float64, l.classes.Cap()) // by class: what its own counts change in it
	for _, cells := range l.table.Sorted {  // a sum of floats must not depend on the order of the rows
		n := l.total(cells)
		base := l.logNumerator(0, n)
		shared += base
		for _, cell := range cells {
			own[cell.Class()] += l.logNumerator(cell.Count(), n) - base
		}
	}
	for c := range l.factor {
		sum := shared + own[c] - float64(l.table.Vocabulary())*l.logDen[c]
		if sum != 0 {
			l.factor[c] = 1 / sum
		}
	}
	choices := l.classes.Choices()
	sum := 0.0
	for _, c := range choices {
		sum += math.Abs(1 / l.factor[c])
	}
	if sum > 0 {
		l.scale = sum / float64(len(choices))
	}
}

// logNumerator returns that of theta_tc, for a term with these counts in the class and in all.
func (l *Likelihood) logNumerator(own, all int64) float64 {
	switch l.Kind {
	case Multinomial:
		return l.logs.Log(own)
	case OneVsAll:
		return l.logs.Log(own) - l.logs.Log(all-own)
	}
	return l.logs.Log(all - own)
}

// logDenominator returns that of theta_tc, for so many tokens in the class and in all.
func (l *Likelihood) logDenominator(own, all int64) float64 {
	v := l.table.Vocabulary()
	switch l.Kind {
	case Multinomial:
		return l.logs.LogTotal(own, v)
	case OneVsAll:
		return l.logs.LogTotal(own, v) - l.logs.LogTotal(all-own, v)
	}
	return l.logs.LogTotal(all-own, v)
}

// total returns n_t; 0 of a Multinomial, which has no use for it.
func (l *Likelihood) total(cells []counts.Cell) (n int64) {
	if l.Kind == Multinomial {
		return 0
	}
	for _, cell := range cells {
		n += cell.Count()
	}
	return n
}
