package timing

import "testing"

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3}, 3}, {[]float64{4, 1, 3, 2}, 2.5}, {[]float64{8, 1, 2, 4}, 3},
	} {
		if got := Median(c.values); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.values, got, c.want)
		}
	}
}

// The clock advances while the processor works.
func TestProcessorSeconds(t *testing.T) {
	start := ProcessorSeconds()
	for ProcessorSeconds() == start {
	}
	if end := ProcessorSeconds(); end < start {
		t.Errorf("it went back from %v to %v", start, end)
	}
}
