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
	"strings"
	"sync"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
)

const (
	// Most is how many documents are scored at most: enough to tell candidates apart. One in share of those that were learned is, so that
	// it takes half of the time of training, but of fewer than share * least these.
	Most  = 5000
	least = 2000
	share = 7
	folds = 5
)

// Sample is the documents with the smallest keys. Which they are depends on their keys and, but for chance (see spare), not on their order.
type Sample struct {
	documents []document
	learned   int64             // documents; those of the sample's own files once each, whatever their weight
	room      int               // how many documents there may be before it shrinks
	limit     digest.Sum        // no larger key can be in the sample
	labels    map[string]string // of the documents, each once
}

// document is a document of a sample.
type document struct {
	key      digest.Sum
	label    string
	weight   int64
	features *model.Features
}

// NewSample returns an empty sample for a model that has learned so many documents.
func NewSample(learned int64) *Sample {
	s := &Sample{learned: learned, limit: math.MaxUint64, labels: map[string]string{}}
	s.room = s.spare() * 3 / 2
	return s
}

// Key returns the key of a document, which says whether it is in the sample and in which fold: by its id, or by its place
// among all documents if it has none.
func Key(id string, hasID bool, place int) digest.Sum {
	if !hasID {
		id = strconv.Itoa(place)
	}
	return digest.HashString(id)
}

// Learn says that a document is learned, and reports whether it may be in the sample; then it must be added.
func (s *Sample) Learn(key digest.Sum) (wanted bool) {
	s.learned++
	return key <= s.limit
}

// Replace says that the document learned next takes the place of an earlier one with its key.
func (s *Sample) Replace() { s.learned-- }

// Add adds a document, whose features must not change any more. A later one with the same key replaces the earlier one.
func (s *Sample) Add(key digest.Sum, label string, weight int64, f *model.Features) {
	own, ok := s.labels[label]
	if !ok {
		own = strings.Clone(label)
		s.labels[own] = own
	}
	s.documents = append(s.documents, document{key, own, weight, f})
	if len(s.documents) == s.room {
		s.shrink(s.spare())
		s.room = max(s.room, len(s.documents)*3/2)
	}
}

// size returns how many documents are scored of so many that were learned, if there are so many.
func size(learned int64) int { return int(min(max(learned/share, least), Most)) }

// spare returns how many documents to keep before all are known. The share of keys that is needed never grows while documents are counted
// once each, whatever their weight; a quarter more makes up for chance.
func (s *Sample) spare() int { return min(size(s.learned)*5/4, Most) }

// shrink removes what is replaced, and keeps the n smallest keys of the rest. It sorts places and not documents, which are larger.
func (s *Sample) shrink(n int) {
	type place struct {
		key digest.Sum
		at  int
	}
	places := make([]place, len(s.documents))
	for i := range s.documents {
		places[i] = place{s.documents[i].key, i}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.key == b.key {
			return a.at - b.at
		}
		return cmp.Compare(a.key, b.key)
	})
	kept := make([]document, 0, s.room)
	for i, p := range places {
		isLast := i+1 == len(places) || places[i+1].key != p.key
		if isLast && len(kept) < n {
			kept = append(kept, s.documents[p.at])
		}
	}
	if len(kept) == n {
		s.limit = kept[n-1].key
	}
	s.documents = kept
}

// Score returns the sums of a list over the sample. The model has learned all its documents; it is as before afterwards.
func (s *Sample) Score(m *model.Model, l *race.List) (*race.Sums, error) {
	s.shrink(size(s.learned))
	parts := make([][]document, folds)
	for _, d := range s.documents {
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
