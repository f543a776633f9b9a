package ingest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// ahead is what was read before it is needed, in few requests. It is a hint: what it lacks is read
// alone. It is kept for one delta, because later its texts may be gone.
type ahead struct {
	texts  texts
	bytes  int  // of texts
	left   int  // records that need nothing that was not read for them
	halves int  // by how many halves fewer records are read ahead for, because there was no time or room for more
	isPart bool // not all could be read
}

const (
	aheadRecords = 4096            // for which is read ahead at once
	aheadBytes   = recentBytes / 2 // that are kept, beside the bytes of the fetches
	aheadTime    = deltaTime / 2
	aheadFetch   = 1 << 20  // bytes to ask for at most
	aheadGap     = 64 << 10 // bytes between two texts that are read with them: a request costs more
)

// most returns for how many records behind the current one to read ahead.
func (a *ahead) most() int { return aheadRecords >> a.halves }

// mayPause reports whether a delta that has been open for long may end here: nothing is thrown away
// that was read for the next records.
func (a *ahead) mayPause() bool { return a.left == 0 || a.isPart }

func (r *recent) end() {
	r.room.Add(-r.bytes)
	r.ahead = ahead{halves: r.halves}
}

func (r *recent) lacks(places []place) bool {
	return slices.ContainsFunc(places, func(at place) bool { return r.held(at) == nil })
}

// readAhead reads the records at the places, which n records after the current one need: those of a
// partition that stand near each other with one request. What is read first is most often needed
// first.
func (r *recent) readAhead(ctx context.Context, places []place, n int) {
	r.end()
	r.left = n
	places = slices.DeleteFunc(places, func(at place) bool { return r.held(at) != nil })
	slices.SortFunc(places, place.compare)
	places = slices.Compact(places)
	r.texts = make(texts, len(places))
	begun := time.Now()
	each := 1 << 10 // bytes of a record
	for len(places) > 0 && r.bytes < aheadBytes && time.Since(begun) < aheadTime {
		places = places[r.readRun(ctx, places, &each):]
	}
	r.isPart = r.isPart || len(places) > 0
	switch {
	case r.isPart:
		r.left = min(n, len(r.texts))
		r.halves += min(n/2, 1)
	case r.halves > 0:
		r.halves--
	}
}

// readRun makes one request for the first of the places and those near it, and returns how many of
// them need no other one. each is about how large a record is. After an error those of the
// partition are read alone, which tells why; but none of one that does not exist, for which brokers
// are asked long.
func (r *recent) readRun(ctx context.Context, places []place, each *int) (n int) {
	at := places[0]
	request := stream.FetchRequest{Topic: at.topic, Partition: int(at.partition), Offset: at.offset,
		MaxBytes: span(places, int64(*each))}
	got, err := worker.Fetch(ctx, r.broker, request)
	isNone := errors.Is(err, stream.ErrUnknownTopic) || errors.Is(err, stream.ErrUnknownPartition)
	r.isPart = r.isPart || err != nil && !isNone
	if at.isIn(r.source) {
		r.first = max(r.first, got.LogStart)
	}
	for n < len(places) && places[n].topic == at.topic && places[n].partition == at.partition && (err != nil ||
		places[n].offset < got.Next) {
		if err == nil || isNone {
			r.put(places[n], stream.Find(got.Records, places[n].offset))
		}
		n++
	}
	if len(got.Records) > 0 {
		*each = max(got.ValueBytes()/len(got.Records), 1)
	}
	return max(n, 1)
}

// span returns how many bytes to ask for, so that a fetch has the first of the places and those
// near it.
func span(places []place, each int64) int {
	first := places[0]
	last := first
	for _, at := range places[1:] {
		isNear := at.offset-last.offset <= max(aheadGap/each, 1) && at.offset-first.offset < aheadFetch/each
		if at.topic != first.topic || at.partition != first.partition || !isNear {
			break
		}
		last = at
	}
	return int(min((last.offset-first.offset+1)*each, aheadFetch))
}

// put keeps a copy of a record, so that the rest of its fetch is not kept; nil if there is none at
// the place any more. A record for which the memory has no room is read alone.
func (r *recent) put(at place, rec *stream.Record) {
	if rec == nil {
		r.texts[at] = nil
		return
	}
	size := sizeInMemory([]stream.Record{*rec})
	if !r.room.Grow(size) {
		r.isPart = true
		return
	}
	kept := *rec
	kept.Key = bytes.Clone(rec.Key)
	kept.Value = bytes.Clone(rec.Value)
	kept.Headers = slices.Clone(rec.Headers)
	for i := range kept.Headers {
		kept.Headers[i].Value = bytes.Clone(kept.Headers[i].Value)
	}
	r.texts[at] = &kept
	r.bytes += size
}
