// Package drift finds drifts of a stream, and what moved: the classes whose share or errors
// changed, and the words that rose and fell in them. All of it is computed in integers from the
// deltas of the log and the counts of the model, and so the same on every replica and every
// architecture.
package drift

import (
	"errors"
	"fmt"
	"math"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
)

// mostAlarms is how many alarms are kept.
const mostAlarms = 8

// State is what is known about drifts after a record of the log: Page's test (1954), which adds up
// how many more errors there are than a stream that has not changed would have, and begins again at
// 0 whenever there are fewer.
//
// The errors to expect are those of the records before, up to their upper limit of three standard
// deviations, and a quarter more. The test is for an error rate that rises: a model that learns
// errs less and less.
type State struct {
	Usual  Period  // says what to expect; halved at full records
	Excess int64   // errors above that, in race.Unit
	Rise   *Rise   // nil where the excess is small
	Found  int64   // drifts
	Alarms []Alarm // the newest, oldest first
}

// Period is what the decisions on the scored records of a while come to.
type Period struct {
	Scored, Errors int64
	Classes        race.Tallies
}

// Rise is what came since the excess is no longer small: since the stream changed, if that is a
// drift.
type Rise struct {
	Since Mark
	Period
	Learned Recent // of all records
}

const (
	// watched is how many records say what to expect before the test begins.
	watched = 500
	// full is how many records are halved, so that old ones weigh less.
	full = 1 << 14
	// alarming is the excess that is a drift. Chance reaches it once in some 10^9 records.
	alarming = 50 * race.Unit
	// rising is the excess up to which it is taken for chance, which brings it often, and for long.
	rising = 10 * race.Unit
)

// Mark is a place in the log.
type Mark struct {
	Offset int64
	Time   int64 // of the record of the log, in milliseconds
}

// Place says where a delta of the stream is: in the log, and in its source.
type Place struct {
	Mark
	Topic     string
	Partition int32
	End       int64 // the offset of the source after the delta
}

// Step is what a delta of the stream says.
type Step struct {
	Place
	Period // of records that were scored by the list in force
	Counts *model.Delta
}

// New returns the state before the first record.
func New() *State { return &State{Usual: Period{Classes: race.Tallies{}}} }

// Last returns the last alarm, nil if there is none.
func (s *State) Last() *Alarm {
	if len(s.Alarms) == 0 {
		return nil
	}
	return &s.Alarms[len(s.Alarms)-1]
}

// Restart forgets the errors so far: decisions of another kind have others. The alarms stay.
func (s *State) Restart() {
	s.Usual = Period{Classes: race.Tallies{}}
	s.Excess = 0
	s.Rise = nil
}

// Add adds a delta that was added to the model. A drift raises one alarm: the test then starts over
// with what the model does from there. What came while the errors rose is usual once they do not.
func (s *State) Add(m *model.Model, d *Step) {
	if s.Usual.Scored >= watched {
		s.Excess = max(0, s.Excess+d.Errors*race.Unit-d.Scored*s.Usual.expected())
	}
	if s.Excess <= rising {
		if s.Rise != nil {
			s.Usual.add(&s.Rise.Period)
			s.Rise = nil
		}
		s.Usual.add(&d.Period)
		for s.Usual.Scored >= full {
			s.Usual.halve()
		}
		return
	}
	if s.Rise == nil {
		s.Rise = &Rise{Since: d.Mark, Period: Period{Classes: race.Tallies{}}, Learned: newRecent()}
	}
	s.Rise.add(&d.Period)
	s.Rise.Learned.add(m.TermsOf(d.Counts), d.Counts.Classes)
	if s.Excess > alarming {
		s.alarm(m, d)
	}
}

// expected returns the errors to expect of a record, in race.Unit.
func (p *Period) expected() int64 {
	root := int64(math.Sqrt(float64(p.Errors))) // of so few errors it is exact everywhere
	limit := p.Errors + 3*root + 5
	return limit * race.Unit / p.Scored * 5 / 4
}

func (p *Period) add(o *Period) {
	p.Scored += o.Scored
	p.Errors += o.Errors
	p.Classes.Add(o.Classes)
}

func (p *Period) halve() {
	p.Scored /= 2
	p.Errors /= 2
	p.Classes.Halve()
}

// alarm notes a drift, with what moved.
func (s *State) alarm(m *model.Model, d *Step) {
	u := &s.Usual
	r := s.Rise
	a := Alarm{Place: d.Place, Since: r.Since, Before: Rate{u.Scored, u.Errors}, After: Rate{r.Scored, r.Errors}}
	a.Classes = moved(u.Classes, r.Classes)
	findWords(m, &r.Learned, a.Classes)
	s.Restart()
	s.Found++
	s.Alarms = append(s.Alarms, a)
	if n := len(s.Alarms); n > mostAlarms {
		s.Alarms = append([]Alarm(nil), s.Alarms[n-mostAlarms:]...)
	}
}

// Rename moves what is known of a class to another name. Alarms keep the names of their time.
func (s *State) Rename(from, to string) {
	s.Usual.Classes.Rename(from, to)
	if s.Rise != nil {
		s.Rise.Classes.Rename(from, to)
		s.Rise.Learned.rename(from, to)
	}
}

// Check returns an error if there can be no such state.
func (s *State) Check() error {
	err := s.Usual.check()
	if s.Usual.Scored >= full || s.Excess < 0 || s.Excess > alarming || (s.Excess > rising) != (s.Rise != nil) {
		err = errors.Join(err, fmt.Errorf("an excess of %d after %d records, and a rise %v", s.Excess, s.Usual.Scored,
			s.Rise != nil))
	}
	if r := s.Rise; r != nil {
		err = errors.Join(err, r.Period.check(), r.Learned.check())
		if r.Since.Offset < 0 {
			err = errors.Join(err, fmt.Errorf("the errors rise since offset %d", r.Since.Offset))
		}
	}
	if len(s.Alarms) > mostAlarms || int64(len(s.Alarms)) != min(s.Found, mostAlarms) {
		err = errors.Join(err, fmt.Errorf("%d alarms are kept of %d", len(s.Alarms), s.Found))
	}
	for i := range s.Alarms {
		err = errors.Join(err, s.Alarms[i].check())
	}
	return err
}

// check returns an error if records cannot come to that.
func (p *Period) check() error {
	if p.Errors < 0 || p.Errors > p.Scored {
		return fmt.Errorf("%d scored records cannot have %d errors", p.Scored, p.Errors)
	}
	return p.Classes.Check()
}
