package main

import (
	"fmt"
	"slices"

	"bayestream/internal/core/model"
)

// part is a part of a stream.
type part int

const (
	before part = iota // the drift
	behind
	again // documents from behind the drift that were learned already
	parts
)

// figures are what streams of one kind come to.
type figures struct {
	learned, scored, errors [parts]int64
	alarms                  [parts]int64
	delays                  []int64 // records from the drift to the first alarm behind it
}

// watch has a delta of one stream learned, and adds what comes of it.
func (f *figures) watch(l *learner, at part, n int, read func(*model.Features) string) error {
	found := l.state.Drift().Found
	if err := l.learn(n, read); err != nil {
		return err
	}
	f.learned[at] += int64(n)
	f.scored[at] += l.trial.Sums.Scored
	f.errors[at] += l.trial.Sums.Decided.Errors
	if l.state.Drift().Found == found {
		return nil
	}
	f.alarms[at]++
	if at > before && !f.isFound() {
		f.delays = append(f.delays, f.learned[behind]+f.learned[again])
	}
	return nil
}

// isFound reports whether the drift of a stream is found.
func (f *figures) isFound() bool { return len(f.delays) > 0 }

// add adds those of a stream.
func (f *figures) add(o *figures) {
	for at := range parts {
		f.learned[at] += o.learned[at]
		f.scored[at] += o.scored[at]
		f.errors[at] += o.errors[at]
		f.alarms[at] += o.alarms[at]
	}
	f.delays = append(f.delays, o.delays...)
}

// rate returns the error rate of a part, "" if nothing of it was scored.
func (f *figures) rate(at part) string {
	if f.scored[at] == 0 {
		return ""
	}
	return fmt.Sprintf("%.4f", float64(f.errors[at])/float64(f.scored[at]))
}

// delay returns the median and the most of the delays, as cells of a row.
func (f *figures) delay() string {
	if len(f.delays) == 0 {
		return "| |"
	}
	slices.Sort(f.delays)
	return fmt.Sprintf("%d | %d |", f.delays[len(f.delays)/2], f.delays[len(f.delays)-1])
}
