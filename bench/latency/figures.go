package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// figures are the results of a measurement.
type figures struct {
	Corrections int
	Rate        int
	Documents   int64
	Seconds     float64
	Written     summary
	Changed     summary

	written, changed []time.Duration
}

// summary is a distribution of times in milliseconds.
type summary struct {
	P50 float64
	P90 float64
	P99 float64
	Max float64
}

// summarise returns the quantiles of the times by the nearest rank.
func summarise(times []time.Duration) summary {
	if len(times) == 0 {
		return summary{}
	}
	sorted := slices.Sorted(slices.Values(times))
	rank := func(percent int) float64 {
		i := (len(sorted)*percent+99)/100 - 1
		return float64(sorted[max(i, 0)].Microseconds()) / 1000
	}
	return summary{P50: rank(50), P90: rank(90), P99: rank(99), Max: rank(100)}
}

// print writes the figures as a table.
func (f *figures) print(w io.Writer) error {
	f.Written = summarise(f.written)
	f.Changed = summarise(f.changed)
	fmt.Fprintf(w, "%d corrections in %.1f s, %d documents sent meanwhile (%d/s asked for)\n", f.Corrections, f.Seconds,
		f.Documents, f.Rate)
	fmt.Fprintf(w, "%-46s %8s %8s %8s %8s\n", "milliseconds", "p50", "p90", "p99", "max")
	for _, row := range []struct {
		name string
		s    summary
	}{{"correction written (acknowledged)", f.Written}, {"first changed decision read, from its start", f.Changed}} {
		if _, err := fmt.Fprintf(w, "%-46s %8.1f %8.1f %8.1f %8.1f\n", row.name, row.s.P50, row.s.P90, row.s.P99,
			row.s.Max); err != nil {
			return err
		}
	}
	return nil
}
