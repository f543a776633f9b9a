package model

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// candidate is a piece of evidence before it is known whether it is shown.
type candidate struct {
	weight float64
	term   int32 // of the bag; -1: a block
	block  int32 // of numbers, then tables of values
}

// weigh sets dst.Evidence to what each known term and each block says for class a against class b, the
// largest first, and returns the sum of what is kept. A limit of 0 keeps all, a negative one none.
func (s *Scorer) weigh(dst *Decision, f *Features, a, b, limit int) (sum float64) {
	if limit < 0 {
		return 0
	}
	s.weights, s.sizes = s.weights[:0], s.sizes[:0]
	if s.m.text != nil {
		s.weighTerms(f, a, b)
	}
	s.weighBlocks(s.numbers, s.voted, a, b)
	s.weighBlocks(s.values, s.valued, a, b)
	if limit == 0 {
		limit = len(s.sizes)
	}
	s.pick(f, limit)
	s.show(dst, f)
	for _, c := range s.found {
		sum += c.weight
	}
	return sum
}

// weighTerms sets the weights and sizes of the terms of the bag.
func (s *Scorer) weighTerms(f *Features, a, b int) {
	if s.inLogs {
		s.weights = s.logs.appendWeights(s.weights, s.rows, a, b)
	} else {
		s.weights = s.m.event.AppendWeights(s.weights, s.m.text, s.rows, a, b)
	}
	scale, presence := s.m.textWeight(), s.m.spec.Text.Likelihood == Bernoulli
	for i, w := range s.weights {
		w *= scale
		if !presence {
			w *= float64(f.Bag.Count(i))
		}
		s.weights[i] = w
		s.sizes = append(s.sizes, sizeOf(w)&s.ifKnown(i))
	}
}

// ifKnown returns all ones for a term that is known, else zero.
func (s *Scorer) ifKnown(i int) uint64 {
	if s.inLogs {
		return uint64(-int64(s.rows[i]) >> 63)
	}
	return ^uint64(int64(s.rows[i]) >> 63)
}

// weighBlocks appends the weights and sizes of blocks, by block, then class number.
func (s *Scorer) weighBlocks(blocks [][]float64, spoke []bool, a, b int) {
	for i, ok := range spoke {
		w, size := 0.0, uint64(0)
		if ok {
			w = blocks[i][a] - blocks[i][b]
			size = sizeOf(w)
		}
		s.weights, s.sizes = append(s.weights, w), append(s.sizes, size)
	}
}

// sizeOf returns a number that orders weights by their size, larger than that of what has none: 0.
func sizeOf(weight float64) uint64 { return math.Float64bits(math.Abs(weight)) + 1 }

// pick sets s.found to the limit largest, in order. Which of two words says more is nothing that a processor
// could guess, so that a few are chosen without branches on that.
func (s *Scorer) pick(f *Features, limit int) {
	s.found = s.found[:0]
	if limit > fewEvidence || limit >= len(s.sizes) {
		s.collect(1)
		slices.SortFunc(s.found, func(x, y candidate) int { return s.larger(&x, &y, f) })
	} else {
		s.setLargest(limit)
		s.collect(max(s.largest[limit-1], 1))
		s.arrange(f)
	}
	s.found = s.found[:min(limit, len(s.found))] // there may be more of the size of the last
}

// fewEvidence is how much evidence is chosen one by one.
const fewEvidence = 32

// setLargest sets s.largest to the limit largest sizes, the largest first: each size sinks to its place by
// exchanges.
func (s *Scorer) setLargest(limit int) {
	s.largest = append(s.largest[:0], make([]uint64, limit)...)
	largest := s.largest
	last := &largest[limit-1]
	for _, size := range s.sizes {
		if size <= *last {
			continue
		}
		for i, other := range largest {
			largest[i] = max(size, other)
			size = min(size, other)
		}
	}
}

// collect appends what has at least a size to s.found.
func (s *Scorer) collect(least uint64) {
	terms := len(s.rows)
	for i, size := range s.sizes {
		if size < least {
			continue
		}
		c := candidate{weight: s.weights[i], term: int32(i)}
		if i >= terms {
			c.term, c.block = -1, int32(i-terms)
		}
		s.found = append(s.found, c)
	}
}

// arrange puts s.found in order: each candidate comes behind those that are larger.
func (s *Scorer) arrange(f *Features) {
	s.arranged = append(s.arranged[:0], s.found...)
	for i := range s.found {
		size, at := sizeOf(s.found[i].weight), 0
		for j := range i {
			at += int((size - 1 - sizeOf(s.found[j].weight)) >> 63) // 1 if that is at least as large
		}
		for j := i + 1; j < len(s.found); j++ {
			at += int((size - sizeOf(s.found[j].weight)) >> 63) // 1 if it is larger
		}
		s.arranged[at] = s.found[i]
	}
	s.found, s.arranged = s.arranged, s.found
	for i := 1; i < len(s.found); i++ {
		for j := i; j > 0 && s.larger(&s.found[j], &s.found[j-1], f) < 0; j-- { // of one size, by name
			s.found[j], s.found[j-1] = s.found[j-1], s.found[j]
		}
	}
}

// larger orders evidence by size of the weight, and what has the same by kind and name.
func (s *Scorer) larger(x, y *candidate, f *Features) int {
	switch sizeX, sizeY := math.Abs(x.weight), math.Abs(y.weight); {
	case sizeX > sizeY:
		return -1
	case sizeX < sizeY:
		return 1
	}
	return s.byName(x, y, f)
}

// byName orders evidence of the same weight: terms before blocks, then by name.
func (s *Scorer) byName(x, y *candidate, f *Features) int {
	switch {
	case x.term >= 0 && y.term >= 0:
		return bytes.Compare(f.Bag.Term(int(x.term)), f.Bag.Term(int(y.term)))
	case x.term < 0 && y.term < 0:
		return cmp.Compare(x.block, y.block)
	}
	return cmp.Compare(y.term, x.term)
}

// show turns what was found into evidence.
func (s *Scorer) show(dst *Decision, f *Features) {
	for i := range s.found {
		c := &s.found[i]
		if c.term < 0 {
			dst.Evidence = append(dst.Evidence, s.blockEvidence(c))
			continue
		}
		dst.Evidence = append(dst.Evidence, Evidence{Term: f.Bag.Name(int(c.term)), Count: int(f.Bag.Count(int(c.term))), Weight: c.weight})
	}
}

func (s *Scorer) blockEvidence(c *candidate) Evidence {
	if i := int(c.block); i < len(s.m.numbers) {
		return Evidence{Block: s.m.numbers[i].name, Fields: s.m.numbers[i].names, Weight: c.weight}
	}
	v := &s.m.blocks[int(c.block)-len(s.m.numbers)]
	return Evidence{Block: v.name, Fields: v.names, Weight: c.weight}
}
