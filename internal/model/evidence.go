package model

import (
	"bayestream/internal/spec"
	"bytes"
	"cmp"
	"math"
	"slices"
)

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
	for _, i := range s.found {
		sum += s.weights[i]
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
	scale, presence := s.m.textWeight(), s.m.spec.Text.Likelihood == spec.Bernoulli
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

// sizeOf returns a number that orders weights by their size, below 2^63 and larger than that of what has
// none: 0.
func sizeOf(weight float64) uint64 { return math.Float64bits(math.Abs(weight)) + 1 }

// fewEvidence is how much evidence is put in order without branches on which of two words says more: that is
// nothing that a processor could guess.
const fewEvidence = 32

// pick sets s.found to where the limit largest weights are, in order.
func (s *Scorer) pick(f *Features, limit int) {
	least := s.least(limit)
	s.found = slices.Grow(s.found[:0], len(s.sizes)+1)[:len(s.sizes)+1]
	n := 0
	for i, size := range s.sizes {
		s.found[n] = int32(i)
		n += 1 - int((size-least)>>63) // 0 if the size is smaller
	}
	s.found = s.found[:n]
	if n <= fewEvidence {
		s.arrange()
		s.arrangeNames(f)
	} else {
		slices.SortFunc(s.found, func(x, y int32) int { return s.compareEvidence(x, y, f) })
	}
	s.found = s.found[:min(limit, n)]
}

// Sizes are counted by steps of a quarter of an octave, from 2^-20 to 2^12; the first step and the last have all
// that is beyond.
const (
	steps     = 128
	stepShift = 50
	firstStep = (1023 - 20) << (52 - stepShift)
)

// least returns a size that the limit largest reach, and not many more; 1 if there are no more than the limit.
func (s *Scorer) least(limit int) uint64 {
	if limit >= len(s.sizes) {
		return 1
	}
	var counts [steps]uint32
	top := uint64(0)
	for _, size := range s.sizes {
		step := min(max(size>>stepShift, firstStep)-firstStep, steps-1)
		counts[step]++
		top = max(top, step)
	}
	n := 0
	for step := top; step > 0; step-- {
		if n += int(counts[step]); n >= limit {
			return (step + firstStep) << stepShift
		}
	}
	return 1
}

// arrange puts few found weights in order: each comes behind those that are larger.
func (s *Scorer) arrange() {
	var sizes [fewEvidence]uint64
	var found [fewEvidence]int32
	n := copy(found[:], s.found)
	for i, at := range found[:n] {
		sizes[i] = s.sizes[at]
	}
	for i, size := range sizes[:n] {
		place := 0
		for _, other := range sizes[:i] {
			place += int((size - 1 - other) >> 63) // 1 if the other is at least as large
		}
		for _, other := range sizes[i+1 : n] {
			place += int((size - other) >> 63) // 1 if the other is larger
		}
		s.found[place] = found[i]
	}
}

// arrangeNames puts those of one size in the order of their names.
func (s *Scorer) arrangeNames(f *Features) {
	for i := 1; i < len(s.found); i++ {
		for j := i; j > 0 && s.compareEvidence(s.found[j], s.found[j-1], f) < 0; j-- {
			s.found[j], s.found[j-1] = s.found[j-1], s.found[j]
		}
	}
}

// compareEvidence orders evidence by size of the weight, the largest first, and of one size terms before
// blocks, terms by name.
func (s *Scorer) compareEvidence(x, y int32, f *Features) int {
	if s.sizes[x] != s.sizes[y] {
		return cmp.Compare(s.sizes[y], s.sizes[x])
	}
	if terms := int32(len(s.rows)); x < terms && y < terms {
		return bytes.Compare(f.Bag.Term(int(x)), f.Bag.Term(int(y)))
	}
	return cmp.Compare(x, y)
}

// show turns what was found into evidence.
func (s *Scorer) show(dst *Decision, f *Features) {
	for _, at := range s.found {
		i := int(at)
		if i >= len(s.rows) {
			dst.Evidence = append(dst.Evidence, s.blockEvidence(i-len(s.rows), s.weights[i]))
			continue
		}
		dst.Evidence = append(dst.Evidence, Evidence{Term: f.Bag.Name(i), Count: int(f.Bag.Count(i)), Weight: s.weights[i]})
	}
}

// blockEvidence returns the evidence of a block of numbers or, after them, a table of values.
func (s *Scorer) blockEvidence(i int, weight float64) Evidence {
	if i < len(s.m.numbers) {
		return Evidence{Block: s.m.numbers[i].name, Fields: s.m.numbers[i].names, Weight: weight}
	}
	v := &s.m.blocks[i-len(s.m.numbers)]
	return Evidence{Block: v.name, Fields: v.names, Weight: weight}
}
