package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"bayestream/internal/spec"
)

// What evidence calls the shape of the text and the words at its ends.
const (
	LengthBlock   = "length"   // its tokens
	LongestBlock  = "longest"  // bytes of its longest token
	NonwordsBlock = "nonwords" // its tokens that are no words
	FirstBlock    = "first"    // its first word
	LastBlock     = "last"     // its last word
)

// TextBlocks are the names of spec.TextTables in their order.
var TextBlocks = [spec.TextTables]string{
	lengthTable: LengthBlock, longestTable: LongestBlock, nonwordsTable: NonwordsBlock, firstTable: FirstBlock, lastTable: LastBlock,
}

// TextTitles say what spec.TextTables are of, for people.
var TextTitles = [spec.TextTables]string{
	lengthTable: "length in tokens", longestTable: "longest token in bytes", nonwordsTable: "tokens that are no words", firstTable: "first word", lastTable: "last word",
}

// Places among spec.TextTables: spec.ShapeTables of sizes, then spec.EdgeTables of words.
const (
	lengthTable = iota
	longestTable
	nonwordsTable
	firstTable
	lastTable
)

// IsShape reports whether a block is of the shape of the text: its values are sizes, as categorical.SizeName writes them.
func IsShape(block string) bool { return slices.Contains(TextBlocks[:spec.ShapeTables], block) }

// fewEvidence is how much evidence is kept in order while it is collected; more is sorted at the end.
const fewEvidence = 32

// found is a piece of evidence before it is shown.
type found struct {
	size uint64 // the bits of the size of the weight, in the order of the floats
	at   int32  // index of Scorer.weights
}

// weigh sets dst.Evidence to what each known term and each block says for class a against class b, the
// largest first, and returns the sum of what is kept. A limit of 0 keeps all, a negative one none.
func (s *Scorer) weigh(dst *Decision, f *Features, a, b, limit int) (sum float64) {
	if limit < 0 {
		return 0
	}
	s.weights = s.weights[:0]
	s.found = s.found[:0]
	s.byField = s.byField[:0]
	if s.m.text != nil {
		s.weighTerms(f, a, b, limit)
	}
	s.weighBlocks(f, a, b, limit)
	if !isFew(limit) {
		slices.SortFunc(s.found, func(x, y found) int { return s.compareEvidence(x, y, f) })
		if limit > 0 {
			s.found = s.found[:min(limit, len(s.found))]
		}
	}
	for _, x := range s.found {
		sum += s.weights[x.at]
		dst.Evidence = append(dst.Evidence, s.evidence(int(x.at), f, a, b))
	}
	return sum
}

func isFew(limit int) bool { return 0 < limit && limit <= fewEvidence }

// weighTerms weighs the terms of the bag.
func (s *Scorer) weighTerms(f *Features, a, b, limit int) {
	s.weights = s.words.AppendWeights(s.weights, &f.Bag, a, b)
	scale := s.tau * s.by.weight
	least := uint64(0) // size of what is kept last, if no more is kept
	for i, w := range s.weights {
		if math.IsNaN(w) {
			continue
		}
		s.weights[i] = w * scale
		if math.Float64bits(math.Abs(s.weights[i])) < least {
			continue
		}
		s.keep(i, f, limit)
		if isFew(limit) && len(s.found) == limit {
			least = s.found[limit-1].size
		}
	}
}

// weighBlocks weighs the blocks that voted.
func (s *Scorer) weighBlocks(f *Features, a, b, limit int) {
	for i := range s.votes {
		v := &s.votes[i]
		s.weights = append(s.weights, s.tau*(v.scores[a]-v.scores[b]))
		if v.ok {
			s.keep(s.terms+i, f, limit)
		}
	}
}

// keep adds the i-th weight to s.found. If the limit is small, s.found is in order and has at most the limit.
func (s *Scorer) keep(i int, f *Features, limit int) {
	x := found{size: math.Float64bits(math.Abs(s.weights[i])), at: int32(i)}
	n := len(s.found)
	if !isFew(limit) || n == 0 {
		s.found = append(s.found, x)
		return
	}
	if n < limit {
		s.found = append(s.found, x)
		n++
	} else if s.compareEvidence(x, s.found[n-1], f) > 0 {
		return
	}
	at := n - 1
	for at > 0 && s.compareEvidence(x, s.found[at-1], f) < 0 {
		s.found[at] = s.found[at-1]
		at--
	}
	s.found[at] = x
}

// compareEvidence orders evidence by size of the weight, the largest first, and of one size terms before blocks, terms
// by name.
func (s *Scorer) compareEvidence(x, y found, f *Features) int {
	if x.size > y.size {
		return -1
	}
	if x.size < y.size {
		return 1
	}
	terms := int32(s.terms)
	if x.at < terms && y.at < terms {
		return strings.Compare(f.Bag.Name(int(x.at)), f.Bag.Name(int(y.at)))
	}
	return cmp.Compare(x.at, y.at)
}

// evidence returns what the i-th weight, for class a against class b, is of: a term, a block of numbers or a block of values.
func (s *Scorer) evidence(i int, f *Features, a, b int) Evidence {
	weight := s.weights[i]
	if i < s.terms {
		return Evidence{Term: f.Bag.Name(i), Number: f.Bag.Number(i), Count: int(f.Bag.Count(i)), Weight: weight}
	}
	i -= s.terms
	if i < len(s.m.numbers) {
		block := &s.m.numbers[i]
		return Evidence{Block: block.name, Fields: block.names, Weight: weight, FieldWeights: s.fieldWeights(block, f, a, b)}
	}
	i -= len(s.m.numbers)
	block := &s.m.values[i]
	return Evidence{Block: block.name, Fields: block.names, Value: f.TextValue(i - s.m.fields()), Weight: weight}
}

// fieldWeights returns the weight of a block by field; nil if it has one field, or is no sum over its fields.
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
