package experiment

import (
	"math/rand/v2"

	"bayestream/internal/tools/lab/dataset"
)

// Shuffle puts the documents into a random order, the same for a seed.
func (c *Corpus) Shuffle(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(c.Documents), func(i, j int) { c.Documents[i], c.Documents[j] = c.Documents[j], c.Documents[i] })
}

// Order returns the order in which the documents come.
func (c *Corpus) Order() *dataset.Order {
	var o dataset.Order
	for i := range c.Documents {
		o.Add(c.Documents[i].Label)
	}
	return &o
}
