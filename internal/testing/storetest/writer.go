package storetest

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// The reasons for which a Writer skips records.
const (
	UnknownID     = "unknown_id"     // a forget of an id that is not in the ledger
	CannotUnlearn = "cannot_unlearn" // the text to unlearn is gone
)

// Writer turns records of a partition into deltas, as ingest does, with the ledger of a state.
type Writer struct {
	spec    *spec.Spec
	extract *model.Extractor
	builder *model.Builder
	// Gone reports whether the text of a record can no longer be read; nil: all can.
	Gone func(offset int64) bool
}

// NewWriter returns a writer of deltas for models of the spec.
func NewWriter(tb Fataler, s *spec.Spec) *Writer {
	tb.Helper()
	x, err := model.NewExtractor(s)
	if err != nil {
		tb.Fatalf("extractor: %v", err)
	}
	return &Writer{spec: s, extract: x, builder: model.NewBuilder(s)}
}

// Delta returns the delta of records[start:end]; a record's index is its offset in the source. The
// state must contain all records before start.
func (w *Writer) Delta(tb Fataler, s *fold.State, src fold.Source, records []Record, start, end int64) *fold.Delta {
	tb.Helper()
	pending := map[string]*fold.Learned{} // by id; nil: it was forgotten
	w.builder.Reset()
	d := &fold.Delta{
		Ranges:   []fold.Range{{Source: src, Start: start, End: end, FromStart: start == 0}},
		Counting: w.spec.Counting(),
		Log:      s.Log(),
	}
	d.BuildOn(s.Basis(src))
	skip := func(offset int64, reason string) {
		d.Ranges[0].Skipped = append(d.Ranges[0].Skipped, fold.Skipped{Offset: offset, Reason: reason})
	}
	for offset := start; offset < end; offset++ {
		r := &records[offset]
		before, known := find(s.Ledger(src), pending, r.ID)
		if r.Label == "" && !known {
			skip(offset, UnknownID)
			continue
		}
		if known {
			if w.Gone != nil && w.Gone(before.Offset) {
				skip(offset, CannotUnlearn)
				continue
			}
			w.observe(tb, before.Label, before.Ahead, -before.Weight, &records[before.Offset])
		}
		ahead := ""
		if s.Spec().Corrects() {
			ahead = r.Ahead
		}
		if r.Label != "" {
			w.observe(tb, r.Label, ahead, r.Weight, r)
		}
		if r.ID == "" && r.By == "" && s.Spec().Limits.Window.IsZero() {
			continue
		}
		c := fold.LedgerChange{Offset: offset, ID: r.ID}
		if r.Label != "" {
			c.Put = &fold.Learned{Label: r.Label, By: r.By, Weight: r.Weight, Topic: src.Topic, Partition: src.Partition,
				Offset: offset, Sum: uint64(offset) * 7, Ahead: ahead}
			if !s.Spec().Limits.Window.Age.IsZero() {
				c.Put.Time = timeOf(offset)
			}
		}
		d.Ranges[0].Ledger = append(d.Ranges[0].Ledger, c)
		pending[r.ID] = c.Put
	}
	d.Counts = w.builder.Delta()
	return d
}

// timeOf returns the time of the record at an offset, in milliseconds: about an hour for each, not
// in order.
func timeOf(offset int64) int64 {
	const hour = 3_600_000
	return (1000 + offset - 3*(offset%4)) * hour
}

// Upkeep returns the delta that takes out the documents that are owed and whose text can be read,
// and names the others; nil if there is none.
func (w *Writer) Upkeep(tb Fataler, s *fold.State, src fold.Source, records []Record) *fold.Delta {
	tb.Helper()
	if s.Ledger(src) == nil {
		return nil
	}
	w.builder.Reset()
	p, _ := s.Progress(src)
	d := &fold.Delta{
		Ranges:   []fold.Range{{Source: src, Start: p.Watermark, End: p.Watermark}},
		Counting: w.spec.Counting(),
		Log:      s.Log(),
	}
	d.BuildOn(s.Basis(src))
	for c := range s.Ledger(src).Owed() {
		if w.Gone != nil && w.Gone(c.Put.Offset) {
			d.Ranges[0].Ledger = append(d.Ranges[0].Ledger, fold.LedgerChange{Offset: c.Offset, ID: c.ID, Gone: true})
			continue
		}
		w.observe(tb, c.Put.Label, c.Put.Ahead, -c.Put.Weight, &records[c.Put.Offset])
		d.Ranges[0].Ledger = append(d.Ranges[0].Ledger, fold.LedgerChange{Offset: c.Offset, ID: c.ID})
	}
	if len(d.Ranges[0].Ledger) == 0 {
		return nil
	}
	d.Counts = w.builder.Delta()
	return d
}

// find returns the ledger's entry of an ID, with the pending changes.
func find(l *fold.Ledger, pending map[string]*fold.Learned, id string) (fold.Learned, bool) {
	if id == "" {
		return fold.Learned{}, false
	}
	if p, ok := pending[id]; ok {
		if p == nil {
			return fold.Learned{}, false
		}
		return *p, true
	}
	if l != nil {
		if entry, known := l.Entry(id); known {
			return *entry.Put, true
		}
	}
	return fold.Learned{}, false
}

// observe adds a record to the delta, and what it corrects; a negative weight unlearns it.
func (w *Writer) observe(tb Fataler, label, ahead string, weight int64, r *Record) {
	tb.Helper()
	in := r.Input()
	var f model.Features
	w.extract.Extract(&f, &in)
	w.builder.Observe(label, weight, &f)
	if ahead != "" {
		w.builder.Correct(label, ahead, weight, &f)
	}
}
