package recount

import (
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/shell/modellog/logpb"

	"google.golang.org/protobuf/proto"
)

// upkeep takes out what a range without records says: only documents that are owed, once each,
// and none whose text can be read may stay. One that names a document which is not counted is refused.
func (l *Log) upkeep(r *logpb.Range, src *source, sum uint64) error {
	entries := slices.Clone(src.ledger)
	var taken []observed
	changes, err := changesOf(r)
	if err != nil {
		return err
	}
	for _, c := range changes {
		i := slices.IndexFunc(entries, func(e entry) bool { return e.offset == c.offset })
		if i < 0 && l.voids.recountBehind(l.next-1) {
			return nil // the rollback is none any more for which the document was owed, and it is forgotten
		}
		if i < 0 || !entries[i].owed && !l.voids.recount() || entries[i].gone || entries[i].id != c.id {
			return fmt.Errorf("upkeep of %v takes out offset %d, which is not owed", r, c.offset)
		}
		e := &entries[i]
		if c.gone {
			if !l.topics.gone(e.at) {
				return fmt.Errorf("upkeep of %v says that the text %v is gone", r, e.at)
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
	src.accept(l.next-1, sum)
	return nil
}

// taking is a change of the ledger that upkeep says.
type taking struct {
	offset int64
	id     string
	gone   bool
}

// changesOf returns the changes of the ledger that upkeep says, from their columns.
func changesOf(r *logpb.Range) (all []taking, err error) {
	var columns logpb.LedgerChanges
	part := r.GetLedger()
	if sum(part.GetChanges()) != part.GetChecksum() {
		return nil, fmt.Errorf("the changes of the ledger of %v have another checksum", r)
	}
	if err := proto.Unmarshal(part.GetChanges(), &columns); err != nil {
		return nil, err
	}
	ids := string(columns.Ids)
	offset := int64(0)
	for i, more := range columns.Offset {
		offset += more
		c := taking{offset: offset}
		if len(columns.Id) > 0 {
			c.id, ids = ids[:columns.Id[i]], ids[columns.Id[i]:]
		}
		if len(columns.Gone) > 0 {
			c.gone = columns.Gone[i]
		}
		all = append(all, c)
	}
	return all, nil
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
