package experiment

import (
	"math/rand/v2"
)

// Shuffle puts the documents into a random order, the same for a seed.
func (c *Corpus) Shuffle(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(c.Documents), func(i, j int) { c.Documents[i], c.Documents[j] = c.Documents[j], c.Documents[i] })
}

// Changes returns how often the label changes from one document to the next, and how often it is expected to in a random
// order of the documents.
func (c *Corpus) Changes() (found int, expected float64) {
	counts := map[string]int{}
	for i := range c.Documents {
		counts[c.Documents[i].Label]++
		if i > 0 && c.Documents[i].Label != c.Documents[i-1].Label {
			found++
		}
	}
	n := float64(len(c.Documents))
	for _, k := range counts {
		expected += float64(k) * (n - float64(k)) / n
	}
	return found, expected
}
