// Package drift finds drifts of a stream, and what moved: the classes whose share or errors
// changed, and the words that rose and fell in them. All of it is computed in integers from the
// deltas of the log and the counts of the model, and so the same on every replica and every
// architecture.
package drift

import (
	"errors"
	"fmt"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
)

// mostAlarms is how many alarms are kept.
const mostAlarms = 8

// State is what is known about drifts after a record of the log.
type State struct {
	Test
	Usual  race.Tallies // of the records of the test
	Rise   *Rise        // nil where the excess is small
	Found  int64        // drifts
	Alarms []Alarm      // the newest, oldest first
}

// Rise is what came since the excess is no longer small: since the stream changed, if that is a
// drift.
type Rise struct {
	Since          Mark
	Scored, Errors int64
	Classes        race.Tallies // of the scored records
	Learned        Recent       // of all records
}

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
	Scored, Errors int64        // records that were scored by the list in force, and the errors of their decisions
	Classes        race.Tallies // of them
	Counts         *model.Delta
}

// New returns the state before the first record.
func New() *State { return &State{Usual: race.Tallies{}} }

// Last returns the last alarm, nil if there is none.
func (s *State) Last() *Alarm {
	if len(s.Alarms) == 0 {
		return nil
	}
	return &s.Alarms[len(s.Alarms)-1]
}

// Restart forgets the errors so far: decisions of another kind have others. The alarms stay.
func (s *State) Restart() {
	s.Test = Test{}
	s.Usual = race.Tallies{}
	s.Rise = nil
}

// Add adds a delta that was added to the model. A drift raises one alarm: the test then starts over
// with what the model does from there.
func (s *State) Add(m *model.Model, d *Step) {
	s.add(d.Scored, d.Errors)
	if !s.isRise() {
		s.Rise = nil
		s.expect(d)
		return
	}
	before := s.before()
	s.rise(m, d)
	if s.isDrift() {
		s.alarm(m, d, before)
		return
	}
	s.expect(d)
}

// expect adds a delta to what says what to expect.
func (s *State) expect(d *Step) {
	s.Records += d.Scored
	s.Errors += d.Errors
	s.Usual.Add(d.Classes)
	for s.Records >= full {
		s.Records /= 2
		s.Errors /= 2
		s.Usual.Halve()
		if r := s.Rise; r != nil {
			r.Scored /= 2
			r.Errors /= 2
			r.Classes.Halve()
		}
	}
}

// rise adds a delta to what came since the errors rise.
func (s *State) rise(m *model.Model, d *Step) {
	if s.Rise == nil {
		s.Rise = &Rise{Since: d.Mark, Classes: race.Tallies{}, Learned: newRecent()}
	}
	r := s.Rise
	r.Scored += d.Scored
	r.Errors += d.Errors
	r.Classes.Add(d.Classes)
	r.Learned.add(d.Counts, m.Text() != nil)
}

// period is what the decisions of a while come to.
type period struct {
	scored, errors int64
	classes        race.Tallies
}

// before returns what says what to expect, without what came since the errors rise.
func (s *State) before() period {
	out := period{s.Records, s.Errors, race.Tallies{}}
	out.classes.Add(s.Usual)
	r := s.Rise
	if r == nil {
		return out
	}
	out.scored = max(0, out.scored-r.Scored)
	out.errors = min(out.scored, max(0, out.errors-r.Errors))
	for class, n := range r.Classes {
		of := out.classes[class]
		records := max(0, of.Records-n.Records)
		right := min(records, max(0, of.Right-n.Right))
		out.classes[class] = race.Tally{Records: records, Right: right, Decided: max(right, of.Decided-n.Decided)}
	}
	return out
}

// alarm notes a drift, with what moved.
func (s *State) alarm(m *model.Model, d *Step, before period) {
	r := s.Rise
	a := Alarm{Place: d.Place, Since: r.Since, Before: Rate{before.scored, before.errors}, After: Rate{r.Scored, r.Errors}}
	a.Classes = moved(before.classes, r.Classes)
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
	s.Usual.Rename(from, to)
	if s.Rise != nil {
		s.Rise.Classes.Rename(from, to)
		s.Rise.Learned.rename(from, to)
	}
}

// Check returns an error if there can be no such state.
func (s *State) Check() error {
	err := errors.Join(s.check(), s.Usual.Check())
	if s.isRise() != (s.Rise != nil) {
		err = errors.Join(err, fmt.Errorf("an excess of %d, and a rise %v", s.Excess, s.Rise != nil))
	}
	if r := s.Rise; r != nil {
		if r.Errors < 0 || r.Errors > r.Scored || r.Scored > s.Records || r.Since.Offset < 0 {
			err = errors.Join(err, fmt.Errorf("%d errors in %d records do not rise", r.Errors, r.Scored))
		}
		err = errors.Join(err, r.Classes.Check(), r.Learned.check())
	}
	if len(s.Alarms) > mostAlarms || int64(len(s.Alarms)) != min(s.Found, mostAlarms) {
		err = errors.Join(err, fmt.Errorf("%d alarms are kept of %d", len(s.Alarms), s.Found))
	}
	for i := range s.Alarms {
		err = errors.Join(err, s.Alarms[i].check())
	}
	return err
}
