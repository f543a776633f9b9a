package codec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/alloctest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// FuzzDecode folds bytes that may stand in the log. They never panic; what is decoded is a spec, a
// delta that fits the spec, or Unreadable, and never two of them; what the fold refuses changes
// nothing; what it accepts leaves a state that makes sense and can be written down.
func FuzzDecode(f *testing.F) {
	sp, d := nextDelta(f)
	vote := goldenRecords()[:1]
	base := storetest.NewWriter(f, sp).Delta(f, storetest.Start(f, sp, true), storetest.Training, vote, 0, 1)
	f.Add(encode(f, d))
	f.Add(readHex(f, "delta.hex"))
	f.Add(readHex(f, "sum.hex"))
	f.Add(readHex(f, "scored.hex"))
	f.Add(readHex(f, "spec.hex"))
	for name := range goldenControls() {
		f.Add(readHex(f, name))
	}
	f.Add(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1))
	f.Add([]byte(nil))
	for seed := range uint64(4) {
		records := storetest.Records(6, newRand(seed).IntN)
		src := fold.Source{Topic: "training", Partition: 1}
		f.Add(encode(f, storetest.NewWriter(f, sp).Delta(f, storetest.Start(f, sp, true), src, records, 0, 6)))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		var e fold.Entry
		var err error
		known := before(t, sp)
		alloctest.Bound(t, len(value), func() { e, err = codec.Decode(value, known.Next(), known.Reading()) })
		if described := codec.Describe(value, 0); err == nil && e.Unreadable == nil && described.Kind == "unreadable" {
			t.Fatalf("described as %+v, read as %+v", described, e)
		}
		if err != nil {
			var newer *codec.NewerError
			if !errors.As(err, &newer) {
				t.Fatalf("Decode: %v, want a NewerError or none", err)
			}
			return
		}
		mustBeOne(t, e, sp)
		if alone, err := codec.Decode(value, 0, before(t, nil).Reading()); err == nil && alone.Delta != nil && alone.Unreadable != nil {
			t.Fatalf("without a spec: %+v", alone)
		}
		s := storetest.Start(t, sp, true)
		storetest.Fold(t, s, fold.Entry{Delta: base}, fold.Accepted)
		before := dumpOf(t, s)
		e.Offset = s.Next()
		outcome, err := s.Fold(e)
		var voided *fold.VoidedError
		if errors.As(err, &voided) {
			outcome, err = foldVoid(t, s, e, base)
		}
		if err != nil {
			t.Fatal(err)
		}
		switch outcome {
		case fold.Accepted, fold.Respecified, fold.Controlled:
			s.Settle()
			modeltest.MustMakeSense(t, s.Model())
			store.Collect(s)
		default:
			if after := dumpOf(t, s); after != before {
				t.Fatalf("outcome %q; the state was\n%s\nand is\n%s", outcome, before, after)
			}
		}
	})
}

// TestDescribeManyTables: what is said of a record is of its size, also of one with as many tables as
// classes.
func TestDescribeManyTables(t *testing.T) {
	c := &logpb.Counts{Classes: make([]string, 2000), Corrected: make([]int64, 2000), Tables: make([]*logpb.Table, 2000)}
	for i := range c.Tables {
		c.Tables[i] = &logpb.Table{}
	}
	value := describable(t, c)
	alloctest.Bound(t, len(value), func() { codec.Describe(value, 0) })
}

// TestManyRanges: a record of ranges alone takes memory of its size.
func TestManyRanges(t *testing.T) {
	for _, bytes := range []int{2, 15, 17} { // of a range
		of := &logpb.Range{Topic: strings.Repeat("x", max(0, bytes-4))}
		delta := &logpb.Delta{Ranges: slices.Repeat([]*logpb.Range{of}, 100_000)}
		value, err := proto.Marshal(&logpb.Record{Format: codec.Format, Kind: &logpb.Record_Delta{Delta: delta}})
		if err != nil {
			t.Fatal(err)
		}
		alloctest.Bound(t, len(value), func() {
			e, err := codec.Decode(value, 0, fold.Reading{})
			if err != nil || e.Unreadable == nil {
				t.Errorf("ranges of %d bytes are decoded: %v", bytes, err)
			}
		})
		alloctest.Bound(t, len(value), func() { codec.Describe(value, 0) })
	}
}

// describable returns the record of a delta of counts.
func describable(t *testing.T, c *logpb.Counts) []byte {
	t.Helper()
	delta := &logpb.Delta{Counts: c, Ranges: []*logpb.Range{{}}}
	value, err := proto.Marshal(&logpb.Record{Format: codec.Format, Kind: &logpb.Record_Delta{Delta: delta}})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestDescribeCorrections: words alone have cells of corrections, as the fold reads them.
func TestDescribeCorrections(t *testing.T) {
	terms := &logpb.Terms{Bytes: []byte("x"), Lengths: []uint32{1}, Cells: []uint32{1}, Class: []uint32{1}, Count: []int64{2}}
	for kind, want := range map[logpb.Kind]int{logpb.Kind_WORDS: 1, logpb.Kind_VALUES: 0} {
		d := codec.Describe(describable(t, &logpb.Counts{Classes: []string{"a"}, Documents: []int64{1}, Corrected: []int64{1},
			Tables: []*logpb.Table{{Kind: kind, Terms: terms}}}), 0)
		if len(d.Cells) != want || (d.Problem == "") != (want == 1) || want == 1 && d.Cells[0].Class != "a (correction)" {
			t.Errorf("%v: %+v", kind, d)
		}
	}
}

// foldVoid folds a void that may be in force: first as one that is not, then, in a state that
// starts over, as one that is.
func foldVoid(t *testing.T, s *fold.State, e fold.Entry, base *fold.Delta) (fold.Outcome, error) {
	t.Helper()
	before := dumpOf(t, s)
	spec := s.Spec()
	void := fold.KnownVoid{At: e.Offset, CRC: e.CRC, Void: e.Control.Void}
	known := s.VoidsWith(void)
	s.Refuse(e.Offset)
	if outcome, err := s.Fold(e); outcome != fold.Invalid || err != nil || dumpOf(t, s) != before {
		t.Fatalf("a void that was refused: outcome %q, %v, and the state is\n%s\nbefore it was\n%s", outcome, err, dumpOf(t, s), before)
	}
	s.Restart(known)
	for offset, entry := range []fold.Entry{{Spec: spec}, {Delta: base}} {
		entry.Offset = int64(offset)
		if entry.CRC = void.FirstCRC; offset != int(void.From) {
			entry.CRC = void.LastCRC
		}
		if _, err := s.Fold(entry); err != nil && !errors.Is(err, fold.ErrOtherVoid) {
			t.Fatal(err)
		}
	}
	if s.Next() != e.Offset || s.Model() == nil {
		return fold.Invalid, nil
	}
	return s.Fold(e)
}

func mustBeOne(t *testing.T, e fold.Entry, s *spec.Spec) {
	t.Helper()
	n := 0
	for _, is := range []bool{e.Spec != nil, e.Delta != nil, e.Control != nil, e.Unreadable != nil} {
		if is {
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%+v is %d things at once", e, n)
	}
	if e.Delta == nil || e.Delta.Counting != s.Counting() {
		return
	}
	if err := e.Delta.Counts.Validate(s); err != nil {
		t.Fatalf("a delta was decoded that does not fit the spec: %v", err)
	}
	again, err := codec.Decode(encode(t, e.Delta), 0, before(t, s).Reading())
	if err != nil || again.Unreadable != nil {
		t.Fatalf("what was decoded, encoded, is not readable: %v, %v", again.Unreadable, err)
	}
}
