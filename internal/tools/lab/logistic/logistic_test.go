package logistic_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/logistic"

	"pgregory.net/rapid"
)

// worst returns the largest difference, relative to max(1, |want|).
func worst(got, want []float64) float64 {
	w := 0.0
	for i := range want {
		w = max(w, math.Abs(got[i]-want[i])/max(1, math.Abs(want[i])))
	}
	return w
}

// table is a training set of 2 to 4 classes that overlap.
type table struct {
	rows   [][]float64
	labels []string
}

func tables() *rapid.Generator[table] {
	return rapid.Custom(func(t *rapid.T) table {
		classes := rapid.IntRange(2, 4).Draw(t, "classes")
		fields := rapid.IntRange(1, 3).Draw(t, "fields")
		var out table
		for i := range rapid.IntRange(classes, 25).Draw(t, "rows") {
			out.rows = append(out.rows, rapid.SliceOfN(rapid.Float64Range(-3, 3), fields, fields).Draw(t, "row"))
			out.labels = append(out.labels, class(i%classes))
		}
		return out
	})
}

func class(c int) string { return fmt.Sprintf("class%d", c) }

// objective computes what Fit minimises from the definition.
func objective(t *rapid.T, m *logistic.Model, in table, c float64) float64 {
	sum := 0.0
	for _, w := range m.Weights {
		for _, v := range w {
			sum += v * v / 2
		}
	}
	for i, x := range in.rows {
		lp := m.LogPosterior(x)
		total := 0.0
		for _, v := range lp {
			total += math.Exp(v)
		}
		if math.Abs(total-1) > 1e-12 {
			t.Fatalf("posteriors sum to %v", total)
		}
		sum -= c * lp[slices.Index(m.Classes, in.labels[i])]
	}
	return sum
}

// TestMinimum: no step from the fit, in any direction, makes the objective smaller.
func TestMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := tables().Draw(t, "table")
		c := rapid.SampledFrom([]float64{0.01, 1, 100}).Draw(t, "C")
		m, err := logistic.Fit(in.rows, in.labels, c)
		if err != nil {
			t.Fatal(err)
		}
		best := objective(t, m, in, c)
		for range 10 {
			size := rapid.SampledFrom([]float64{1e-3, 0.1, 1}).Draw(t, "size")
			other := *m
			other.Weights = nil
			other.Intercept = slices.Clone(m.Intercept)
			for k, w := range m.Weights {
				w = slices.Clone(w)
				for j := range w {
					w[j] += size * rapid.Float64Range(-1, 1).Draw(t, "step")
				}
				other.Weights = append(other.Weights, w)
				other.Intercept[k] += size * rapid.Float64Range(-1, 1).Draw(t, "step")
			}
			if got := objective(t, &other, in, c); got < best-1e-9*max(1, best) {
				t.Fatalf("another choice has the objective %v, the fit %v", got, best)
			}
		}
		if len(m.Weights) == 1 {
			return
		}
		// The penalty is least where the logits of each field, which softmax fixes up to a shift, sum to
		// 0.
		for j := range in.rows[0] {
			sum := 0.0
			for _, w := range m.Weights {
				sum += w[j]
			}
			if math.Abs(sum) > 1e-7 {
				t.Fatalf("the weights of field %d sum to %v", j, sum)
			}
		}
	})
}

// TestTinyFields: the penalty of a field of very small numbers has 14 orders of magnitude more
// curvature than the rest.
func TestTinyFields(t *testing.T) {
	rows := [][]float64{{5.960464477539063e-08, 1}, {5.960464477539063e-08, 1}, {5.960464477539063e-08, 1.125}, {4.470348358154297e-08, 1}, {1.4901161193847656e-08, 1}, {6.51925802230835e-09, -1}}
	labels := []string{"class0", "class1", "class2", "class3", "class0", "class1"}
	for _, c := range []float64{0.01, 1, 100, 1e6} {
		if _, err := logistic.Fit(rows, labels, c); err != nil {
			t.Errorf("C %v: %v", c, err)
		}
		if _, err := logistic.Fit([][]float64{{1.4916681462400413e-154, 2}, {0, 1}}, []string{"class0", "class1"}, c); err != nil {
			t.Errorf("numbers whose squares underflow, C %v: %v", c, err)
		}
	}
}

// TestUnitsDoNotMatter: with standardisation neither unit nor origin of a field changes the fit,
// and a constant field has no weight.
func TestUnitsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := tables().Draw(t, "table")
		scale := rapid.Float64Range(0.5, 100).Draw(t, "scale")
		shift := rapid.Float64Range(-50, 50).Draw(t, "shift")
		other := table{labels: in.labels}
		for i, row := range in.rows {
			in.rows[i] = []float64{math.Round(row[0] * 100), 7}
			other.rows = append(other.rows, []float64{in.rows[i][0]*scale + shift, 7})
		}
		m, err := logistic.Fit(in.rows, in.labels, 1)
		if err != nil {
			t.Fatal(err)
		}
		n, err := logistic.Fit(other.rows, other.labels, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range in.rows {
			got, want := n.LogPosterior(other.rows[i]), m.LogPosterior(in.rows[i])
			if worst(got, want) > 1e-6 {
				t.Fatalf("row %d: got %v, want %v", i, got, want)
			}
		}
		for _, w := range m.Weights {
			if w[1] != 0 {
				t.Fatalf("a field of one value has the weight %v", w[1])
			}
		}
	})
}

// TestHardFits: fields of very different units as they are, and classes that a plane separates.
func TestHardFits(t *testing.T) {
	var in table
	for i := range 400 {
		x := float64(i)
		in.rows = append(in.rows, []float64{1e6 * math.Sin(x), math.Exp(3 * math.Cos(7*x)), 1e-3 * math.Sin(3*x)})
		in.labels = append(in.labels, class(int(2+2*math.Sin(x)+math.Cos(5*x))%3))
	}
	for _, c := range []float64{1, 1e6, 1e-6} {
		if _, err := logistic.Fit(in.rows, in.labels, c); err != nil {
			t.Errorf("C %v: %v", c, err)
		}
	}
	apart, err := logistic.Fit([][]float64{{-2}, {-1}, {1}, {2}}, []string{"a", "a", "b", "b"}, 1e4)
	if err != nil {
		t.Fatal(err)
	}
	if lp := apart.LogPosterior([]float64{1000}); math.IsInf(lp[0], 0) || lp[1] > 0 || apart.Label(lp) != "b" {
		t.Errorf("got %v", lp)
	}
}

func TestOneClass(t *testing.T) {
	_, err := logistic.Fit([][]float64{{1}}, []string{"a"}, 1)
	if err == nil || !strings.Contains(err.Error(), "at least two classes") {
		t.Errorf("got %v", err)
	}
}
