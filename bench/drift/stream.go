package main

import (
	"fmt"
	"math/rand/v2"

	"bayestream/internal/bow"
)

// kind is a kind of stream.
type kind struct {
	name   string
	noise  float64       // share of the records with a label by chance
	change func(*stream) // what the drift is; nil: there is none
}

var kinds = []kind{
	{"quiet", 0, nil},
	{"quiet, a tenth of the labels by chance", 0.1, nil},
	{"two labels change places", 0, func(s *stream) { s.labels[0], s.labels[1] = s.labels[1], s.labels[0] }},
	{"a class has other words", 0, func(s *stream) { s.words[0] = 5000 }},
	{"all classes have other words", 0, func(s *stream) {
		for c := range s.words {
			s.words[c] += 5000
		}
	}},
	{"a tenth of the labels by chance", 0, func(s *stream) { s.noise = 0.1 }},
	{"from a tenth of the labels by chance to three", 0.1, func(s *stream) { s.noise = 0.3 }},
}

// stream makes documents.
type stream struct {
	rnd    *rand.Rand
	zipf   *rand.Zipf
	labels []string
	words  []int // by class: the number of its first own word
	noise  float64
	term   []byte
}

func newStream(seed uint64, noise float64) *stream {
	rnd := rand.New(rand.NewPCG(seed, 0))
	return &stream{rnd: rnd, zipf: rand.NewZipf(rnd, 1.2, 8, 2000), labels: []string{"a", "b", "c", "d"},
		words: []int{100_000, 200_000, 300_000, 400_000}, noise: noise}
}

// ownShare is the share of the words of a document that are of its class.
const ownShare = 0.35

// document makes a document of 5 to 24 words, and returns its label.
func (s *stream) document(bag *bow.Bag) string {
	class := s.rnd.IntN(len(s.labels))
	bag.Use(bag.Lexicon())
	for range 5 + s.rnd.IntN(20) {
		word := int(s.zipf.Uint64())
		if s.rnd.Float64() < ownShare {
			word += s.words[class]
		}
		s.term = fmt.Appendf(s.term[:0], "w%d", word)
		bag.Add(s.term)
	}
	if s.rnd.Float64() < s.noise {
		return s.labels[s.rnd.IntN(len(s.labels))]
	}
	return s.labels[class]
}
