package ingest

import (
	"context"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// recent reads records again. It asks no broker for those that were fetched a short while ago: what
// is replaced or forgotten is often young. After an outage, a request for each text of the backlog
// would take several times as long as counting it.
type recent struct {
	broker  worker.Fetcher
	source  fold.Source
	fetches [][]stream.Record // of the source, in order of their offsets; the newest last
	size    int
	room    *budget.Room // that they and the texts of ahead take
	first   int64        // the first offset that the source still holds; earlier ones may not be answered from here

	ahead
}

// newRecent returns what reads the records of a source again, and keeps as many as there is room
// for.
func (in *ingester) newRecent(source fold.Source) *recent {
	return &recent{broker: in.broker, source: source, room: in.memory.Open(budget.Recent)}
}

// recentBytes is the most that is kept for a partition.
const recentBytes = 8 << 20

// keep adds a fetch, and drops the oldest ones beyond recentBytes, or for which the memory has no
// room: then even the new one.
func (r *recent) keep(got *stream.Fetched) {
	r.first = max(r.first, got.LogStart)
	if len(got.Records) == 0 {
		return
	}
	size := sizeInMemory(got.Records)
	for len(r.fetches) > 0 && r.size+size > recentBytes {
		r.drop()
	}
	for !r.room.Grow(size) {
		if len(r.fetches) == 0 {
			return
		}
		r.drop()
	}
	r.fetches = append(r.fetches, got.Records)
	r.size += size
}

func (r *recent) drop() {
	size := sizeInMemory(r.fetches[0])
	r.fetches[0] = nil
	r.fetches = r.fetches[1:]
	r.size -= size
	r.room.Add(-size)
}

// sizeInMemory returns about how many bytes records take.
func sizeInMemory(records []stream.Record) (n int) {
	const structure = 120 // bytes of a stream.Record beyond those that Size adds
	for i := range records {
		n += structure + records[i].Size()
	}
	return n
}

// read returns the records at the places that one record needs. If one of them is not in memory, it
// is read together with those that the next records probably need: next names the places for up to
// n of them.
func (r *recent) read(ctx context.Context, places []place, next func(n int) []place) (texts, error) {
	switch {
	case r.left > 0:
		r.left--
	case r.lacks(places):
		n := r.most()
		r.readAhead(ctx, slices.Concat(places, next(n)), n)
	}
	if len(places) == 0 {
		return nil, nil
	}
	read := make(texts, len(places))
	for _, at := range places {
		rec, err := r.at(ctx, at)
		if err != nil {
			return nil, err
		}
		read[at] = rec
	}
	return read, nil
}

// at returns the record at a place, nil if its topic does not hold it any more.
func (r *recent) at(ctx context.Context, at place) (*stream.Record, error) {
	if rec, isRead := r.texts[at]; isRead {
		return rec, nil
	}
	if rec := r.held(at); rec != nil {
		return rec, nil
	}
	return worker.ReadAt(ctx, r.broker, at.topic, int(at.partition), at.offset)
}

// held returns the record at a place, nil if no fetch that is kept has it.
func (r *recent) held(at place) *stream.Record {
	if !at.isIn(r.source) || at.offset < r.first {
		return nil
	}
	for i := len(r.fetches) - 1; i >= 0; i-- {
		if rec := stream.Find(r.fetches[i], at.offset); rec != nil {
			return rec
		}
	}
	return nil
}
