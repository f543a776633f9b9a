package main

import (
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
)

func TestSummarise(t *testing.T) {
	var times []time.Duration
	for i := range 200 {
		times = append(times, time.Duration(200-i)*time.Millisecond)
	}
	if got, want := summarise(times), (summary{P50: 100, P90: 180, P99: 198, Max: 200}); got != want {
		t.Errorf("of 1 to 200 ms: %+v, want %+v", got, want)
	}
	if got, want := summarise(times[:1]), (summary{P50: 200, P90: 200, P99: 200, Max: 200}); got != want {
		t.Errorf("of one time: %+v, want %+v", got, want)
	}
	if got := summarise(nil); got != (summary{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestParse reads what classify writes.
func TestParse(t *testing.T) {
	d := &model.Decision{Label: "after", Labelled: true, Status: "ok"}
	s, ok := parse(new(wire.DecisionEncoder).Append(nil, "document-17", wire.Source{}, d))
	if !ok || s.n != 17 || s.label != "after" {
		t.Errorf("parse = %+v, %v", s, ok)
	}
	if s, ok := parse(new(wire.DecisionEncoder).Append(nil, "document-17", wire.Source{}, &model.Decision{Status: "empty"})); ok {
		t.Errorf("a decision without a label reads as %+v", s)
	}
}

// TestRun measures a few corrections on the embedded broker.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, options{corrections: 5, rate: 500, knowledge: 50, delivery: "exactly-once", commitEach: 10 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "5 corrections") || !strings.Contains(out.String(), "p99") {
		t.Errorf("it printed %q", out.String())
	}
}
