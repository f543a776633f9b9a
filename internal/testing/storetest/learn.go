package storetest

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
)

// Training is the source of the records of Learn.
var Training = fold.Source{Topic: "training"}

// Start returns a state with the spec in force.
func Start(tb Fataler, sp *spec.Spec, keepLedger bool) *fold.State {
	tb.Helper()
	s := fold.New(keepLedger)
	Fold(tb, s, fold.Entry{Spec: sp}, fold.Respecified)
	return s
}

// Fold folds e as the next entry of the log and settles the state. The outcome must be want. A
// delta that says of no delta that it follows it follows the one that was accepted last.
func Fold(tb Fataler, s *fold.State, e fold.Entry, want fold.Outcome) {
	tb.Helper()
	e.Offset = s.Next()
	e.Epoch = 7
	e.CRC = uint32(s.Next()) * 2654435761
	e.Sum = uint64(e.CRC)<<32 | 1
	if d := e.Delta; d != nil && d.Ranges[0].Previous == 0 {
		now := s.Basis(d.Ranges[0].Source)
		d.Ranges[0].Previous, d.EraCRC, d.SpecCRC = now.Previous, now.EraCRC, now.SpecCRC
	}
	got, err := s.Fold(e)
	if err != nil || got != want {
		tb.Fatalf("offset %d: outcome %q, error %v, want %q", e.Offset, got, err, want)
	}
	s.Settle()
}

// Learn counts records of Training from the watermark up to end, in one delta.
func Learn(tb Fataler, s *fold.State, records []Record, end int64) {
	tb.Helper()
	p, _ := s.Progress(Training)
	d := NewWriter(tb, s.Model().Spec()).Delta(tb, s, Training, records, p.Watermark, end)
	Fold(tb, s, fold.Entry{Delta: d}, fold.Accepted)
}

// Learned returns a state that has counted all records, in one delta.
func Learned(tb Fataler, sp *spec.Spec, records []Record) *fold.State {
	tb.Helper()
	s := Start(tb, sp, true)
	Learn(tb, s, records, int64(len(records)))
	return s
}
