package ingest

import (
	"fmt"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// sendAgain appends a training record with its first place.
func (l *loop) sendAgain(value string, first int64) {
	l.t.Helper()
	again := stream.Header{Key: wire.FirstPlace, Value: fmt.Appendf(nil, "training/0/%d", first)}
	if _, err := l.memory.Produce(l.t.Context(), "training", 0, []stream.Record{{Value: []byte(value), Headers: []stream.Header{again}}}); err != nil {
		l.t.Fatal(err)
	}
}

// TestSentAgain sends records again. One whose id was learned behind its first place changes
// nothing, in the same delta and in a later one; any other is learned as if it came for the first
// time.
func TestSentAgain(t *testing.T) {
	for name, apart := range map[string]bool{"in one delta": false, "in later deltas": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := startLoop(t, nil)
				defer l.end()
				l.train("no document", document(1, "a"), "no document", document(2, "a"))
				if apart {
					l.learn()
					l.wantCounted(4, 2)
				}
				l.sendAgain(document(1, "b"), 0) // failed before d1 was learned
				l.sendAgain(document(2, "b"), 4) // failed behind it
				l.sendAgain(document(3, "b"), 2) // not known
				l.sendAgain(`{"id":"d1","label":null}`, 0)
				if !apart {
					l.learn()
				}
				l.wantCounted(8, 3)
				skipped := map[string]int{}
				labels := map[string]int64{}
				for _, r := range l.memory.Records("model", 0) {
					d := codec.Describe(r.Value, r.Offset)
					for _, of := range d.Ranges {
						for reason, n := range of.Skipped {
							skipped[reason] += n
						}
					}
					for label, n := range d.Documents {
						labels[label] += n
					}
				}
				if skipped[wire.SkipSuperseded] != 2 || labels["a"] != 1 || labels["b"] != 2 {
					t.Errorf("skipped: %v, documents by label: %v", skipped, labels)
				}
			})
		})
	}
}

// TestFirstDeltasAreShort: the first documents of a backlog are scored by a model that has learned
// those before them, not by one that has learned nothing.
func TestFirstDeltasAreShort(t *testing.T) {
	const records = 3000
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		var values []string
		for i := range records {
			values = append(values, document(i, string(rune('a'+i%2))))
		}
		l.train(values...)
		l.learn()
		l.wantCounted(records, records)
		total := int64(0)
		for _, r := range l.memory.Records("model", 0)[1:] {
			d := codec.Describe(r.Value, r.Offset).Ranges[0]
			if n := d.End - d.Start; n > max(race.LeastAhead, total/race.ShareAhead) {
				t.Errorf("a delta has %d records while %d are counted", n, total)
			}
			total = d.End
		}
	})
}
