package gaussian_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayestream/internal/gaussian"
)

// TestOASOfEqualVariances: where all variances are equal and nothing correlates, the oracle's
// denominator is 0 but for rounding, whatever its sign: the covariance is its own target and stays
// as it is.
func TestOASOfEqualVariances(t *testing.T) {
	for _, d := range []int{1, 2, 3, 5, 6, 7, 10, 11} {
		for _, a := range []float64{0.1, 0.3, 0.7, 1, 1.1, 3.3, 1000.1} {
			b := newBlock(gaussian.Options{Fields: d, Kind: gaussian.LDA, OAS: true, Digits: gaussian.DefaultDigits})
			for i := range d {
				for _, sign := range []float64{a, -a} {
					x := make([]float64, d)
					x[i] = sign
					learnRows(b, 0, numbers(x...))
				}
			}
			b.Prepare([]int{0})
			variance := a * a / float64(d)
			at := make([]float64, d)
			at[0] = a
			got := -2*logDensity(t, b, 0, []int{0}, at) - float64(d)*math.Log(2*math.Pi*variance)
			if want := a * a / variance; math.Abs(got-want) > 1e-9*want {
				t.Errorf("%d fields of variance %v: distance %v, want %v", d, variance, got, want)
			}
		}
	}
}

// TestSumsWithoutRows: sums that were taken out of by something else than what was put in have no
// rows and are not zero. They cannot be evaluated, and nothing breaks.
func TestSumsWithoutRows(t *testing.T) {
	for _, o := range []gaussian.Options{
		{Fields: 2}, {Fields: 2, Variance: gaussian.Shared, Unbiased: true}, {Fields: 2, Variance: gaussian.Isotropic, VarSmoothing: 1},
		{Fields: 2, Kind: gaussian.LDA}, {Fields: 2, Kind: gaussian.LDA, OAS: true, Unbiased: true}, {Fields: 2, Kind: gaussian.QDA, RegParam: 0.5, VarSmoothing: 1},
	} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			o.Digits = gaussian.DefaultDigits
			b := newBlock(o)
			learnRows(b, 0, numbers(0, 2), numbers(1, 5), numbers(3, 3))
			learnRows(b, 1, numbers(0, 2))
			other := gaussian.NewSums(2, o.Full())
			other.Observe(numbers(0, 7), -1)
			b.Add(1, other)
			b.Prepare([]int{0, 1})
			if got := b.LogLikelihood(make([]float64, 2), []int{0, 1}, numbers(1, 2), make([]float64, 2)); got != gaussian.Abstained {
				t.Errorf("got outcome %v, want Abstained", got)
			}
		})
	}
}

// TestOASOfClassesInAnyOrder: the covariance of nearly collinear fields blows up the last digit of
// what is pooled, so the sum over the classes is the same, bit for bit, in whatever order they
// came.
func TestOASOfClassesInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		rows := make([][][]float64, 4)
		for class := range rows {
			for range 5 {
				x := math.Round(rng.NormFloat64()*1e6) / 1e3
				rows[class] = append(rows[class], []float64{x, x + math.Round(rng.NormFloat64()*10)/1e3})
			}
		}
		want := oasDensity(t, rows, []int{0, 1, 2, 3})
		for _, order := range [][]int{{3, 2, 1, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}} {
			if got := oasDensity(t, rows, order); got != want {
				t.Fatalf("classes %v in order %v: log density %v, want %v", rows, order, got, want)
			}
		}
	}
}

// oasDensity learns the classes of rows in the order given and returns the log density of a point
// in class 0.
func oasDensity(t *testing.T, rows [][][]float64, order []int) float64 {
	b := newBlock(gaussian.Options{Fields: 2, Kind: gaussian.LDA, OAS: true, Digits: gaussian.DefaultDigits})
	var live []int
	for number, class := range order {
		live = append(live, number)
		for _, x := range rows[class] {
			learnRows(b, number, numbers(x...))
		}
	}
	b.Prepare(live)
	return logDensity(t, b, slices.Index(order, 0), live, []float64{5, -5})
}

// logDensity returns ln p(x | class).
func logDensity(t *testing.T, b block, class int, live []int, x []float64) float64 {
	t.Helper()
	dst := make([]float64, len(live))
	if got := b.LogLikelihood(dst, live, numbers(x...), make([]float64, len(x))); got != gaussian.Voted {
		t.Fatalf("got outcome %v, want Voted", got)
	}
	return dst[class]
}
