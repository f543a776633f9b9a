package recount

import (
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/shell/modellog/logpb"

	"google.golang.org/protobuf/proto"
)

// upkeep takes out what a delta that reads no record says: only documents that are owed, once each,
// and none whose text can be read may stay.
func (l *Log) upkeep(d *logpb.Delta, src *source, sum uint64) error {
	entries := slices.Clone(src.ledger)
	var taken []observed
	changes, err := changesOf(d)
	if err != nil {
		return err
	}
	for _, c := range changes {
		i := slices.IndexFunc(entries, func(e entry) bool { return e.offset == c.GetOffset() })
		if i < 0 || !entries[i].owed && !l.voids.recount() || entries[i].gone || entries[i].id != c.GetId() {
			return fmt.Errorf("upkeep of %v takes out offset %d, which is not owed", d.GetRanges(), c.GetOffset())
		}
		e := &entries[i]
		if c.GetGone() {
			if !l.topics.gone(e.at) {
				return fmt.Errorf("upkeep of %v says that the text %v is gone", d.GetRanges(), e.at)
			}
			e.gone = e.owed
			continue
		}
		taken = append(taken, observed{e.label, -e.weight, &l.topics.Records[e.at].Document})
		entries = slices.Delete(entries, i, i+1)
	}
	l.Taken += len(taken)
	for _, o := range taken {
		l.counts.Add(o.label, o.weight, o.document, l.rules.Presence)
	}
	src.ledger = entries
	src.previous = sum
	src.at = l.next - 1
	return nil
}

// changesOf returns the changes of the ledger that a delta says.
func changesOf(d *logpb.Delta) ([]*logpb.LedgerChange, error) {
	var changes logpb.LedgerChanges
	part := d.GetLedger()
	if sum(part.GetChanges()) != part.GetChecksum() {
		return nil, fmt.Errorf("the changes of the ledger of %v have another checksum", d.GetRanges())
	}
	err := proto.Unmarshal(part.GetChanges(), &changes)
	return changes.GetChanges(), err
}

// Counts returns every count.
func (l *Log) Counts() string {
	var out strings.Builder
	l.counts.Dump(&out)
	return out.String()
}

// Alone returns the counts of a model that has learned what the windows hold, and what could not be
// taken out of them.
func (l *Log) Alone() string {
	alone := NewCounts(values)
	for _, src := range l.sources {
		for _, e := range src.ledger {
			if !e.owed || e.gone {
				alone.Add(e.label, e.weight, &l.topics.Records[e.at].Document, l.rules.Presence)
			}
		}
	}
	var out strings.Builder
	alone.Dump(&out)
	return out.String()
}
