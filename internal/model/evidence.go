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
	s.found, s.least = s.found[:0], 0
	if s.m.text != nil {
		s.weighTerms(f, a, b, limit)
	}
	for i, ok := range s.voted {
		if ok {
			s.offer(candidate{s.numbers[i][a] - s.numbers[i][b], -1, int32(i)}, f, limit)
		}
	}
	for i, ok := range s.valued {
		if ok {
			s.offer(candidate{s.values[i][a] - s.values[i][b], -1, int32(len(s.voted) + i)}, f, limit)
		}
	}
	if limit == 0 {
		slices.SortFunc(s.found, func(x, y candidate) int { return s.larger(&x, &y, f) })
	}
	s.show(dst, f)
	for _, c := range s.found {
		sum += c.weight
	}
	return sum
}

func (s *Scorer) weighTerms(f *Features, a, b, limit int) {
	s.weights = s.m.event.AppendWeights(s.weights[:0], s.m.text, s.rows, a, b)
	presence, scale := s.m.spec.Text.Likelihood == Bernoulli, s.m.textWeight()
	for i, row := range s.rows {
		if row < 0 {
			continue
		}
		w := scale * s.weights[i]
		if !presence {
			w *= float64(f.Bag.Count(i))
		}
		if math.Abs(w) >= s.least {
			s.offer(candidate{w, int32(i), 0}, f, limit)
		}
	}
}

// offer keeps a candidate if it is among the limit largest so far.
func (s *Scorer) offer(c candidate, f *Features, limit int) {
	if limit == 0 {
		s.found = append(s.found, c)
		return
	}
	if len(s.found) < limit {
		s.found = append(s.found, c)
	} else if s.larger(&c, &s.found[limit-1], f) >= 0 {
		return
	}
	i, size := len(s.found)-1, math.Abs(c.weight)
	for ; i > 0; i-- {
		before := &s.found[i-1]
		if b := math.Abs(before.weight); size < b || size == b && s.byName(&c, before, f) >= 0 {
			break
		}
		s.found[i] = *before
	}
	s.found[i] = c
	if len(s.found) == limit {
		s.least = math.Abs(s.found[limit-1].weight)
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
