package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

const millionTerms = 1_000_000

// term is the i-th term of the benchmarks, about as long as words are, in no order.
func term(i int) []byte {
	return strconv.AppendUint(nil, uint64(uint32(i)*2654435761), 36)
}

// fullState returns a state of a million terms in 4 classes, and foldTerms, which counts some of
// them again: every step-th.
func fullState(tb testing.TB) (s *fold.State, foldTerms func(n int)) {
	sp := modeltest.Spec(tb, "text: {language: none, stem: false}")
	s = storetest.Start(tb, sp, true)
	b := model.NewBuilder(sp)
	next := int64(0)
	learn := func() {
		storetest.Fold(tb, s, fold.Entry{Delta: &fold.Delta{Ranges: []fold.Range{{Source: storetest.Training, Start: next, End: next + 1}},
			Counting: sp.Counting(),
			Counts:   b.Delta()}}, fold.Accepted)
		next++
		b.Reset()
	}
	f := &model.Features{}
	for i := range millionTerms {
		f.Bag.Add(term(i))
	}
	for c := range 4 {
		b.Observe(fmt.Sprint("class", c), 1, f)
	}
	learn()
	return s, func(n int) {
		f.Bag.Reset()
		for i := range n {
			f.Bag.Add(term((i*7919 + int(next)*104729) % millionTerms))
		}
		b.Observe("class1", 1, f)
		learn()
	}
}

// BenchmarkCheckpoint is Collect, for which the state is locked, and Write, of some dirty rows of a
// million.
func BenchmarkCheckpoint(b *testing.B) {
	state, foldTerms := fullState(b)
	s := storetest.New(b)
	storetest.Checkpoint(b, s, state)
	for _, dirty := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(dirty), func(b *testing.B) {
			var locked time.Duration
			for b.Loop() {
				b.StopTimer()
				foldTerms(dirty)
				b.StartTimer()
				start := time.Now()
				batch := store.Collect(state)
				locked += time.Since(start)
				if err := s.Write(batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(locked.Milliseconds())/float64(b.N), "ms-locked/op")
		})
	}
}

// BenchmarkLoad is what a restart does: Open, which looks through the file, and Load.
func BenchmarkLoad(b *testing.B) {
	state, _ := fullState(b)
	path := filepath.Join(b.TempDir(), "model.db")
	s := storetest.Open(b, path)
	storetest.Checkpoint(b, s, state)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	var opened time.Duration
	for b.Loop() {
		start := time.Now()
		s, err := store.Open(path, time.Second)
		if err != nil {
			b.Fatal(err)
		}
		opened += time.Since(start)
		if got := storetest.Load(b, s).Model().Text().Vocabulary(); got != millionTerms {
			b.Fatalf("%d terms, want %d", got, millionTerms)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(opened.Milliseconds())/float64(b.N), "ms-open/op")
	b.ReportMetric(float64(info.Size())/1e6, "MB-file")
}
