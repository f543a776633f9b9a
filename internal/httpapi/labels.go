package httpapi

import (
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// labelled counts by class. The first maxClasses classes have a series of their own, the others are summed as
// otherClasses.
type labelled struct {
	by *prometheus.CounterVec

	mu    sync.RWMutex
	known map[string]prometheus.Counter
}

func (l *labelled) add(class string) {
	l.mu.RLock()
	c := l.known[class]
	l.mu.RUnlock()
	if c == nil {
		c = l.begin(class)
	}
	c.Inc()
}

// begin returns the series of a class that is counted for the first time.
func (l *labelled) begin(class string) prometheus.Counter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]prometheus.Counter{}
	}
	if len(l.known) >= maxClasses && l.known[class] == nil {
		return l.by.WithLabelValues(otherClasses)
	}
	c := l.by.WithLabelValues(label(class))
	l.known[class] = c
	return c
}

var (
	descPrecision = describe("prequential_window_precision_ratio", "Of the training records in the sliding window for which the model decided a class, the share that has it as label.", "class")
	descRecall    = describe("prequential_window_recall_ratio", "Of the training records in the sliding window that have a class as label, the share for which the model decided it.", "class")
)

// classScores are the hits of one class among scored records.
type classScores struct{ labelled, decided, correct int }

// byClass counts the sliding window by class, whose names are fit for labels. Classes beyond the largest maxClasses are left out.
func (p *prequential) byClass() map[string]classScores {
	p.mu.Lock()
	all := map[string]classScores{}
	for i := range p.filled {
		s := &p.recent[i]
		name := label(s.truth)
		truth := all[name]
		truth.labelled++
		if s.truth == s.decided {
			truth.correct++
		}
		all[name] = truth
		if s.decided == "" {
			continue
		}
		name = label(s.decided)
		decided := all[name]
		decided.decided++
		all[name] = decided
	}
	p.mu.Unlock()
	size := func(name string) classSize { return classSize{name, int64(all[name].labelled)} }
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return bySize(size(a), size(b)) })
	for _, name := range names[min(len(names), maxClasses):] {
		delete(all, name)
	}
	return all
}

// Describe names the scores by class.
func (p *prequential) Describe(to chan<- *prometheus.Desc) {
	to <- descPrecision
	to <- descRecall
}

// Collect computes the scores by class. A class that was never decided has no precision, and one without a record no
// recall.
func (p *prequential) Collect(to chan<- prometheus.Metric) {
	for name, s := range p.byClass() {
		if s.decided > 0 {
			to <- prometheus.MustNewConstMetric(descPrecision, prometheus.GaugeValue, float64(s.correct)/float64(s.decided), name)
		}
		if s.labelled > 0 {
			to <- prometheus.MustNewConstMetric(descRecall, prometheus.GaugeValue, float64(s.correct)/float64(s.labelled), name)
		}
	}
}
