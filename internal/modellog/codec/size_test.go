package codec_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/modellog/logpb"
	"bayestream/internal/spec"
	"bayestream/internal/testing/storetest"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

// encodedCounts returns the bytes that the counts of a delta take in the log.
func encodedCounts(t storetest.Fataler, s *spec.Spec, d *model.Delta) int {
	t.Helper()
	r := &logpb.Record{}
	if err := proto.Unmarshal(encode(t, &fold.Delta{Counting: s.Counting(), Source: storetest.Training, End: 1, Counts: d}), r); err != nil {
		t.Fatalf("decode: %v", err)
	}
	return proto.Size(r.GetDelta().GetCounts())
}

// features returns a document with terms of their own, numbers as wide as they get, and values.
func features(terms, length, from int) *model.Features {
	f := &model.Features{Numbers: make([]model.Number, 4), Categories: make([]model.Category, 2)}
	for i := range terms {
		word := fmt.Sprintf("%0*d", length, from+i)
		f.Bag.Add([]byte(word[len(word)-length:]))
	}
	for i := range f.Numbers {
		f.Numbers[i] = model.Number{Value: math.MaxInt64 - int64(from+i), Present: true}
	}
	for i := range f.Categories {
		f.Categories[i] = model.Category{Value: fmt.Appendf(nil, "value%d", from), Present: true}
	}
	return f
}

// A writer decides by Bound when a delta is full: it must never be too low.
func TestBoundIsAnUpperBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
		s := storetest.Spec(t, spec.Multinomial, 1000, 1000)
		b := model.NewBuilder(s)
		for range draw("documents", 6) {
			label := strings.Repeat("l", 1+draw("label", 256))
			weight := []int64{1, 1000, -1000, 1 << 40}[draw("weight", 4)]
			b.Observe(label, weight, features(draw("terms", 40), 4+draw("length", 60), draw("from", 40)))
		}
		if got, bound := encodedCounts(t, s, b.Delta()), codec.Bound(b.Size()); got > bound {
			t.Fatalf("%d bytes, Bound said at most %d", got, bound)
		}
	})
}

// The largest change that one record can bring, 5,000 terms of 64 bytes in the place of 5,000 others, fits
// into a delta.
func TestLargestRecordFits(t *testing.T) {
	s := storetest.Spec(t, spec.Multinomial, 100000, 1000)
	if s.Limits.TermsPerDocument != 5000 || s.Limits.TermBytes != 64 {
		t.Fatalf("the limits are %+v", s.Limits)
	}
	b := model.NewBuilder(s)
	b.Observe(strings.Repeat("a", 256), -1000, features(5000, 64, 0))
	b.Observe(strings.Repeat("b", 256), 1000, features(5000, 64, 5000))
	put := &fold.Learned{Label: strings.Repeat("b", 256), Weight: 1000, Topic: strings.Repeat("t", 249), Offset: 1 << 60, Sum: 1 << 60}
	value := encode(t, &fold.Delta{
		Counting: s.Counting(), Source: storetest.Training, Start: 1 << 60, End: 1<<60 + 1, Counts: b.Delta(),
		Ledger: []fold.LedgerChange{{Offset: 1 << 60, ID: strings.Repeat("i", 512), Put: put}},
	})
	if len(value) > codec.MaxDelta {
		t.Errorf("%d bytes, the limit is %d", len(value), codec.MaxDelta)
	}
	bound := codec.Bound(b.Size())
	if bound > codec.MaxDelta {
		t.Errorf("Bound says %d, so that it would never be appended; the limit is %d", bound, codec.MaxDelta)
	}
	t.Logf("%d bytes, Bound says %d, the limit is %d", len(value), bound, codec.MaxDelta)
	const kafka = 1 << 20 // message.max.bytes of a topic that nobody configured
	if codec.MaxDelta > kafka-64<<10 {
		t.Errorf("MaxDelta %d leaves too little room below Kafka's %d", codec.MaxDelta, kafka)
	}
}
