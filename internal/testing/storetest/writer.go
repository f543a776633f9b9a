package storetest

import (
	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/spec"
)

// The reasons for records that a Writer reads and does not count.
const (
	UnknownID     = "unknown_id"     // a forget of an id that is not in the ledger
	CannotUnlearn = "cannot_unlearn" // the text to take out is gone
)

// Writer turns records of a partition into deltas, as ingest does: with the ledger of a state, and its
// own changes to it on top.
type Writer struct {
	spec    *spec.Spec
	extract *model.Extractor
	builder *model.Builder
	// Gone says that the text of a record cannot be read any more; nil: all can.
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

// Pending are changes of the ledger that no state has folded yet; a nil entry was forgotten.
type Pending map[string]*fold.Learned

// Delta returns the delta of records[start:end], which are those of the source by offset. The state, and
// pending on top of it, must have folded all records before start; what the delta changes is added to
// pending, so that a chain of deltas can be built.
func (w *Writer) Delta(tb Fataler, s *fold.State, src fold.Source, records []Record, start, end int64, pending Pending) *fold.Delta {
	tb.Helper()
	w.builder.Reset()
	d := &fold.Delta{Counting: w.spec.Counting(), Source: src, Start: start, End: end, FromStart: start == 0}
	skip := func(offset int64, reason string) {
		d.Skipped = append(d.Skipped, fold.Skipped{Offset: offset, Reason: reason})
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
			w.observe(tb, before.Label, -before.Weight, &records[before.Offset])
		}
		if r.Label != "" {
			w.observe(tb, r.Label, r.Weight, r)
		}
		if r.ID != "" {
			c := fold.LedgerChange{Offset: offset, ID: r.ID}
			if r.Label != "" {
				c.Put = &fold.Learned{Label: r.Label, Weight: r.Weight, Topic: src.Topic, Partition: src.Partition, Offset: offset, Sum: uint64(offset) * 7}
			}
			d.Ledger = append(d.Ledger, c)
			pending[r.ID] = c.Put
		}
	}
	d.Counts = w.builder.Delta()
	return d
}

func find(l *fold.Ledger, pending Pending, id string) (fold.Learned, bool) {
	if id == "" {
		return fold.Learned{}, false
	}
	if p, ok := pending[id]; ok {
		if p == nil {
			return fold.Learned{}, false
		}
		return *p, true
	}
	if l == nil {
		return fold.Learned{}, false
	}
	return l.Find(id)
}

func (w *Writer) observe(tb Fataler, label string, weight int64, r *Record) {
	tb.Helper()
	in := r.Input()
	var f model.Features
	if err := w.extract.Extract(&f, &in); err != nil {
		tb.Fatalf("extract: %v", err)
	}
	w.builder.Observe(label, weight, &f)
}
