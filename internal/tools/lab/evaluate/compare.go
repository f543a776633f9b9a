package evaluate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Summary is the mean and spread of a score over folds or repetitions.
type Summary struct {
	N    int    `json:"n"`
	Mean Number `json:"mean"`
	SD   Number `json:"sd"` // standard deviation, denominator n-1; NaN for n < 2
}

// Summarise returns the mean and the standard deviation of x, in two passes: the second sums
// squares of differences from the mean, so that nothing cancels (Chan, Golub and LeVeque 1983).
func Summarise(x []float64) Summary {
	n := float64(len(x))
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	mean := sum / n
	squares, rest := 0.0, 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
		rest += v - mean // 0 except for rounding, which it corrects
	}
	sd := math.Sqrt(max(squares-rest*rest/n, 0) / (n - 1))
	if len(x) < 2 {
		sd = math.NaN()
	}
	return Summary{N: len(x), Mean: Number(mean), SD: Number(sd)}
}

// IsMoreThanChance reports whether the mean is above zero by more than so many standard errors. What is
// simpler stays if nothing is better by one (Breiman, Friedman, Olshen and Stone 1984, 3.4.3).
func (s Summary) IsMoreThanChance(errors float64) bool {
	const rounding = 1e-9 // one document that is saved is its own standard error
	return float64(s.Mean) > (errors+rounding)*float64(s.SD)/math.Sqrt(float64(s.N))
}

// Paired compares the scores of two models on the same folds.
type Paired struct {
	Difference Summary `json:"difference"` // of the first model's score less the second's
	T          Number  `json:"t"`
	Freedom    int     `json:"degrees_of_freedom"`
	P          Number  `json:"p"` // of a difference as large as this, either way, if there is none
}

// ComparePaired tests whether two models differ: a and b are their scores on the same folds, two or
// more, and testShare is the size of a test set by that of its training set (1/(k-1) for k folds).
//
// The training sets of folds overlap, so their scores are not independent, and the plain t-test
// finds differences far too often. Nadeau and Bengio (2003) put the missing covariance into the
// variance:
//
//	t = mean(a - b) / sqrt((1/n + testShare) var(a - b)),   n - 1 degrees of freedom
//
// testShare 0 gives the plain paired t-test, for scores of independent data. Two models with the
// same score on every fold have p = 1.
func ComparePaired(a, b []float64, testShare float64) (Paired, error) {
	if len(a) != len(b) {
		return Paired{}, fmt.Errorf("%d scores are compared with %d: both models need the same folds", len(a), len(b))
	}
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = a[i] - b[i]
	}
	p := Paired{Difference: Summarise(differences), Freedom: len(a) - 1}
	mean, sd := float64(p.Difference.Mean), float64(p.Difference.SD)
	if mean == 0 {
		p.P = 1
		return p, nil
	}
	t := mean / (sd * math.Sqrt(1/float64(len(a))+testShare))
	p.T, p.P = Number(t), Number(bothTails(t, float64(p.Freedom)))
	return p, nil
}

// bothTails returns the probability that Student's t is at least as far from 0 as t is (Abramowitz
// and Stegun 1964, 26.7.1), by the side of the incomplete beta function on which the digits of a
// small t are kept.
func bothTails(t, freedom float64) float64 {
	if share := t * t / (freedom + t*t); share < 0.5 {
		return 1 - mathext.RegIncBeta(0.5, freedom/2, share)
	}
	return mathext.RegIncBeta(freedom/2, 0.5, freedom/(freedom+t*t))
}

// normal975 is the 97.5 % point of the normal distribution.
const normal975 = 1.959963984540054

// Wilson returns the 95 % confidence interval of a share of which hits of n independent documents
// were seen (Wilson 1927): it stays within 0 and 1, and keeps its promise for few documents.
// Without documents it is all there is, 0 to 1.
func Wilson(hits, n int64) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = normal975
	all := float64(n)
	share := float64(hits) / all
	middle := share + z*z/(2*all)
	half := z * math.Sqrt(share*(1-share)/all+z*z/(4*all*all))
	return max(0, (middle-half)/(1+z*z/all)), min(1, (middle+half)/(1+z*z/all))
}

// Interval is a mean and its 95 % confidence interval.
type Interval struct {
	Mean Number `json:"mean"`
	Low  Number `json:"low"`
	High Number `json:"high"`
}

// PairedDifference returns the difference of two shares of the same n documents: first is the number
// of documents that only the first of two classifiers has right, second that of only the second, and
// the difference is that of the second less the first. The interval adds half a document to each of
// the four possible outcomes (Agresti and Min 2005): without that, few documents and no disagreement
// would give no width at all. Without documents it is all there is, -1 to 1.
func PairedDifference(first, second, n int64) Interval {
	if n == 0 {
		return Interval{undefined, -1, 1}
	}
	all := float64(n) + 2
	apart := float64(first+second) + 1
	middle := float64(second-first) / all
	half := normal975 * math.Sqrt(apart/all-middle*middle) / math.Sqrt(all)
	return Interval{Number(float64(second-first) / float64(n)), Number(max(-1, middle-half)), Number(min(1, middle+half))}
}

// MeanInterval returns the mean of differences and its interval, by the normal distribution: for many
// documents.
func MeanInterval(x []float64) Interval {
	s := Summarise(x)
	half := normal975 * s.SD / Number(math.Sqrt(float64(s.N)))
	return Interval{s.Mean, s.Mean - half, s.Mean + half}
}
