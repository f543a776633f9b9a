package demo

import (
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/lab/dataset"
)

// recentWindow is the number of decisions of the recent accuracy.
const recentWindow = 200

// outcome is a decision with its record.
type outcome struct {
	item     item
	decision model.Decision
	correct  bool
}

// score counts decisions and how many of them are correct.
type score struct {
	learned, labelled, correct, dead int64
	recent                           []outcome // the last recentWindow
	status                           map[string]int64
	order                            dataset.Order // of the source
	view                             *view
	started                          time.Time
	state                            string // folder of the model files; "": removed at the end
	before                           int64  // documents that the model had at the start
}

// decided adds the decision of a record.
func (s *score) decided(x item, answer *wire.Decision) {
	o := outcome{item: x, decision: answer.Decision, correct: answer.Decision.Labelled && answer.Decision.Label == x.Label}
	s.labelled++
	if o.correct {
		s.correct++
	}
	if s.status == nil {
		s.status = map[string]int64{}
	}
	s.status[o.decision.Status]++
	s.recent = append(s.recent, o)
	if len(s.recent) > 2*recentWindow {
		s.recent = append(s.recent[:0], s.recent[len(s.recent)-recentWindow:]...)
	}
}

// last returns the newest n outcomes, oldest first.
func (s *score) last(n int) []outcome { return s.recent[max(0, len(s.recent)-n):] }

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// recentAccuracy returns the accuracy of the last recentWindow decisions.
func (s *score) recentAccuracy() float64 {
	var right, n int64
	for _, o := range s.last(recentWindow) {
		n++
		if o.correct {
			right++
		}
	}
	return ratio(right, n)
}

func (s *score) summary() Summary {
	return Summary{
		Learned: s.learned, Labelled: s.labelled, DeadLetters: s.dead, Correct: s.correct, Accuracy: ratio(s.correct,
			s.labelled),
		Seconds: time.Since(s.started).Seconds(), State: s.state, LearnedBefore: s.before,
	}
}
