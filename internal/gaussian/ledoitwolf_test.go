package gaussian_test

import (
	"testing"

	"bayestream/internal/gaussian"
)

func TestLedoitWolfRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		rows  [][]float64
		class []int
	}{
		"no rows":              {nil, nil},
		"a class without rows": {[][]float64{{1}, {2}}, []int{0, 0}},
		"one value":            {[][]float64{{1}, {1}, {1}, {1}}, []int{0, 0, 1, 1}},
	} {
		if _, err := gaussian.FitLedoitWolf(c.rows, c.class, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
