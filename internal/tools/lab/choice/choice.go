// Package choice finds out which candidate of a race decides on documents of files: as on a stream,
// each is scored before it is learned.
//
// Files come in any order, such as class after class, so the stream is a shuffle: by the hashes of
// ids. Counts do not depend on the order. The documents that come last can be taken out when all
// have been learned, and are then scored and learned again: only these are kept in memory.
package choice

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
)

const (
	// Most is how many documents are scored at most: enough to tell candidates apart. One in share of
	// those that were learned is, so that it takes less time than training, but of fewer than share *
	// least these.
	Most  = 5000
	least = 2000
	share = 7
	// Where documents may correct, so many are judged for one that is scored, and leastJudged of all: to
	// judge all of 20,000 reviews takes as long as to learn them, and gains nothing. Of documents with
	// few terms, each once a document, mostJudged are.
	judged      = 3
	leastJudged = 10_000
	mostJudged  = 20_000
	fewTerms    = 1_000_000
	manyRuns    = 10_000_000 // of characters, of 8 bytes
)

// Sample is the documents with the largest keys. Which they are depends on their keys and, but for
// chance (see spare), not on their order.
type Sample struct {
	documents []document
	corrects  bool
	learned   int64             // documents; those of the sample's own files once each, whatever their weight
	room      int               // how many documents there may be before it shrinks
	limit     digest.Sum        // no smaller key can be in the sample
	labels    map[string]string // of the documents, each once
}

// document is a document of a sample.
type document struct {
	key      digest.Sum
	label    string
	weight   int64
	features *model.Features
	ahead    string // against which class it corrected in Race; "": it did not
}

// NewSample returns an empty sample for a model of a spec that has learned so many documents.
func NewSample(spec *spec.Spec, learned int64) *Sample {
	s := &Sample{corrects: spec.Corrects(), learned: learned, labels: map[string]string{}}
	least, _ := s.needed(s.spare())
	s.room = least * 3 / 2
	return s
}

// Key returns the key of a document, by which documents are shuffled: the hash of its id, or of its
// place among all documents if it has none.
func Key(id string, hasID bool, place int) digest.Sum {
	if !hasID {
		id = strconv.Itoa(place)
	}
	return digest.HashString(id)
}

// Learn says that a document is learned, and reports whether it may be in the sample; then it must
// be added.
func (s *Sample) Learn(key digest.Sum) (wanted bool) {
	s.learned++
	return key >= s.limit
}

// Replace says that the document learned next takes the place of an earlier one with its key.
func (s *Sample) Replace() { s.learned-- }

// Add adds a document, whose features must not change any more. A later one with the same key
// replaces the earlier one.
func (s *Sample) Add(key digest.Sum, label string, weight int64, f *model.Features) {
	own, ok := s.labels[label]
	if !ok {
		own = strings.Clone(label)
		s.labels[own] = own
	}
	s.documents = append(s.documents, document{key: key, label: own, weight: weight, features: f})
	if len(s.documents) == s.room {
		s.shrink(s.spare())
		s.room = max(s.room, len(s.documents)*3/2)
	}
}

// size returns how many documents are scored of so many that were learned, if there are so many.
func size(learned int64) int { return int(min(max(learned/share, least), Most)) }

// spare returns how many documents are scored at most in the end. The share of keys that is needed
// never grows while documents are counted once each, whatever their weight; a quarter more makes up
// for chance.
func (s *Sample) spare() int { return min(size(s.learned)*5/4, Most) }

// needed returns how many documents the sample has to have if so many are scored, and how many if
// they have few terms.
func (s *Sample) needed(scored int) (least, most int) {
	if !s.corrects {
		return scored, scored
	}
	least = max(judged*scored, leastJudged)
	return least, max(least, mostJudged)
}

// fits returns how many of the last places the sample has to have.
func (s *Sample) fits(places []place, scored int) int {
	least, most := s.needed(scored)
	terms, runs := 0, 0
	for n := range min(len(places), most) {
		f := s.documents[places[len(places)-1-n].at].features
		terms += f.Bag.Len()
		runs += f.Runs.Len()
		if n >= least && terms > fewTerms || n >= scored && runs > manyRuns {
			return n
		}
	}
	return min(len(places), most)
}

// place is where a document of a key is.
type place struct {
	key digest.Sum
	at  int
}

// shrink removes what is replaced, and keeps of the rest those with the largest keys, in their order:
// as many as needed if so many are scored. It sorts places and not documents, which are larger.
func (s *Sample) shrink(scored int) {
	places := make([]place, len(s.documents))
	for i := range s.documents {
		places[i] = place{s.documents[i].key, i}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.key, b.key), b.at-a.at) })
	places = slices.CompactFunc(places, func(a, b place) bool { return a.key == b.key }) // keeps the last that was added
	if n := s.fits(places, scored); n < len(places) {
		places = places[len(places)-n:]
		s.limit = places[0].key
	}
	kept := make([]document, 0, s.room)
	for _, p := range places {
		kept = append(kept, s.documents[p.at])
	}
	s.documents = kept
}

// Choose is Race, and has the documents correct in more rounds where that pays.
func (s *Sample) Choose(m *model.Model, r *race.State) error {
	if err := s.Race(m, r); err != nil {
		return err
	}
	return s.repeat(m, r)
}

// Race has the sample race, and the leader decide from here on. The model, which has learned all
// its documents, counts afterwards what it counted before. Where documents may correct, those of the
// sample do; the first of them are not scored, as the model has too few corrections then.
func (s *Sample) Race(m *model.Model, r *race.State) error {
	scored := size(s.learned)
	s.shrink(scored)
	judge := model.NewJudge()
	trial := model.NewTrial()
	trial.Use(r.List())
	delta := model.NewBuilder(m.Spec())
	for _, d := range s.documents {
		delta.Observe(d.label, -d.weight, d.features)
	}
	left := s.documents
	for {
		if err := m.Apply(delta.Delta()); err != nil {
			return err
		}
		r.Fold(r.List().Fingerprint(), trial.Sums)
		if len(left) == 0 {
			m.Lead(r)
			return nil
		}
		trial.Reset()
		delta.Reset()
		n := min(len(left), int(race.MostAhead(m.Classes().Total())))
		for i := range left[:n] {
			d := &left[i]
			if len(left)-i <= scored {
				trial.Race(m, r, d.features, d.label)
			}
			delta.Observe(d.label, d.weight, d.features)
			d.ahead = judge.Correct(m, delta, d.label, d.weight, d.features, 0)
		}
		left = left[n:]
	}
}
