package gaussian_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bayestream/internal/gaussian"
)

// TestPrepareAfterChanges: a block that fits what has changed equals one that fits all of it,
// whatever the densities of the classes depend on.
func TestPrepareAfterChanges(t *testing.T) {
	for _, o := range []gaussian.Options{
		{Fields: 2}, {Fields: 2, VarSmoothing: 0.1}, {Fields: 2, Variance: gaussian.Shared}, {Fields: 2, Kind: gaussian.QDA},
	} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			o.Digits = gaussian.DefaultDigits
			rnd := rand.New(rand.NewPCG(1, 2))
			const classes = 4
			sums := make([]*gaussian.Sums, classes)
			for c := range sums {
				sums[c] = gaussian.NewSums(o.Fields, o.Full())
			}
			changed := newBlock(o)
			for step := range 200 {
				if from, into := rnd.IntN(classes), rnd.IntN(classes); step%20 == 19 && from != into {
					changed.Merge(from, into)
					sums[into].Add(sums[from])
					sums[from] = gaussian.NewSums(o.Fields, o.Full())
				}
				row := gaussian.NewSums(o.Fields, o.Full())
				row.Observe(numbers(float64(rnd.IntN(50)), float64(rnd.IntN(7))), 1)
				c := rnd.IntN(classes)
				changed.Add(c, row)
				sums[c].Add(row)
				if step%7 == 6 { // all of a class is gone
					empty := gaussian.NewSums(o.Fields, o.Full())
					for i := range sums[c].N {
						empty.N[i] = -sums[c].N[i]
					}
					for i := range sums[c].Sum {
						empty.Sum[i] = sums[c].Sum[i].Neg()
					}
					for i := range sums[c].Products {
						empty.Products[i] = sums[c].Products[i].Neg()
					}
					changed.Add(c, empty)
					sums[c] = gaussian.NewSums(o.Fields, o.Full())
				}
				anew := newBlock(o)
				var live []int
				for c, s := range sums {
					anew.Add(c, s)
					if !s.IsZero() {
						live = append(live, c)
					}
				}
				changed.Prepare(live)
				anew.Prepare(live)
				x, buf := numbers(3, 4), make([]float64, o.Fields)
				got, want := make([]float64, classes), make([]float64, classes)
				if a, b := changed.LogLikelihood(got, live, x, buf), anew.LogLikelihood(want, live, x, buf); a != b || !slices.Equal(got, want) {
					t.Fatalf("step %d: %v %v, want %v %v", step, a, got, b, want)
				}
			}
		})
	}
}
