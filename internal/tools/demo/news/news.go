// Package news writes an endless stream of short news texts about elections
// and about sport, each with its label, for the demo and for tests.
//
// Every text is built from sentence templates and word lists in this package.
// The two kinds share people, places and much vocabulary (race, run, win,
// campaign, coach, party, defense, poll, state, field). Some sport stories use
// the words of politics and some election stories those of sport, so that a
// classifier has to learn many words, and a few texts stay ambiguous for it.
//
// The labels are always right. Living politicians appear by name in neutral
// statements only; all other people, and all clubs, are invented.
//
// The stream is a pure function of the seed.
package news

import (
	"math/rand/v2"
	"strconv"
)

// The labels of the corpus.
const (
	Election = "election"
	Sports   = "sports"
)

// Item is one labelled news text.
type Item struct {
	ID    string // unique for the seed and the place in the stream: news-SEED-N
	Label string // Election or Sports
	Text  string // a headline and one to three sentences
}

// stream separates this generator's random sequence from other uses of the seed.
const stream = 0x6e657773

// Generator writes items one after the other. It is not safe for concurrent use.
type Generator struct {
	seed   uint64
	number uint64
	random *rand.Rand
}

// New returns a generator whose items depend on the seed alone.
func New(seed uint64) *Generator {
	return &Generator{seed: seed, random: rand.New(rand.NewPCG(seed, stream))}
}

// Next returns the next item. The stream has no end, and each label is drawn
// with probability one half.
func (g *Generator) Next() Item {
	topic := &topics[g.random.IntN(len(topics))]
	g.number++
	s := &story{random: g.random, topic: topic, cast: map[string]string{}, used: map[string]bool{}}
	return Item{
		ID:    "news-" + strconv.FormatUint(g.seed, 10) + "-" + strconv.FormatUint(g.number, 10),
		Label: topic.label,
		Text:  s.write(),
	}
}
