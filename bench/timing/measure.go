// Package timing has the clock of the benchmarks, in processor seconds, and the median of their
// rounds.
package timing

import (
	"slices"
	"syscall"
)

// ProcessorSeconds returns the processor time that all threads of this process have used, in
// seconds.
func ProcessorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // RUSAGE_SELF and a valid address
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Median returns the median of the values; 0 if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
