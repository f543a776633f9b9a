package recount

import (
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/shell/modellog/logpb"
)

// upkeep takes out what a delta that reads no record says: only documents that are owed, once each, and none
// whose text can be read may stay.
func (l *Log) upkeep(d *logpb.Delta, src *source, checksum uint32) error {
	entries := slices.Clone(src.ledger)
	var taken []observed
	for _, c := range d.GetLedger() {
		i := slices.IndexFunc(entries, func(e entry) bool { return e.offset == c.GetOffset() })
		if i < 0 || !entries[i].owed && !l.voids.recount() || entries[i].gone || entries[i].id != c.GetId() {
			return fmt.Errorf("upkeep of %s/%d takes out offset %d, which is not owed", d.GetTopic(), d.GetPartition(), c.GetOffset())
		}
		e := &entries[i]
		if c.GetGone() {
			if !l.topics.gone(e.at) {
				return fmt.Errorf("upkeep of %s/%d says that the text %v is gone", d.GetTopic(), d.GetPartition(), e.at)
			}
			e.gone = e.owed
			continue
		}
		taken = append(taken, observed{e.label, -e.weight, &l.topics.Records[e.at].Document})
		entries = slices.Delete(entries, i, i+1)
	}
	l.Taken += len(taken)
	for _, o := range taken {
		l.counts.add(o.label, o.weight, o.document, l.rules.Presence)
	}
	src.ledger = entries
	src.previous = checksum
	src.trail++
	return nil
}

// Counts returns every count.
func (l *Log) Counts() string {
	var out strings.Builder
	l.counts.dump(&out)
	return out.String()
}

// Alone returns the counts of a model that has learned what the windows hold, and what could not be taken out of them.
func (l *Log) Alone() string {
	alone := newCounts()
	for _, src := range l.sources {
		for _, e := range src.ledger {
			if !e.owed || e.gone {
				alone.add(e.label, e.weight, &l.topics.Records[e.at].Document, l.rules.Presence)
			}
		}
	}
	var out strings.Builder
	alone.dump(&out)
	return out.String()
}
