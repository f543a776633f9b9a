package fold_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// benchmarkLog returns the values of a log of deltas of so many documents each, of 60 words out of
// 50,000, in 20 classes.
func benchmarkLog(b *testing.B, yaml string, deltas, documents int) [][]byte {
	b.Helper()
	sp := modeltest.Spec(b, yaml)
	first, err := codec.EncodeSpec(sp, fold.LogID{})
	if err != nil {
		b.Fatal(err)
	}
	log := [][]byte{first}
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 10, 50_000)
	words := 60
	if sp.Text == nil {
		words = 0
	}
	builder := model.NewBuilder(sp)
	for i := range deltas {
		builder.Reset()
		for range documents {
			f := &model.Features{}
			for range words {
				f.Bag.Add(fmt.Appendf(nil, "word%d", zipf.Uint64()))
			}
			for range sp.NumberFields() {
				f.Numbers = append(f.Numbers, model.Number{Value: r.Int64N(1e12), Present: true})
			}
			builder.Observe(fmt.Sprintf("class%d", r.IntN(20)), 1, f)
		}
		start := int64(i * documents)
		value, err := codec.EncodeDelta(&fold.Delta{
			Ranges:   []fold.Range{{Source: training, Start: start, End: start + int64(documents)}},
			Counting: sp.Counting(),
			Counts:   builder.Delta(),
		})
		if err != nil {
			b.Fatal(err)
		}
		log = append(log, value)
	}
	return log
}

// BenchmarkFold folds a log as a replica does that catches up.
func BenchmarkFold(b *testing.B) {
	for _, c := range []struct {
		name, yaml        string
		deltas, documents int
	}{
		{"text/small", "text: {}", 2000, 5},
		{"text/large", "text: {}", 50, 1000},
		{"numbers", "numbers: [{fields: [a, b, c, d, e, f, g, h, i, j], likelihood: lda}]", 2000, 5},
	} {
		log := benchmarkLog(b, c.yaml, c.deltas, c.documents)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s := fold.New(true)
				for _, value := range log {
					if _, outcome, err := storetest.FoldRecord(s, &stream.Record{Offset: s.Next(), Value: value}, 0); err != nil || outcome == fold.Invalid {
						b.Fatal(outcome, err)
					}
				}
				s.Settle()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(log)), "µs/delta")
		})
	}
}
