package smoothing_test

import (
	"fmt"
	"math"
	"testing"

	"bayestream/internal/smoothing"
)

// Two red balls and one blue were drawn. Laplace's estimate adds alpha imagined draws of each
// colour: a little smoothing for alpha = 1, nearly none of the evidence left for alpha = 100.
func ExampleLogs() {
	for _, alpha := range []float64{0, 1, 100} {
		logs := smoothing.NewLogs(alpha)
		red := math.Exp(logs.Log(2) - logs.LogTotal(3, 2))
		blue := math.Exp(logs.Log(1) - logs.LogTotal(3, 2))
		fmt.Printf("alpha=%g: red %.4f blue %.4f\n", alpha, red, blue)
	}
	// Output:
	// alpha=0: red 0.6667 blue 0.3333
	// alpha=1: red 0.6000 blue 0.4000
	// alpha=100: red 0.5025 blue 0.4975
}

func TestLogsEqualLog(t *testing.T) {
	for _, alpha := range []float64{1e-9, 0.01, 1, 100} {
		logs := smoothing.NewLogs(alpha)
		for _, n := range []int64{0, 1, 2, 4095, 4096, 4097, 1 << 40} {
			if got, want := logs.Log(n), math.Log(float64(n)+alpha); got != want {
				t.Errorf("alpha %g, n %d: got %v, want %v", alpha, n, got, want)
			}
		}
	}
}

func TestEstimatesSumToOne(t *testing.T) {
	n := []int64{0, 3, 17, 1}
	for _, alpha := range []float64{0.01, 1, 7.5} {
		logs := smoothing.NewLogs(alpha)
		sum := 0.0
		for _, x := range n {
			sum += math.Exp(logs.Log(x) - logs.LogTotal(21, len(n)))
		}
		if math.Abs(sum-1) > 1e-15 {
			t.Errorf("alpha %g: got sum %v, want 1", alpha, sum)
		}
	}
}
