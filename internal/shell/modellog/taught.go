package modellog

import (
	"context"
	"time"

	"bayestream/internal/core/fold"
)

// Taught is a label that was learned by a name.
type Taught struct {
	Offset int64       `json:"offset"` // in the model log,
	Time   time.Time   `json:"time"`   // and since when it is there
	Source fold.Source `json:"-"`
	Record int64       `json:"record"` // offset in the source
	ID     string      `json:"id"`     // "": none of its own
	Label  string      `json:"label"`
}

// TaughtBy folds a model topic into state, up to its end, and returns what the records that count
// have learned by a name, in their order. Some of it may be corrected or forgotten since.
func TaughtBy(ctx context.Context, log Reader, topic string, state *fold.State, by string) ([]Taught, error) {
	var all []Taught
	err := Replay(ctx, log, topic, state, -1, func(e fold.Entry, o fold.Outcome) {
		for len(all) > 0 && all[len(all)-1].Offset >= e.Offset { // behind a void the log is folded again
			all = all[:len(all)-1]
		}
		if o != fold.Accepted {
			return
		}
		for _, r := range e.Delta.Ranges {
			for _, c := range r.Ledger {
				if c.Put != nil && c.Put.By == by {
					all = append(all, Taught{Offset: e.Offset, Time: time.UnixMilli(e.Time), Source: r.Source,
						Record: c.Offset, ID: c.ID, Label: c.Put.Label})
				}
			}
		}
	})
	return all, err
}
