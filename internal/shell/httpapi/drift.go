package httpapi

import (
	"time"

	"bayestream/internal/core/drift"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
)

func (out *scrape) lookAtDrift(s *drift.State) {
	at := int64(-1)
	if last := s.Last(); last != nil {
		at = last.Offset
	}
	out.gauge("drift_alarms", "Drifts found in the stream: times the decisions on records that were scored before they "+
		"were learned were clearly worse than before.", float64(s.Found))
	out.gauge("drift_last_offset", "Offset of the delta in the model log that showed the last drift, -1 if there is none.",
		float64(at))
	out.gauge("drift_excess_errors", "Errors of scored records above those that chance explains; a drift when they are "+
		"more than 50.", float64(s.Excess)/race.Unit)
}

// Drift is what is known about drifts of the stream, the same on every replica.
type Drift struct {
	Records int64        `json:"records"` // scored, that say which errors to expect; half of them are forgotten at 16,384
	Errors  int64        `json:"errors"`
	Excess  float64      `json:"excess"` // errors above those to expect; a drift at more than 50
	Found   int64        `json:"found"`  // drifts
	Alarms  []DriftAlarm `json:"alarms"` // the newest, 8 at most, oldest first
}

// DriftAlarm is a drift that was found.
type DriftAlarm struct {
	Offset    int64        `json:"offset"` // of the model log
	Time      time.Time    `json:"time"`
	Topic     string       `json:"topic"` // of the delta that showed it
	Partition int32        `json:"partition"`
	End       int64        `json:"end"`
	Since     int64        `json:"since"` // offset of the model log from which on the errors rise
	SinceTime time.Time    `json:"since_time"`
	Measure   string       `json:"measure"` // what rose: errors
	Before    float64      `json:"before"`
	After     float64      `json:"after"`
	Scored    int64        `json:"scored"` // records since the errors rise
	Classes   []DriftClass `json:"classes"`
	Words     []DriftWord  `json:"words"` // by class, the most moved first
}

// DriftClass is a class that moved: its share of the records, and the share of its records that
// were decided wrong.
type DriftClass struct {
	Name         string  `json:"name"`
	ShareBefore  float64 `json:"share_before"`
	ShareAfter   float64 `json:"share_after"`
	ErrorsBefore float64 `json:"errors_before"`
	ErrorsAfter  float64 `json:"errors_after"`
	Ratio        float64 `json:"g2"`
}

// DriftWord is a word that moved in a class: its share of the words of the class.
type DriftWord struct {
	Term   string  `json:"term"`
	Table  string  `json:"table"` // text, or the block: length, categories[0]
	Class  string  `json:"class"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Ratio  float64 `json:"g2"` // below 0 it has become rarer
}

// NewDrift returns what a state knows about drifts, nil before the first spec.
func NewDrift(state *fold.State) *Drift {
	s := state.Drift()
	if s == nil {
		return nil
	}
	t := &Drift{Records: s.Usual.Scored, Errors: s.Usual.Errors, Excess: float64(s.Excess) / race.Unit, Found: s.Found,
		Alarms: []DriftAlarm{}}
	for i := range s.Alarms {
		t.Alarms = append(t.Alarms, newAlarm(&s.Alarms[i], state.Model()))
	}
	return t
}

func newAlarm(a *drift.Alarm, m *model.Model) DriftAlarm {
	out := DriftAlarm{
		Offset: a.Offset, Time: timeOf(a.Time), Topic: a.Topic, Partition: a.Partition, End: a.End, Since: a.Since.Offset,
		SinceTime: timeOf(a.Since.Time),
		Measure:   "errors", Before: share(a.Before.Errors, a.Before.Scored), After: share(a.After.Errors, a.After.Scored),
		Scored:  a.After.Scored,
		Classes: []DriftClass{}, Words: []DriftWord{},
	}
	for i := range a.Classes {
		c := &a.Classes[i]
		out.Classes = append(out.Classes, DriftClass{
			Name: c.Name, ShareBefore: share(c.Before.Records, a.Before.Scored), ShareAfter: share(c.After.Records,
				a.After.Scored),
			ErrorsBefore: share(c.Before.Records-c.Before.Right, c.Before.Records),
			ErrorsAfter:  share(c.After.Records-c.After.Right, c.After.Records),
			Ratio:        float64(c.Ratio) / race.Unit,
		})
		for _, w := range c.Words {
			out.Words = append(out.Words, DriftWord{
				Term: w.Term, Table: m.TableName(w.Table), Class: c.Name,
				Before: share(w.Before.Count, w.Before.Of), After: share(w.After.Count, w.After.Of),
				Ratio: float64(w.Ratio) / race.Unit,
			})
		}
	}
	return out
}

func timeOf(milliseconds int64) time.Time { return time.UnixMilli(milliseconds).UTC() }

// share returns a part of so many, 0 of none.
func share(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
