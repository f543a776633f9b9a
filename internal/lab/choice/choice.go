// Package choice finds out which candidate of a race decides on documents of files: by exact five-fold cross-validation.
//
// A stream scores each record before it learns it. Files are learned in one go, so that a sample of their documents is
// taken out of the model again, a fifth of it at a time, and scored by what is left. Counts are integers: the model is then the one that
// never saw them, and afterwards the one it was.
package choice

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"bayestream/internal/digest"
	"bayestream/internal/model"
	"bayestream/internal/race"
)

const (
	// Most is how many documents are scored: enough to tell candidates apart, in a fraction of the time of training on 10,000.
	Most  = 2500
	folds = 5
)

// Sample is the documents with the smallest keys: which they are depends on the keys alone, not on their order.
type Sample struct {
	documents []document
	limit     digest.Sum // no larger key can be in the sample
}

// document is a document of a sample. In their order of keys those with an equal key are in the order in which they came.
type document struct {
	key      digest.Sum
	label    string
	weight   int64
	features *model.Features
}

// NewSample returns an empty sample.
func NewSample() *Sample { return &Sample{limit: math.MaxUint64} }

// Key returns the key of a document, which says whether it is in the sample and in which fold: by its id, or by its place
// among all documents if it has none.
func Key(id string, hasID bool, place int) digest.Sum {
	if !hasID {
		id = strconv.Itoa(place)
	}
	return digest.HashString(id)
}

// Takes reports whether a document with the key may be in the sample.
func (s *Sample) Takes(key digest.Sum) bool { return key <= s.limit }

// Add adds a document, whose features must not change any more. A later one with the same key replaces the earlier one.
func (s *Sample) Add(key digest.Sum, label string, weight int64, f *model.Features) {
	if !s.Takes(key) {
		return
	}
	s.documents = append(s.documents, document{key, label, weight, f})
	if len(s.documents) == 2*Most {
		s.shrink()
	}
}

// shrink removes what is replaced, and then the largest keys.
func (s *Sample) shrink() {
	slices.SortStableFunc(s.documents, func(a, b document) int { return cmp.Compare(a.key, b.key) })
	kept := s.documents[:0]
	for i, d := range s.documents {
		if i+1 == len(s.documents) || s.documents[i+1].key != d.key {
			kept = append(kept, d)
		}
	}
	if len(kept) > Most {
		kept = kept[:Most]
		s.limit = kept[Most-1].key
	}
	clear(s.documents[len(kept):])
	s.documents = kept
}

// Score returns the sums of a list over the sample. The model has learned all its documents; it is as before afterwards.
func (s *Sample) Score(m *model.Model, l *race.List) (*race.Sums, error) {
	s.shrink()
	parts := make([][]document, folds)
	for _, d := range s.documents {
		fold := d.key % folds
		parts[fold] = append(parts[fold], d)
	}
	sums := race.NewSums(len(l.Scored()))
	so := race.NewState(l) // as a stream has it: each fold is scored with the tempers that were the best before
	workers := newWorkers(l)
	builder := model.NewBuilder(m.Spec())
	for _, part := range parts {
		if err := change(m, builder, part, -1); err != nil {
			return nil, err
		}
		of := workers.score(so, m, part)
		sums.Add(of)
		so.Fold(l.Fingerprint(), of)
		if err := change(m, builder, part, 1); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// change adds documents to the model, or with sign -1 takes them out.
func change(m *model.Model, b *model.Builder, part []document, sign int64) error {
	b.Reset()
	for _, d := range part {
		b.Observe(d.label, sign*d.weight, d.features)
	}
	return m.Apply(b.Delta())
}

// workers score documents at the same time.
type workers []worker

type worker struct {
	scorer *model.RaceScorer
	sums   *race.Sums
}

func newWorkers(l *race.List) workers {
	w := make(workers, runtime.GOMAXPROCS(0))
	for i := range w {
		w[i] = worker{model.NewRaceScorer(l), race.NewSums(len(l.Scored()))}
	}
	return w
}

// score returns the scores of documents by a model that has not learned them, in the sums of the first worker.
func (w workers) score(so *race.State, m *model.Model, part []document) *race.Sums {
	var wait sync.WaitGroup
	for i := range w {
		begin, end := i*len(part)/len(w), (i+1)*len(part)/len(w)
		wait.Go(func() {
			w[i].sums.Reset()
			for _, d := range part[begin:end] {
				w[i].scorer.Add(w[i].sums, so, m, d.features, d.label)
			}
		})
	}
	wait.Wait()
	for i := range w[1:] {
		w[0].sums.Add(w[1+i].sums)
	}
	return w[0].sums
}
