package neighbors_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bayestream/internal/tools/lab/neighbors"

	"pgregory.net/rapid"
)

// TestNearestBySorting draws coarse numbers, so that many distances are equal.
func TestNearestBySorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 3).Draw(t, "fields")
		row := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 3).Draw(t, "x")) }), d, d)
		rows := rapid.SliceOfN(row, 1, 20).Draw(t, "rows")
		labels := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), len(rows), len(rows)).Draw(t, "labels")
		x := row.Draw(t, "x")
		k := rapid.IntRange(1, len(rows)).Draw(t, "k")
		r := neighbors.New(rows, labels)
		square := func(i int) (sum float64) {
			for j := range x {
				sum += (rows[i][j] - x[j]) * (rows[i][j] - x[j])
			}
			return sum
		}
		order := make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(square(a) - square(b)) })
		got := r.Nearest(x, k)
		if len(got) != k {
			t.Fatalf("%d neighbours, want %d", len(got), k)
		}
		for i, n := range got {
			if n.Distance != math.Sqrt(square(order[i])) || r.Classes()[n.Class] != labels[order[i]] {
				t.Fatalf("neighbour %d is %+v, want row %d", i, n, order[i])
			}
		}
		checkBayes(t, r, x, k, labels)
	})
}

// checkBayes checks that the densities of the classes, weighted by the shares of the classes, sum
// to the density and give the posterior.
func checkBayes(t *rapid.T, r *neighbors.Rows, x []float64, k int, labels []string) {
	posterior := r.Posterior(x, k)
	densities := r.LogDensities(x, k)
	density := r.LogDensity(x, k)
	sum := 0.0
	for j, p := range posterior {
		sum += p
		n := 0
		for _, l := range labels {
			if l == r.Classes()[j] {
				n++
			}
		}
		if math.IsNaN(densities[j]) {
			t.Fatalf("densities %v", densities)
		}
		if math.IsInf(density, 1) {
			continue
		}
		if got := math.Exp(densities[j]-density) * float64(n) / float64(len(labels)); math.Abs(got-p) > 1e-9 {
			t.Fatalf("class %s: p(x|j) P(j) / p(x) = %v, posterior %v", r.Classes()[j], got, p)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Fatalf("posteriors sum to %v", sum)
	}
}

func TestLabelTies(t *testing.T) {
	r := neighbors.New([][]float64{{1}, {-1}}, []string{"b", "a"})
	if p := r.Posterior([]float64{0}, 2); r.Label(p) != "a" {
		t.Errorf("posterior %v gives %s; want a", p, r.Label(p))
	}
	if p := r.Posterior([]float64{0}, 1); r.Label(p) != "b" {
		t.Errorf("posterior %v gives %s; want b: of equal distances the lower row comes first", p, r.Label(p))
	}
}

// Of the three rows nearest to 2.5, at 2, 3 and 1, two are red; the ball from 1 to 4 has the volume
// 3.
func ExampleRows() {
	r := neighbors.New([][]float64{{1}, {2}, {3}, {7}, {9}, {10}}, []string{"red", "red", "blue", "blue", "blue", "blue"})
	posterior := r.Posterior([]float64{2.5}, 3)
	density := r.LogDensity([]float64{2.5}, 3)
	fmt.Printf("%s: %.3f, density %.4f = 3/(6 x 3)\n", r.Label(posterior), posterior[1], math.Exp(density))
	// Output: red: 0.667, density 0.1667 = 3/(6 x 3)
}
