package neighbors_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
		r, err := neighbors.New(rows, labels)
		if err != nil {
			t.Fatal(err)
		}
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
		got, err := r.AppendNearest(make([]neighbors.Neighbor, 1), x, k)
		if err != nil || len(got) != k+1 {
			t.Fatalf("%d neighbours: %v", len(got)-1, err)
		}
		for i, n := range got[1:] {
			if n.Row != order[i] || n.Distance != math.Sqrt(square(n.Row)) || r.Classes()[n.Class] != labels[n.Row] {
				t.Fatalf("neighbour %d is %+v, want row %d", i, n, order[i])
			}
		}
		checkBayes(t, r, x, k, labels)
	})
}

// checkBayes checks that the densities of the classes, weighted by the shares of the classes, sum
// to the density and give the posterior.
func checkBayes(t *rapid.T, r *neighbors.Rows, x []float64, k int, labels []string) {
	posterior, err := r.AppendPosterior(nil, x, k)
	if err != nil {
		t.Fatal(err)
	}
	densities, err := r.AppendLogDensities(nil, x, k)
	if err != nil {
		t.Fatal(err)
	}
	density, err := r.LogDensity(x, k)
	if err != nil {
		t.Fatal(err)
	}
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
	r, err := neighbors.New([][]float64{{1}, {-1}}, []string{"b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.AppendPosterior(nil, []float64{0}, 2)
	if err != nil || r.Label(p) != "a" {
		t.Errorf("posterior %v gives %s, %v; want a", p, r.Label(p), err)
	}
	p, err = r.AppendPosterior(nil, []float64{0}, 1)
	if err != nil || r.Label(p) != "b" {
		t.Errorf("posterior %v gives %s, %v; want b: of equal distances the lower row comes first", p, r.Label(p), err)
	}
}

func TestRefusals(t *testing.T) {
	one := [][]float64{{1, 2}}
	for want, f := range map[string]func() error{
		"no training rows":     func() error { _, err := neighbors.New(nil, nil); return err },
		"1 training rows have": func() error { _, err := neighbors.New(one, nil); return err },
		"row 1 has 1 numbers":  func() error { _, err := neighbors.New([][]float64{{1, 2}, {1}}, []string{"a", "b"}); return err },
		"row 0 has 0 numbers":  func() error { _, err := neighbors.New([][]float64{{}}, []string{"a"}); return err },
		"number 1 is NaN":      func() error { _, err := neighbors.New([][]float64{{1, math.NaN()}}, []string{"a"}); return err },
		"0 nearest of 1":       func() error { return ask(t, []float64{1, 2}, 0) },
		"2 nearest of 1":       func() error { return ask(t, []float64{1, 2}, 2) },
		"row has 1 numbers":    func() error { return ask(t, []float64{1}, 1) },
		"number 0 is +Inf":     func() error { return ask(t, []float64{math.Inf(1), 0}, 1) },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// ask returns the error of asking one row, which all ways of asking must give.
func ask(t *testing.T, x []float64, k int) error {
	r, err := neighbors.New([][]float64{{1, 2}}, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.AppendPosterior(nil, x, k)
	_, density := r.LogDensity(x, k)
	_, densities := r.AppendLogDensities(nil, x, k)
	if err == nil || density == nil || densities == nil || err.Error() != density.Error() || err.Error() != densities.Error() {
		t.Errorf("errors differ: %v, %v, %v", err, density, densities)
	}
	return err
}

// Of the three rows nearest to 2.5, at 2, 3 and 1, two are red; the ball from 1 to 4 has the volume
// 3.
func ExampleRows() {
	r, err := neighbors.New([][]float64{{1}, {2}, {3}, {7}, {9}, {10}}, []string{"red", "red", "blue", "blue", "blue", "blue"})
	if err != nil {
		fmt.Println(err)
		return
	}
	posterior, err := r.AppendPosterior(nil, []float64{2.5}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	density, err := r.LogDensity([]float64{2.5}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %.3f, density %.4f = 3/(6 x 3)\n", r.Label(posterior), posterior[1], math.Exp(density))
	// Output: red: 0.667, density 0.1667 = 3/(6 x 3)
}
