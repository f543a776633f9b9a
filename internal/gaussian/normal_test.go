package gaussian_test

import (
	"math"
	"testing"

	"bayestream/internal/gaussian"
)

// The densities of a block are those of the normals it says it has, over a plane that is not
// straight.
func TestNormalIsTheDensity(t *testing.T) {
	for name, o := range map[string]gaussian.Options{
		"naive":     {},
		"shared":    {Variance: gaussian.Shared, Unbiased: true},
		"isotropic": {Variance: gaussian.Isotropic, VarSmoothing: 0.1},
		"lda":       {Kind: gaussian.LDA, Shrinkage: 0.2},
		"qda":       {Kind: gaussian.QDA, RegParam: 0.05},
	} {
		o.Fields, o.Digits = 2, gaussian.DefaultDigits
		b := newBlock(o)
		learnRows(b, 0, numbers(1, 2), numbers(2, 5), numbers(4, 4), numbers(0.5, -1))
		learnRows(b, 1, numbers(-1, 20), numbers(-2, 26), numbers(-7, 21))
		b.Prepare([]int{0, 1})
		for _, at := range [][]float64{{0, 0}, {1.5, 3}, {-4, 22}} {
			got := make([]float64, 2)
			if b.LogLikelihood(got, []int{0, 1}, numbers(at...), make([]float64, 2)) != gaussian.Voted {
				t.Fatalf("%s: no vote", name)
			}
			for class := range 2 {
				mean, c, ok := b.Normal(class)
				if !ok {
					t.Fatalf("%s: class %d has no normal", name, class)
				}
				x, y := at[0]-mean[0], at[1]-mean[1]
				det := c[0][0]*c[1][1] - c[0][1]*c[1][0]
				want := -math.Log(2*math.Pi) - math.Log(det)/2 - (c[1][1]*x*x-2*c[0][1]*x*y+c[0][0]*y*y)/det/2
				if math.Abs(got[class]-want) > 1e-9*max(1, math.Abs(want)) {
					t.Errorf("%s: log density of class %d at %v is %v, that of its normal %v", name, class, at, got[class], want)
				}
			}
		}
	}
}

func TestNormalOfTooFewRows(t *testing.T) {
	for _, kind := range []gaussian.Kind{gaussian.Naive, gaussian.QDA} {
		b := newBlock(gaussian.Options{Fields: 2, Kind: kind, Digits: gaussian.DefaultDigits})
		learnRows(b, 0, numbers(1, 2))
		b.Prepare([]int{0})
		for _, class := range []int{0, 1} {
			if mean, _, ok := b.Normal(class); ok {
				t.Errorf("kind %v: class %d of one row has the mean %v and a covariance", kind, class, mean)
			}
		}
	}
}
