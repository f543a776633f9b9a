package evaluate_test

import (
	"math"
	"testing"

	"bayestream/internal/tools/lab/evaluate"

	"pgregory.net/rapid"
)

// TestStudent compares with the closed forms of Student's distribution for one and two degrees of
// freedom.
func TestStudent(t *testing.T) {
	tail := map[int]func(t float64) float64{ // both sides
		1: func(t float64) float64 { return 1 - 2*math.Atan(t)/math.Pi },
		2: func(t float64) float64 { return 1 - t/math.Sqrt(2+t*t) },
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3).Draw(t, "folds")
		share := rapid.Map(rapid.IntRange(0, 1_000_000), func(k int) float64 { return float64(k) / 1e6 })
		score := rapid.SliceOfN(share, n, n) // of a million documents: no closer to 0 or to each other
		a, b := score.Draw(t, "a"), score.Draw(t, "b")
		testShare := rapid.SampledFrom([]float64{0, 1.0 / 9, 0.5}).Draw(t, "test share")
		p, err := evaluate.ComparePaired(a, b, testShare)
		if err != nil {
			t.Fatal(err)
		}
		var d []float64
		for i := range a {
			d = append(d, a[i]-b[i])
		}
		m, squares := mean(d), 0.0
		for _, x := range d {
			squares += (x - m) * (x - m)
		}
		if squares == 0 || m == 0 {
			return
		}
		size := m / math.Sqrt((1/float64(n)+testShare)*squares/float64(n-1))
		// Where the differences hardly differ, the rounding of their mean is much of what they differ by.
		if math.Abs(float64(p.T)/size-1) > 1e-9+1e-15*math.Abs(size) || p.Freedom != n-1 {
			t.Fatalf("got t = %v with %d degrees of freedom, want %v with %d", p.T, p.Freedom, size, n-1)
		}
		if want := tail[n-1](math.Abs(size)); math.Abs(float64(p.P)-want) > 1e-9 {
			t.Fatalf("t = %v: got p = %v, want %v", p.T, p.P, want)
		}
		other, _ := evaluate.ComparePaired(b, a, testShare)
		if other.P != p.P || other.T != -p.T {
			t.Fatalf("the other way round: %+v, want the opposite of %+v", other, p)
		}
	})
}

// TestStudentOfNearlyNothing: a t next to 0 keeps its digits.
func TestStudentOfNearlyNothing(t *testing.T) {
	p, err := evaluate.ComparePaired([]float64{1, 2.384185791015625e-07, 2.384185791015625e-07}, []float64{2.384185791015625e-07, 1, 1.7881393432617188e-07}, 0)
	if err != nil {
		t.Fatal(err)
	}
	size := math.Abs(float64(p.T))
	if want := 1 - size/math.Sqrt(2+size*size); math.Abs(float64(p.P)-want) > 1e-12 {
		t.Errorf("t = %v: got p = %v, want %v", p.T, p.P, want)
	}
}

// TestCorrectionIsCautious: ten folds that agree by chance convince the plain test, not the
// corrected.
func TestCorrectionIsCautious(t *testing.T) {
	a := []float64{0.91, 0.93, 0.9, 0.92, 0.94, 0.91, 0.92, 0.9, 0.93, 0.92}
	b := []float64{0.9, 0.92, 0.905, 0.91, 0.92, 0.905, 0.915, 0.905, 0.92, 0.915}
	plain, err := evaluate.ComparePaired(a, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	corrected, err := evaluate.ComparePaired(a, b, 1.0/9)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ratio of t", float64(plain.T/corrected.T), math.Sqrt((0.1+1.0/9)/0.1))
	if plain.P > 0.05 || corrected.P < 0.05 {
		t.Errorf("plain p = %v, corrected p = %v", plain.P, corrected.P)
	}
}

func TestCompareEqualModels(t *testing.T) {
	same, err := evaluate.ComparePaired([]float64{0.9, 0.8}, []float64{0.9, 0.8}, 0.5)
	if err != nil || same.P != 1 || same.T != 0 {
		t.Errorf("got %+v, %v", same, err)
	}
	shifted, err := evaluate.ComparePaired([]float64{0.75, 0.5}, []float64{0.5, 0.25}, 0.5) // no spread at all
	if err != nil || shifted.P != 0 || !math.IsInf(float64(shifted.T), 1) {
		t.Errorf("got %+v, %v", shifted, err)
	}
	if p, err := evaluate.ComparePaired([]float64{1}, []float64{1, 2}, 0); err == nil {
		t.Errorf("got %+v, want an error", p)
	}
}

func TestSummarise(t *testing.T) {
	s := evaluate.Summarise([]float64{1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4})
	if s.N != 4 || s.Mean != 1e9+2.5 || math.Abs(float64(s.SD)-math.Sqrt(5.0/3)) > 1e-12 {
		t.Errorf("got %+v", s)
	}
	if one := evaluate.Summarise([]float64{7}); one.Mean != 7 || !math.IsNaN(float64(one.SD)) {
		t.Errorf("got %+v", one)
	}
	if none := evaluate.Summarise(nil); !math.IsNaN(float64(none.Mean)) || !math.IsNaN(float64(none.SD)) {
		t.Errorf("got %+v", none)
	}
}
