package codec_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

// encodedCounts returns the bytes that the counts of a delta take in the log.
func encodedCounts(t storetest.Fataler, s *spec.Spec, d *model.Delta) int {
	t.Helper()
	r := &logpb.Record{}
	if err := proto.Unmarshal(encode(t, &fold.Delta{Ranges: []fold.Range{{Source: storetest.Training, End: 1}},
		Counting: s.Counting(),
		Counts:   d}), r); err != nil {
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
		s := storetest.Spec(t, []string{spec.Multinomial, storetest.Corrected}[draw("corrects", 2)], 1000, 1000)
		b := model.NewBuilder(s)
		for range draw("documents", 6) {
			label := strings.Repeat("l", 1+draw("label", 256))
			weight := []int64{1, 1000, -1000, 1 << 40}[draw("weight", 4)]
			f := features(draw("terms", 40), 4+draw("length", 60), draw("from", 40))
			b.Observe(label, weight, f)
			b.Correct(label, strings.Repeat("l", 1+draw("ahead", 256)), weight, f)
		}
		if got, bound := encodedCounts(t, s, b.Delta()), codec.Bound(b.Size()); got > bound {
			t.Fatalf("%d bytes, Bound said at most %d", got, bound)
		}
	})
}

// The scores of a delta, as many and as large as they get, take at most what BoundScores says.
func TestBoundScores(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	for n := range spec.MaxCandidates + 1 {
		sp.Race = &spec.Race{}
		for i := range n {
			sp.Race.Candidates = append(sp.Race.Candidates, spec.Candidate{Likelihood: spec.Multinomial, Alpha: float64(i + 1)})
		}
		l := race.Of(sp)
		s := race.NewSums(n)
		s.Scored = 1 << 20
		s.Decided = race.Decided{Errors: s.Scored, Loss: s.Scored * race.MaxLoss}
		for i := range race.Bins {
			s.Decided.Confidence[i].Records, s.Decided.Confidence[i].Right, s.Decided.Confidence[i].Sum = s.Scored, s.Scored, s.Scored*race.Unit
		}
		for i := range s.By {
			s.By[i].Errors, s.By[i].Cost = s.Scored, s.Scored*race.Unit
			for j := range s.By[i].Loss {
				s.By[i].Loss[j] = s.Scored * race.MaxLoss
			}
		}
		if got, bound := proto.Size(codec.ScoresProto(l.Fingerprint(), s)), codec.BoundScores(n); got > bound {
			t.Errorf("%d candidates: %d bytes, BoundScores said at most %d", n, got, bound)
		}
	}
}

// TestLargestTextFits: the largest change that one record can bring, a text of as many terms as the
// limits allow in the place of another, is not larger than LargestText says; by the default limits
// it fits where the topic's limit is not known.
func TestLargestTextFits(t *testing.T) {
	byDefault := spec.Default()
	if got := codec.LargestText(byDefault); got > codec.MaxDelta {
		t.Errorf("by the default limits %d bytes, the limit is %d", got, codec.MaxDelta)
	}
	for _, terms := range []int{1, 5_000, 24_000} {
		s := modeltest.Spec(t, fmt.Sprintf("limits: {terms_per_document: %d}\ntext: {corrections: %v}", terms, terms < 24_000))
		b := model.NewBuilder(s)
		b.Observe(strings.Repeat("a", 256), -1000, words(terms, 0))
		b.Correct(strings.Repeat("a", 256), strings.Repeat("c", 256), -1000, words(terms, 0))
		b.Observe(strings.Repeat("b", 256), 1000, words(terms, terms))
		put := &fold.Learned{Label: strings.Repeat("b", 256), Weight: 1000, Topic: strings.Repeat("t", 249), Offset: 1 << 60, Sum: 1 << 60}
		value := encode(t, &fold.Delta{
			Ranges:   []fold.Range{{Source: storetest.Training, Start: 1 << 60, End: 1<<60 + 1, Ledger: []fold.LedgerChange{{Offset: 1 << 60, ID: strings.Repeat("i", 512), Put: put}}}},
			Counting: s.Counting(),
			Counts:   b.Delta(),
		})
		largest := codec.LargestText(s)
		if bound := codec.Bound(b.Size()) + codec.LargestChange; len(value) > bound || bound > largest {
			t.Errorf("%d terms: %d bytes, Bound says %d, LargestText %d", terms, len(value), bound, largest)
		}
		if limit := codec.DeltaLimit(4 << 20); largest > limit {
			t.Errorf("%d terms take %d bytes, a topic of 4 MiB has room for %d", terms, largest, limit)
		}
	}
}

// words returns a document of the longest terms, from a number on.
func words(terms, from int) *model.Features {
	f := &model.Features{}
	for i := range terms {
		f.Bag.Add(fmt.Appendf(nil, "%064d", from+i))
	}
	return f
}

func TestDeltaLimit(t *testing.T) {
	for topic, want := range map[int]int{
		-1: codec.MaxDelta, 0: codec.MaxDelta, 100_000: 50_000, 1 << 20: 960 << 10, 4 << 20: 4032 << 10, math.MaxInt32: 32 << 20,
	} {
		if got := codec.DeltaLimit(topic); got != want {
			t.Errorf("with max.message.bytes %d a delta has at most %d bytes, want %d", topic, got, want)
		}
	}
	largest := &spec.Spec{Limits: spec.Limits{TermsPerDocument: 200_000, TermBytes: 64}}
	if got, most := codec.LargestText(largest), codec.DeltaLimit(math.MaxInt32); got > most {
		t.Errorf("the most terms that a spec allows take %d bytes, no topic takes more than %d", got, most)
	}
	const kafka = 1 << 20 // message.max.bytes of a topic that nobody configured
	if codec.MaxDelta > codec.DeltaLimit(kafka) {
		t.Errorf("MaxDelta %d leaves too little room below Kafka's %d", codec.MaxDelta, kafka)
	}
}
