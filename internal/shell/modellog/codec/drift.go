package codec

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"bayestream/internal/core/drift"
	"bayestream/internal/shell/modellog/logpb"
)

// DriftProto returns the protobuf form of what is known about drifts.
func DriftProto(s *drift.State) *logpb.Drift {
	p := &logpb.Drift{Records: s.Usual.Scored, Errors: s.Usual.Errors, Usual: talliesProto(s.Usual.Classes),
		Excess: s.Excess, Found: s.Found}
	if r := s.Rise; r != nil {
		p.Rise = &logpb.Rise{
			Since: markProto(r.Since), Scored: r.Scored, Errors: r.Errors, Classes: talliesProto(r.Classes),
			Learned: learnedProto(&r.Learned), Missed: r.Learned.Missed,
		}
	}
	for i := range s.Alarms {
		p.Alarms = append(p.Alarms, alarmProto(&s.Alarms[i]))
	}
	return p
}

func markProto(m drift.Mark) *logpb.Mark { return &logpb.Mark{Offset: m.Offset, Time: m.Time} }

func readMark(p *logpb.Mark) drift.Mark { return drift.Mark{Offset: p.GetOffset(), Time: p.GetTime()} }

// learnedProto returns a summary by table, class and term.
func learnedProto(r *drift.Recent) (p []*logpb.Learned) {
	of := map[drift.Of]*logpb.Learned{}
	for class, total := range r.Totals {
		of[class] = &logpb.Learned{Table: uint32(class.Table), Class: class.Class, Total: total}
		p = append(p, of[class])
	}
	slices.SortFunc(p, compareLearned)
	byTerm := func(a, b drift.Key) int { return strings.Compare(a.Term, b.Term) }
	for _, key := range slices.SortedFunc(maps.Keys(r.Counts), byTerm) {
		l := of[key.Of]
		l.Terms = append(l.Terms, key.Term)
		l.Counts = append(l.Counts, r.Counts[key])
	}
	return p
}

func compareLearned(a, b *logpb.Learned) int {
	return cmp.Or(cmp.Compare(a.GetTable(), b.GetTable()), strings.Compare(a.GetClass(), b.GetClass()))
}

func alarmProto(a *drift.Alarm) *logpb.Alarm {
	p := &logpb.Alarm{
		At: markProto(a.Mark), Topic: a.Topic, Partition: a.Partition, End: a.End, Since: markProto(a.Since),
		ScoredBefore: a.Before.Scored, ErrorsBefore: a.Before.Errors, ScoredAfter: a.After.Scored,
		ErrorsAfter: a.After.Errors,
	}
	for i := range a.Classes {
		c := &a.Classes[i]
		class := &logpb.MovedClass{Before: tallyProto(c.Name, c.Before), After: tallyProto("", c.After), Ratio: c.Ratio}
		for _, w := range c.Words {
			class.Words = append(class.Words, &logpb.MovedWord{
				Table: uint32(w.Table), Term: w.Term, Before: w.Before.Count, BeforeOf: w.Before.Of, After: w.After.Count,
				AfterOf: w.After.Of, Ratio: w.Ratio,
			})
		}
		p.Classes = append(p.Classes, class)
	}
	return p
}

// ReadDrift reads and checks the protobuf form of what is known about drifts.
func ReadDrift(p *logpb.Drift) (*drift.State, error) {
	s := &drift.State{Excess: p.GetExcess(), Found: p.GetFound()}
	var err error
	s.Usual, err = readPeriod(p.GetRecords(), p.GetErrors(), p.GetUsual())
	if err != nil {
		return nil, err
	}
	if p.Rise != nil {
		s.Rise, err = readRise(p.Rise)
		if err != nil {
			return nil, err
		}
	}
	for _, a := range p.GetAlarms() {
		s.Alarms = append(s.Alarms, readAlarm(a))
	}
	return s, s.Check()
}

func readPeriod(scored, wrong int64, p []*logpb.Tally) (drift.Period, error) {
	classes, err := readTallies(p)
	return drift.Period{Scored: scored, Errors: wrong, Classes: classes}, err
}

func readRise(p *logpb.Rise) (*drift.Rise, error) {
	r := &drift.Rise{
		Since:   readMark(p.GetSince()),
		Learned: drift.Recent{Totals: map[drift.Of]int64{}, Counts: map[drift.Key]int64{}, Missed: p.GetMissed()},
	}
	var err error
	r.Period, err = readPeriod(p.GetScored(), p.GetErrors(), p.GetClasses())
	if err != nil {
		return nil, err
	}
	for i, l := range p.GetLearned() {
		if i > 0 && compareLearned(p.GetLearned()[i-1], l) >= 0 || len(l.GetTerms()) != len(l.GetCounts()) ||
			!isAscending(l.GetTerms()) {
			return nil, errors.New("the terms since the errors rise are out of order")
		}
		of := drift.Of{Table: int(l.GetTable()), Class: l.GetClass()}
		r.Learned.Totals[of] = l.GetTotal()
		for j, term := range l.GetTerms() {
			r.Learned.Counts[drift.Key{Of: of, Term: term}] = l.GetCounts()[j]
		}
	}
	return r, nil
}

// isAscending reports whether each term is larger than the one before.
func isAscending(terms []string) bool {
	for i := range terms {
		if i > 0 && terms[i-1] >= terms[i] {
			return false
		}
	}
	return true
}

func readAlarm(p *logpb.Alarm) drift.Alarm {
	a := drift.Alarm{
		Place:  drift.Place{Mark: readMark(p.GetAt()), Topic: p.GetTopic(), Partition: p.GetPartition(), End: p.GetEnd()},
		Since:  readMark(p.GetSince()),
		Before: drift.Rate{Scored: p.GetScoredBefore(), Errors: p.GetErrorsBefore()},
		After:  drift.Rate{Scored: p.GetScoredAfter(), Errors: p.GetErrorsAfter()},
	}
	for _, m := range p.GetClasses() {
		c := drift.Class{Name: m.GetBefore().GetClass(), Before: readTally(m.GetBefore()), After: readTally(m.GetAfter()),
			Ratio: m.GetRatio()}
		for _, w := range m.GetWords() {
			c.Words = append(c.Words, drift.Word{
				Table: int(w.GetTable()), Term: w.GetTerm(), Before: drift.Share{Count: w.GetBefore(), Of: w.GetBeforeOf()},
				After: drift.Share{Count: w.GetAfter(), Of: w.GetAfterOf()}, Ratio: w.GetRatio(),
			})
		}
		a.Classes = append(a.Classes, c)
	}
	return a
}
