// Package choice finds out which candidate of a race decides on documents of files: by exact five-fold cross-validation.
//
// A stream scores each record before it learns it. Files are learned in one go, so that a sample of their documents is
// left out again, a fifth of it at a time, and scored by what is left of the model. Counts are integers: that is the model which
// never saw them.
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
	// Most is how many documents are scored at most: enough to tell candidates apart. One in share of those that were learned is, so that
	// it takes half of the time of training, but of fewer than share * least these.
	Most  = 5000
	least = 2000
	share = 7
	folds = 5
)

// Sample is the documents with the smallest keys: which they are depends on the keys alone, not on their order.
type Sample struct {
	documents []document
	limit     digest.Sum // no larger key can be in the sample
}

// document is a document of a sample.
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

// shrink removes what is replaced, and then the largest keys. It sorts places and not documents, which are larger.
func (s *Sample) shrink() {
	type place struct {
		key digest.Sum
		at  int
	}
	places := make([]place, len(s.documents))
	for i := range s.documents {
		places[i] = place{s.documents[i].key, i}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.key, b.key), a.at-b.at) })
	kept := make([]document, 0, len(places))
	for i, p := range places {
		isLast := i+1 == len(places) || places[i+1].key != p.key
		if isLast && len(kept) < Most {
			kept = append(kept, s.documents[p.at])
		}
	}
	if len(kept) == Most {
		s.limit = kept[Most-1].key
	}
	s.documents = kept
}

// Score returns the sums of a list over the sample. The model has learned all its documents; it is as before afterwards.
func (s *Sample) Score(m *model.Model, l *race.List) (*race.Sums, error) {
	s.shrink()
	n := min(max(int(m.Classes().Total()/share), least), len(s.documents))
	parts := make([][]document, folds)
	for _, d := range s.documents[:n] {
		fold := d.key % folds
		parts[fold] = append(parts[fold], d)
	}
	sums := race.NewSums(len(l.Scored()))
	so := race.NewState(l) // as a stream has it: what a fold costs is by the tempers that were the best before
	workers := newWorkers(l)
	left := without(m, l)
	for _, part := range parts {
		if err := left.leave(part); err != nil {
			return nil, err
		}
		of := workers.score(so, left, len(part))
		sums.Add(of)
		so.Fold(l.Fingerprint(), of)
	}
	for i := range workers {
		workers[i].scorer.AddConfidences(sums, so)
	}
	return sums, left.leave(nil)
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
		w[i].scorer.KeepConfidences()
	}
	return w
}

// score returns the scores of the n documents of a part by what is left of the model, in the sums of the first worker.
func (w workers) score(so *race.State, left rest, n int) *race.Sums {
	var wait sync.WaitGroup
	for i := range w {
		wait.Go(func() {
			w[i].sums.Reset()
			for d := i * n / len(w); d < (i+1)*n/len(w); d++ {
				left.add(&w[i], so, d)
			}
		})
	}
	wait.Wait()
	for i := range w[1:] {
		w[0].sums.Add(w[1+i].sums)
	}
	return w[0].sums
}
