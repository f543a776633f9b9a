package multinomial

import (
	"math"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

// corrections are what a form reads of corrections: in each class c the score of a term is
//
//	x_t (f_c ln theta_tc + lambda w_tc)        lambda = weight u / sqrt(mean tokens of a document)
//
// where w_tc is the sum of the corrections. So one correction moves the tempered score of a document
// of that length by about twice the weight, whatever the length is: see Temper in package spec.
type corrections struct {
	of      *counts.Corrections // nil: they do not enter
	lambda  float64
	classes []int // by class of the corrections: that of the counts; -1: it has no documents
}

// units are the unit u of the scores by kind: the reciprocals of the tempers that they begin with.
var units = map[Kind]float64{Multinomial: math.Sqrt2, Complement: math.Sqrt2 / 2, OneVsAll: 2}

// Unit returns the unit of the scores.
func (f *Form) Unit() float64 { return units[f.Kind] }

// prepareCorrections brings the corrections up to date, for so many tokens in all classes.
func (l *Likelihood) prepareCorrections(tokens int64) {
	c := &l.corrections
	if c.of == nil {
		return
	}
	c.lambda = 0
	if documents := l.classes.Total(); documents > 0 && tokens > 0 {
		c.lambda = l.Form.Corrections * l.Unit() / math.Sqrt(float64(tokens)/float64(documents))
	}
	c.classes = counts.AppendNumbers(c.classes[:0], c.of.Classes.Names(), l.classes.ID)
}

// Lambda returns what one correction adds to the score of a token, 0 where corrections do not enter.
func (l *Likelihood) Lambda() float64 { return l.corrections.lambda }

// appendRows appends the rows of some terms of a bag in the corrections, -1 where nothing enters.
func (c *corrections) appendRows(dst []int32, bag *bow.Bag, terms []int32) []int32 {
	if c.lambda != 0 {
		return c.of.Table.AppendRows(dst, bag, terms)
	}
	for range terms {
		dst = append(dst, -1)
	}
	return dst
}

// each calls f with what a row of the corrections says for each class. There may be no row.
func (c *corrections) each(row int, f func(class int, score float64)) {
	if row >= 0 {
		c.eachOf(c.of.Table, c.classes, row, f)
	}
}

// eachOf is each for corrections of a table, whose classes have those numbers.
func (c *corrections) eachOf(t *counts.Table, classes []int, row int, f func(class int, score float64)) {
	for _, cell := range t.Cells(row) {
		if class := classes[cell.Class()]; class >= 0 {
			f(class, c.lambda*float64(cell.Count()))
		}
	}
}

// AddMore adds to dst what corrections say of the bag of the last call of Add that are not among
// those of the likelihood yet, times a factor. classes are the numbers of their classes; -1: it has
// no documents.
func (s *Scorer) AddMore(dst []float64, bag *bow.Bag, more *counts.Table, classes []int, factor float64) {
	for i, begin := range s.rows {
		if begin == 0 {
			continue
		}
		row := more.Lookup(bag.Hash(i), bag.Term(i))
		if row < 0 {
			continue
		}
		x := factor * s.like.frequency(bag.Count(i))
		s.like.corrections.eachOf(more, classes, row, func(class int, score float64) { dst[class] += x * score })
	}
}

// Correction returns the part of a weight of AppendWeights that corrections say: of the i-th term of
// the bag, for class a against class b.
func (s *Scorer) Correction(bag *bow.Bag, i, a, b int) (weight float64) {
	c := &s.like.corrections
	if s.rows[i] == 0 || c.lambda == 0 {
		return 0
	}
	c.each(c.of.Table.Lookup(bag.Hash(i), bag.Term(i)), func(class int, score float64) {
		switch class {
		case a:
			weight += score
		case b:
			weight -= score
		}
	})
	return weight * s.like.frequency(bag.Count(i))
}
