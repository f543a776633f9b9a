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
	s.found = s.found[:0]
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
		slices.SortFunc(s.found, func(x, y candidate) int { return s.larger(x, y, f) })
	}
	s.show(dst, f)
	for _, c := range s.found {
		sum += c.weight
	}
	return sum
}

func (s *Scorer) weighTerms(f *Features, a, b, limit int) {
	t := s.m.text
	presence := s.m.spec.Text.Likelihood == Bernoulli
	for i, row := range s.rows {
		if row < 0 {
			continue
		}
		w := s.m.textWeight() * s.m.event.Weight(t, int(row), a, b)
		if !presence {
			w *= float64(f.Bag.Count(i))
		}
		s.offer(candidate{w, int32(i), 0}, f, limit)
	}
}

// offer keeps a candidate if it is among the limit largest so far.
func (s *Scorer) offer(c candidate, f *Features, limit int) {
	n := len(s.found)
	switch {
	case limit == 0:
		s.found = append(s.found, c)
		return
	case n < limit:
		s.found = append(s.found, c)
	case math.Abs(c.weight) < math.Abs(s.found[n-1].weight) || s.larger(c, s.found[n-1], f) >= 0:
		return
	default:
		s.found[n-1] = c
	}
	for i := len(s.found) - 1; i > 0 && s.larger(s.found[i], s.found[i-1], f) < 0; i-- {
		s.found[i], s.found[i-1] = s.found[i-1], s.found[i]
	}
}

// larger orders evidence by size of the weight, then terms before blocks, then by name.
func (s *Scorer) larger(x, y candidate, f *Features) int {
	if c := cmp.Compare(math.Abs(y.weight), math.Abs(x.weight)); c != 0 {
		return c
	}
	switch {
	case x.term >= 0 && y.term >= 0:
		return bytes.Compare(f.Bag.Term(int(x.term)), f.Bag.Term(int(y.term)))
	case x.term < 0 && y.term < 0:
		return cmp.Compare(x.block, y.block)
	}
	return cmp.Compare(y.term, x.term)
}

// show turns what was found into evidence. The terms share one string: one allocation for a document.
func (s *Scorer) show(dst *Decision, f *Features) {
	s.names = s.names[:0]
	for _, c := range s.found {
		if c.term >= 0 {
			s.names = append(s.names, f.Bag.Term(int(c.term))...)
		}
	}
	names := string(s.names)
	for _, c := range s.found {
		if c.term < 0 {
			dst.Evidence = append(dst.Evidence, s.blockEvidence(c))
			continue
		}
		n := len(f.Bag.Term(int(c.term)))
		dst.Evidence = append(dst.Evidence, Evidence{Term: names[:n], Count: int(f.Bag.Count(int(c.term))), Weight: c.weight})
		names = names[n:]
	}
}

func (s *Scorer) blockEvidence(c candidate) Evidence {
	if i := int(c.block); i < len(s.m.numbers) {
		return Evidence{Block: s.m.numbers[i].name, Fields: s.m.numbers[i].names, Weight: c.weight}
	}
	v := &s.m.blocks[int(c.block)-len(s.m.numbers)]
	return Evidence{Block: v.name, Fields: v.names, Weight: c.weight}
}
