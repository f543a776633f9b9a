package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/multinomial"
)

// TextBlocks are the names of spec.TextTables in evidence, in their order.
var TextBlocks = [spec.TextTables]string{
	lengthTable: "length", longestTable: "longest", nonwordsTable: "nonwords", firstTable: "first", lastTable: "last",
}

// TextTitles say what spec.TextTables are of, for people.
var TextTitles = [spec.TextTables]string{
	lengthTable: "length in tokens", longestTable: "longest token in bytes", nonwordsTable: "tokens that are no words",
	firstTable: "first word", lastTable: "last word",
}

// Places among spec.TextTables: spec.ShapeTables of sizes, then spec.EdgeTables of words.
const (
	lengthTable = iota
	longestTable
	nonwordsTable
	firstTable
	lastTable
)

// IsShape reports whether a block is of the shape of the text: its values are categorical.Sizes.
func IsShape(block string) bool { return slices.Contains(TextBlocks[:spec.ShapeTables], block) }

// fewEvidence is how much evidence is kept in order while it is collected; more is sorted at the
// end.
const fewEvidence = 32

// found is a piece of evidence before it is shown.
type found struct {
	size uint64 // of the weight, see sizeOfWeight
	at   int32  // index of Scorer.weights
}

// weigh sets dst.Evidence to what each known term and each block says for class a against class b,
// the largest first, and returns the sum of what is kept. A limit of 0 keeps all, a negative one
// none.
func (s *Scorer) weigh(dst *Decision, f *Features, a, b, limit int) (sum float64) {
	if limit < 0 {
		return 0
	}
	s.weights = s.weights[:0]
	s.found = s.found[:0]
	s.byField = s.byField[:0]
	least := uint64(0)
	if s.m.text != nil {
		least = s.weighTerms(f, a, b, limit)
	}
	s.weighBlocks(f, a, b, limit, least)
	if !isFew(limit) {
		slices.SortFunc(s.found, func(x, y found) int { return s.compareEvidence(x, y, f) })
		if limit > 0 {
			s.found = s.found[:min(limit, len(s.found))]
		}
	}
	dst.Evidence = slices.Grow(dst.Evidence[:0], len(s.found))[:len(s.found)]
	for i, x := range s.found {
		sum += s.weights[x.at]
		s.setEvidence(&dst.Evidence[i], int(x.at), f, a, b)
	}
	return sum
}

func isFew(limit int) bool { return 0 < limit && limit <= fewEvidence }

// weighTerms weighs the terms of the bag, and returns the least size of a weight that may be
// evidence beside them.
func (s *Scorer) weighTerms(f *Features, a, b, limit int) (least uint64) {
	s.weights = s.words.AppendWeights(s.weights, &f.Bag, a, b)
	scale := s.tau * s.m.weight(&s.by.joined)
	for i, w := range s.weights {
		if math.IsNaN(w) {
			continue
		}
		s.weights[i] = w * scale
		if sizeOfWeight(s.weights[i]) >= least {
			least = s.keep(i, f, limit)
		}
	}
	return least
}

// weighBlocks weighs the blocks that voted; least is as weighTerms returned it.
func (s *Scorer) weighBlocks(f *Features, a, b, limit int, least uint64) {
	for i := range s.votes {
		v := &s.votes[i]
		w := s.tau * (v.scores[a] - v.scores[b])
		s.weights = append(s.weights, w)
		if v.ok && sizeOfWeight(w) >= least {
			least = s.keep(s.terms+i, f, limit)
		}
	}
	if s.m.text == nil {
		return
	}
	weight := s.runsWeight(&s.by.joined)
	if weight == 0 {
		return
	}
	w := s.tau * s.m.weight(&s.by.joined) * weight * (s.runs[a] - s.runs[b])
	s.weights = append(s.weights, w)
	if w != 0 && sizeOfWeight(w) >= least {
		s.keep(s.terms+len(s.votes), f, limit)
	}
}

// sizeOfWeight returns the bits of the size of a weight, in the order of the floats.
func sizeOfWeight(w float64) uint64 { return math.Float64bits(math.Abs(w)) }

// keep adds the i-th weight to s.found, and returns the least size of another one that may be
// added. If the limit is small, s.found is in order and has at most the limit.
func (s *Scorer) keep(i int, f *Features, limit int) (least uint64) {
	x := found{size: sizeOfWeight(s.weights[i]), at: int32(i)}
	if !isFew(limit) {
		s.found = append(s.found, x)
		return 0
	}
	if len(s.found) < limit {
		s.found = append(s.found, x)
	} else if s.compareEvidence(x, s.found[limit-1], f) > 0 {
		return s.found[limit-1].size
	}
	kept := s.found
	at := len(kept) - 1
	for at > 0 && (kept[at-1].size < x.size || s.compareEvidence(x, kept[at-1], f) < 0) {
		kept[at] = kept[at-1]
		at--
	}
	kept[at] = x
	if len(kept) < limit {
		return 0
	}
	return kept[limit-1].size
}

// compareEvidence orders evidence by size of the weight, the largest first, and of one size terms
// before blocks, terms by name.
func (s *Scorer) compareEvidence(x, y found, f *Features) int {
	if x.size != y.size {
		return cmp.Compare(y.size, x.size)
	}
	terms := int32(s.terms)
	if x.at < terms && y.at < terms {
		return strings.Compare(f.Bag.Name(int(x.at)), f.Bag.Name(int(y.at)))
	}
	return cmp.Compare(x.at, y.at)
}

// setEvidence sets e to the i-th weight, for class a against class b, and what it is of: a term, a
// block of numbers or a block of values.
func (s *Scorer) setEvidence(e *Evidence, i int, f *Features, a, b int) {
	*e = Evidence{Weight: s.weights[i]}
	if i < s.terms {
		e.Term = f.Bag.Name(i)
		e.Number = f.Bag.Number(i)
		e.Count = int(f.Bag.Count(i))
		if s.by.text.Candidate().Corrections > 0 {
			part := s.words.(*multinomial.Scorer).Correction(&f.Bag, i, a, b)
			e.Correction = part * s.tau * s.m.weight(&s.by.joined)
		}
		return
	}
	i -= s.terms
	if i < len(s.m.numbers) {
		block := &s.m.numbers[i]
		e.Block = block.name
		e.Fields = block.names
		e.FieldWeights = s.fieldWeights(block, f, a, b)
		return
	}
	i -= len(s.m.numbers)
	if i == len(s.m.values) {
		e.Block = RunsBlock
		e.Fields = s.m.spec.TextFields()
		return
	}
	block := &s.m.values[i]
	e.Block = block.name
	e.Fields = block.names
	e.Value = s.m.valueOf(f, i)
}

// fieldWeights returns the weight of a block by field; nil if it has one field, or is no sum over
// its fields.
func (s *Scorer) fieldWeights(block *numberBlock, f *Features, a, b int) []float64 {
	if len(block.fields) < 2 {
		return nil
	}
	begin := len(s.byField)
	s.row = pick(s.row[:0], f.Numbers, block.fields)
	s.byField = block.AppendFieldWeights(s.byField, a, b, s.row)
	if len(s.byField) == begin {
		return nil
	}
	own := s.byField[begin:len(s.byField):len(s.byField)]
	for i := range own {
		own[i] *= s.tau
	}
	return own
}
