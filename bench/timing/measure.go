// Package timing is what the benchmarks have in common: the processor's clock, and the middle of several rounds.
package timing

import (
	"slices"
	"syscall"
)

// ProcessorSeconds returns the processor time of this process so far, of all its threads, in seconds.
func ProcessorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // RUSAGE_SELF and a valid address
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Median returns the middle of the values, or the mean of the two in the middle; 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
