package ingest

import (
	"errors"
	"log/slog"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// batch turns consecutive records of one partition into one delta. It is a function of the records,
// of the texts that they refer to, and of the state that the view shows: every worker that begins
// at the same watermark builds the same counts. It does no I/O: open says which records must be
// read again, and add takes them.
type batch struct {
	source    fold.Source
	refs      []string   // topics that a ref may point into
	reads     *spec.Spec // by whose paths it reads
	decoder   *wire.Decoder
	hasher    *spec.Hasher // of ids; nil: the ledger knows them as they are
	admission *model.Admission
	limits    *spec.Limits // of the spec in force
	most      int          // bytes of an encoded delta
	view      view
	index     index           // of what was labelled; nil: none is read
	topic     stream.TopicID  // that the records are of; zero: not known
	read      *model.Coverage // of the texts so far; nil: their language was looked at

	*scratch              // until the delta is encoded
	memory   *budget.Room // of the delta in the making, and of its scratch
	content
}

// content is what a batch holds besides counts.
type content struct {
	start    int64 // first offset
	end      int64 // the offset after the last
	skipped  []fold.Skipped
	lost     int64          // records after the skip of that reason
	last     *stream.Record // that was read; nil: none
	dead     []deadLetter
	learned  int // documents
	changes  []fold.LedgerChange
	pending  *fold.Overlay // the ledger as it will be after the batch
	unmet    []int64       // offsets of the records that forget what is not known
	forwards []forward
	repeats  int   // bytes that are written again
	size     int   // upper bound of the encoded bytes of all but the counts
	ahead    int64 // records in a row, up to the last, that were refused because their time is far ahead
}

// begin empties the batch for what was fetched behind the watermark start, under the state that v
// shows. It skips records that were lost or cannot be read; the others follow one by one, through
// open and add.
func (b *batch) begin(start int64, v view, got *worker.Fetched) {
	b.builder.Reset()
	b.admission.Reset()
	b.view = v
	newest, ahead := v.times()
	b.content = content{start: start, end: start, ahead: ahead, pending: fold.NewOverlay(v, b.limits, newest)}
	switch {
	case got.Lost > 0:
		b.skip(got.From, wire.SkipLost)
		b.lost = got.Lost
	case got.Unreadable != nil:
		b.reject(got.Reject())
	}
}

func (b *batch) place(offset int64) place { return place{b.source.Topic, b.source.Partition, offset} }

// extend says that no other record before the offset next is to be counted.
func (b *batch) extend(next int64) { b.end = max(b.end, next) }

func (b *batch) isEmpty() bool { return len(b.skipped)+b.learned+len(b.changes) == 0 }

// isFull reports whether there may be no room for another record.
func (b *batch) isFull() bool {
	return !b.isEmpty() && !b.fits(model.Size{}) || len(b.forwards) >= mostForwarded || b.repeats >= repeatBytes
}

// fits reports whether counts of at most that cost, and one change of the ledger, fit into the
// delta.
func (b *batch) fits(cost model.Size) bool {
	return b.bound(cost)+codec.LargestChange <= b.most
}

// bound returns an upper bound of the bytes of the delta with more counts of at most that cost.
func (b *batch) bound(cost model.Size) int { return codec.Bound(b.builder.Size().Add(cost)) + b.size }

// errFull says that a record was not counted, because it does not fit into the delta any more.
var errFull = errors.New("the delta is full")

// room refuses counts of at most that cost that do not fit: until the next delta, or for good if it
// does not fit into an empty one.
func (b *batch) room(cost model.Size) error {
	switch {
	case b.fits(cost):
		return nil
	case !b.isEmpty():
		return errFull
	}
	return wire.Rejectf(wire.TooLarge, "its counts take up to %d bytes, more than one record "+
		"of the model log may have (%d): "+
		"raise max.message.bytes of the model topic, or lower limits.terms_per_document or the number of "+
		"fields", codec.Bound(cost), b.most)
}

// delta returns what the batch says. fromStart says that it is the first of its source, which is
// counted from the start of the topic.
func (b *batch) delta(counting spec.Fingerprint, fromStart bool) *fold.Delta {
	r := fold.Range{Source: b.source, Start: b.start, End: b.end, FromStart: fromStart, Skipped: b.skipped, Lost: b.lost,
		Ledger: b.changes}
	if !r.IsUpkeep() {
		r.Ahead = b.ahead
	}
	return &fold.Delta{Counting: counting, Ranges: []fold.Range{r}, Counts: b.builder.Delta()}
}

func (b *batch) reject(rec *stream.Record, reason *wire.Reject) {
	b.skip(rec.Offset, string(reason.Reason))
	b.letter(rec, reason)
}

func (b *batch) letter(rec *stream.Record, reason *wire.Reject) {
	b.dead = append(b.dead, deadLetter{rec.Offset, wire.DeadLetter(rec, "ingest", reason, wire.MaxDeadLetterBytes)})
}

// logUnmet logs the forgets that met nothing: perhaps somebody waits for an erasure.
func (b *batch) logUnmet(log *slog.Logger) {
	n := len(b.unmet)
	if n == 0 {
		return
	}
	log.Warn("records forget documents that no partition knows, or that they cannot be forwarded to: they were not "+
		"learned, were forgotten, or are too old (limits.ledger, limits.window)",
		"topic", b.source.Topic, "partition", b.source.Partition, "records", n, "first", b.unmet[0], "last", b.unmet[n-1])
}

func (b *batch) skip(offset int64, reason string) {
	const encoded = 12 // bytes of an offset and of the number of a reason
	b.skipped = append(b.skipped, fold.Skipped{Offset: offset, Reason: reason})
	b.size += encoded
}

// put changes the ledger: the id of a record was learned as l, or forgotten if l is nil.
func (b *batch) put(o *opened, l *fold.Learned) {
	change := fold.LedgerChange{Offset: o.record.Offset, ID: o.id, Put: l}
	b.pending.Apply(change)
	b.change(change)
}

func (b *batch) change(c fold.LedgerChange) {
	const encoded = 64 // bytes of a change besides its strings
	b.changes = append(b.changes, c)
	b.size += encoded + len(c.ID)
	if c.Put != nil {
		b.size += len(c.Put.Label) + len(c.Put.By) + len(c.Put.Topic) + len(c.Put.Ahead)
	}
}
