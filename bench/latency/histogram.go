package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// edges are the times above which the shares are printed.
var edges = []time.Duration{time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	50 * time.Millisecond}

// histogram is a distribution of times.
type histogram struct {
	mutex sync.Mutex
	times []time.Duration
}

func (h *histogram) add(d time.Duration) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.times = append(h.times, d)
}

// above returns how many times are above a limit.
func (h *histogram) above(limit time.Duration) (n int) {
	for _, d := range h.times {
		if d > limit {
			n++
		}
	}
	return n
}

func (h *histogram) print(w io.Writer, name string) error {
	s := summarise(h.times)
	_, err := fmt.Fprintf(w, "  %-22s %8d %8.2f %8.2f %8.2f              ", name, len(h.times), s.P50, s.P99, s.Max)
	for _, edge := range edges {
		fmt.Fprintf(w, " %6.2f%%", 100*float64(h.above(edge))/float64(max(1, len(h.times))))
	}
	fmt.Fprintln(w)
	return err
}
