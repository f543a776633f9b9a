package ingest

import (
	"context"
	"sort"

	"bayestream/internal/fold"
	"bayestream/internal/stream"
)

// recent reads old texts, without asking a broker for those that were fetched a short while ago: what is
// replaced or forgotten is often young. A request for each text of a backlog, which an outage leaves
// behind, would take several times as long as counting it.
type recent struct {
	texts
	source  fold.Source
	fetches [][]stream.Record // of the source, in order of their offsets; the newest last
	size    int
	first   int64 // the first offset that the source still holds; what was before is gone here too
}

// recentBytes bounds what is kept for a partition, beside the fetch that is being counted.
const recentBytes = 8 << 20

// keep adds a fetch, and drops the oldest ones that are too much.
func (r *recent) keep(got *stream.Fetched) {
	r.first = max(r.first, got.LogStart)
	if len(got.Records) == 0 {
		return
	}
	r.fetches = append(r.fetches, got.Records)
	r.size += sizeInMemory(got.Records)
	drop := 0
	for ; r.size > recentBytes && drop < len(r.fetches)-1; drop++ {
		r.size -= sizeInMemory(r.fetches[drop])
		r.fetches[drop] = nil
	}
	r.fetches = r.fetches[drop:]
}

func sizeInMemory(records []stream.Record) (n int) {
	const structure = 160 // of a stream.Record
	for i := range records {
		n += structure + len(records[i].Key) + len(records[i].Value)
		for _, h := range records[i].Headers {
			n += len(h.Key) + len(h.Value)
		}
	}
	return n
}

// Read implements texts.
func (r *recent) Read(ctx context.Context, topic string, partition int32, offset int64) (*stream.Record, error) {
	if topic == r.source.Topic && partition == r.source.Partition && offset >= r.first {
		for i := len(r.fetches) - 1; i >= 0; i-- {
			if rec := find(r.fetches[i], offset); rec != nil {
				return rec, nil
			}
		}
	}
	return r.texts.Read(ctx, topic, partition, offset)
}

// find returns the record at an offset, nil if it is not there.
func find(records []stream.Record, offset int64) *stream.Record {
	i := sort.Search(len(records), func(i int) bool { return records[i].Offset >= offset })
	if i == len(records) || records[i].Offset != offset {
		return nil
	}
	return &records[i]
}
