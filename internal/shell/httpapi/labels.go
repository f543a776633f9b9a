package httpapi

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// labelled counts by class. The first maxClasses classes have a series of their own, the others are
// summed as otherClasses.
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
