package demo

import (
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
)

// The accuracy is over all decisions, the recent accuracy over the last recentWindow.
func TestScore(t *testing.T) {
	s := &score{}
	if s.recentAccuracy() != 0 {
		t.Errorf("got accuracy %v before any decision", s.recentAccuracy())
	}
	decide := func(d model.Decision, n int) {
		for range n {
			s.decided(item{Label: "spam"}, &wire.Decision{Decision: d})
		}
	}
	decide(model.Decision{Labelled: true, Label: "ham", Status: model.StatusOK}, 3*recentWindow)
	decide(model.Decision{Label: "spam", Status: model.StatusCold}, recentWindow/2) // no label: not correct
	decide(model.Decision{Labelled: true, Label: "spam", Status: model.StatusOK}, recentWindow/2)
	if got := s.summary(); got.Labelled != 4*recentWindow || got.Correct != recentWindow/2 || got.Accuracy != 0.125 {
		t.Errorf("got %+v", got)
	}
	if s.recentAccuracy() != 0.5 || len(s.recent) > 2*recentWindow {
		t.Errorf("got recent accuracy %v of %d outcomes", s.recentAccuracy(), len(s.recent))
	}
	if s.status[model.StatusOK] != 7*recentWindow/2 || s.status[model.StatusCold] != recentWindow/2 {
		t.Errorf("got %v", s.status)
	}
}
