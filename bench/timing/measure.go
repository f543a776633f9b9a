// Package timing has the clock of the benchmarks, in processor seconds, and the median of their
// rounds.
package timing

import "slices"

// Median returns the median of the values; 0 if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
