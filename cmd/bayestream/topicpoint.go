package main

import (
	"fmt"

	"bayestream/internal/shell/stream"
)

// topicPoint is where to begin in a topic of several partitions: start, end, or a time in the forms
// of a logPoint.
type topicPoint struct{ stream.TailStart }

// UnmarshalText reads the value of a flag.
func (p *topicPoint) UnmarshalText(text []byte) error {
	*p = topicPoint{}
	switch string(text) {
	case "start":
		return nil
	case "end":
		p.End = true
		return nil
	}
	var at logPoint
	if err := at.UnmarshalText(text); err != nil || at.at.IsZero() {
		return fmt.Errorf("%q is neither start nor end nor a time: want 2026-11-22T10:30:00Z, "+
			"2026-11-22 10:30, or 2h for two hours ago", text)
	}
	p.Time = at.at
	return nil
}
