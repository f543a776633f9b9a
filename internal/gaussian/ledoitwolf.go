package gaussian

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Discriminants are a linear discriminant analysis that was fitted to rows at once, with the
// covariance of each class shrunk by the coefficient of Ledoit and Wolf (2004). The coefficient
// needs sums of fourth order, which a stream does not keep: for offline comparison only.
type Discriminants struct {
	means    [][]float64 // by class
	logPrior []float64
	cov      *covariance
}

// FitLedoitWolf fits to rows, each of a class from 0 up. Features are scaled to unit variance
// within the class before the coefficient is computed and scaled back after it, as scikit-learn
// does for shrinkage="auto"; the classes' covariances are weighed by their rows.
func FitLedoitWolf(rows [][]float64, class []int, classes int) (*Discriminants, error) {
	if len(rows) == 0 || len(rows) != len(class) {
		return nil, fmt.Errorf("%d rows have %d classes: want as many, at least one", len(rows), len(class))
	}
	d := len(rows[0])
	by := make([][][]float64, classes)
	for i, x := range rows {
		by[class[i]] = append(by[class[i]], x)
	}
	out := &Discriminants{}
	pooled := mat.NewSymDense(d, nil)
	for c, own := range by {
		if len(own) == 0 {
			return nil, fmt.Errorf("class %d has no rows", c)
		}
		prior := float64(len(own)) / float64(len(rows))
		mean, scaled, scale := standardise(own)
		s := ledoitWolf(scaled)
		for i := range d {
			for j := i; j < d; j++ {
				pooled.SetSym(i, j, pooled.At(i, j)+prior*scale[i]*scale[j]*s.At(i, j))
			}
		}
		out.means = append(out.means, mean)
		out.logPrior = append(out.logPrior, math.Log(prior))
	}
	out.cov = factor(pooled)
	switch p := out.cov.singular; {
	case p == Problem{}:
		return out, nil
	case p.Field == AllFields:
		return nil, fmt.Errorf("linear discriminant analysis: %s", p.Reason)
	default:
		return nil, fmt.Errorf("linear discriminant analysis: field %d: %s", p.Field, p.Reason)
	}
}

// standardise returns the mean, the rows less it and divided by the standard deviation (denominator
// n; 1 where that is 0), and the deviations.
func standardise(rows [][]float64) (mean []float64, scaled *mat.Dense, scale []float64) {
	d := len(rows[0])
	n := float64(len(rows))
	mean = make([]float64, d)
	scale = make([]float64, d)
	for _, x := range rows {
		for j, v := range x {
			mean[j] += v / n
		}
	}
	scaled = mat.NewDense(len(rows), d, nil)
	for i, x := range rows {
		for j, v := range x {
			scaled.Set(i, j, v-mean[j])
			scale[j] += (v - mean[j]) * (v - mean[j]) / n
		}
	}
	for j := range scale {
		scale[j] = math.Sqrt(scale[j])
		if scale[j] == 0 {
			scale[j] = 1
		}
		for i := range rows {
			scaled.Set(i, j, scaled.At(i, j)/scale[j])
		}
	}
	return mean, scaled, scale
}

// ledoitWolf returns the shrunk covariance of centred rows: (1-s) S + s tr(S)/d I, with s the
// estimated ratio of the variance of S's entries to its distance from the target.
func ledoitWolf(x *mat.Dense) *mat.SymDense {
	rows, d := x.Dims()
	n := float64(rows)
	p := float64(d)
	s := mat.NewSymDense(d, nil)
	fourth := 0.0  // sum over i, j and k of x_ki^2 x_kj^2
	squares := 0.0 // sum over i and j of S_ij^2
	for i := range d {
		for j := range d {
			cross := 0.0
			for k := range rows {
				product := x.At(k, i) * x.At(k, j)
				cross += product
				fourth += product * product
			}
			cross /= n
			squares += cross * cross
			if j >= i {
				s.SetSym(i, j, cross)
			}
		}
	}
	mu := mat.Trace(s) / p
	distance := (squares - 2*mu*mat.Trace(s) + p*mu*mu) / p
	variance := min((fourth/n-squares)/(p*n), distance)
	if variance > 0 && distance > 0 {
		shrink(s, variance/distance)
	}
	return s
}

// AppendLogPosterior appends ln P(class|x) for each class.
func (d *Discriminants) AppendLogPosterior(dst, x []float64) []float64 {
	start := len(dst)
	diff := make([]float64, len(x))
	for c, mean := range d.means {
		for j := range x {
			diff[j] = x[j] - mean[j]
		}
		dst = append(dst, d.logPrior[c]-0.5*d.cov.mahalanobis(diff))
	}
	all := floats.LogSumExp(dst[start:])
	for i := start; i < len(dst); i++ {
		dst[i] = min(dst[i]-all, 0)
	}
	return dst
}
