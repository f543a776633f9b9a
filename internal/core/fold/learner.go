package fold

import (
	"fmt"
	"strconv"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
)

// flushAt is how many documents are collected at most before they are added to the counts: adding
// prepares the model again.
const flushAt = 1000

// A Learner learns documents one after the other into a state that follows no log. Where candidates
// race it scores a document before it learns it, as ingest does with records of a stream: after 200
// documents the best candidate decides.
type Learner struct {
	state    *State
	pending  *model.Builder // what Learn has counted and the state has not
	admitted *model.Admission
	trial    *model.Trial
	judge    *model.Judge // nil: nothing corrects
	learned  int          // documents in pending
}

// NewLearner returns a learner into a state, which must have a model.
func NewLearner(s *State) *Learner {
	spec := s.Spec()
	return &Learner{state: s, pending: model.NewBuilder(spec), admitted: model.NewAdmission(spec), trial: model.NewTrial()}
}

// Correct has documents correct what Learn learns, where the spec has corrections. Nobody can take
// them out again: it is for those who never unlearn.
func (l *Learner) Correct() { l.judge = model.NewJudge() }

// Learn counts a document. The state holds it after Flush. A *model.TooManyClassesError is about
// this document, which is not counted.
func (l *Learner) Learn(label string, weight int64, f *model.Features) error {
	classes := l.state.Model().Classes()
	id, known := classes.ID(label)
	known = known && classes.Documents(id) > 0 // a class that was emptied is new
	if err := l.admitted.Admit(label, known, len(classes.Live())); err != nil {
		return err
	}
	if !known {
		l.admitted.Add(label)
	}
	documents := classes.Total()
	l.score(label, f, documents+int64(l.learned))
	l.pending.Observe(label, weight, f)
	if l.judge != nil {
		l.judge.Correct(l.state.Model(), l.pending, label, weight, f, keyOf(documents+int64(l.learned)))
	}
	l.learned++
	if l.learned >= l.most(documents) {
		return l.Flush()
	}
	return nil
}

// Unlearn takes a document out, after a Flush. The error is counts.ErrNegative or
// model.ErrInconsistent if the counts cannot hold the document; they stay as they are.
func (l *Learner) Unlearn(label string, weight int64, f *model.Features) error {
	if err := l.Flush(); err != nil {
		return err
	}
	b := model.NewBuilder(l.state.Spec())
	b.Observe(label, -weight, f)
	return l.state.Model().Apply(b.Delta())
}

// Pending reports whether the state lacks documents that Learn has counted.
func (l *Learner) Pending() bool { return l.learned > 0 }

// Flush adds what Learn has counted to the state.
func (l *Learner) Flush() error {
	if l.learned == 0 {
		return nil
	}
	err := l.state.Model().Apply(l.pending.Delta())
	l.pending.Reset()
	l.admitted.Reset()
	l.learned = 0
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	if scores := ScoresOf(l.trial); scores != nil {
		l.state.Score(scores)
		l.trial.Reset()
	}
	return nil
}

// score scores a document under the candidates of a race, if it is drawn. It will be the number-th
// of the model. Where nothing races score does nothing.
func (l *Learner) score(label string, f *model.Features, number int64) {
	s := l.state
	if !l.races() || !l.trial.Draws(s.Model(), number, keyOf(number)) {
		return
	}
	l.trial.Use(s.Race().List())
	l.trial.Race(s.Model(), s.Race(), f, label)
}

// keyOf returns what draws the number-th document.
func keyOf(number int64) digest.Sum { return digest.HashString(strconv.FormatInt(number, 10)) }

func (l *Learner) races() bool {
	r := l.state.Race()
	return r != nil && len(r.List().Scored()) > 0
}

// most returns how many documents are collected: where candidates race few beside those that the
// model has, so that none is scored by a model that is far behind.
func (l *Learner) most(documents int64) int {
	if !l.races() {
		return flushAt
	}
	return int(min(flushAt, race.MostAhead(documents)))
}
