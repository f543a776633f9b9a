package main

import (
	"fmt"
	"strconv"
	"strings"

	"bayestream/bench/timing"
)

// ratio returns the median of the ratios of two series by round; a disturbance slows both series of
// its round.
func ratio(a, b []float64) float64 {
	var all []float64
	for i := range min(len(a), len(b)) {
		all = append(all, a[i]/b[i])
	}
	return timing.Median(all)
}

// numbers parses whole numbers separated by commas, such as "10000,1e6".
func numbers(list string) (out []int, err error) {
	for part := range strings.SplitSeq(list, ",") {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil || x < 1 || x != float64(int(x)) {
			return nil, fmt.Errorf("%q is not a whole number above 0", part)
		}
		out = append(out, int(x))
	}
	return out, nil
}

// anonymous returns the megabytes of RssAnon in the text of /proc/self/status.
func anonymous(status string) (float64, error) {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			return float64(kib) * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no RssAnon: want Linux 4.5 or newer")
}

// processor returns the processor seconds that work uses, of all threads.
func processor(work func() error) (seconds float64, err error) {
	start := timing.ProcessorSeconds()
	err = work()
	return timing.ProcessorSeconds() - start, err
}
