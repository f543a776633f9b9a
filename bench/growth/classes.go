package main

import (
	"fmt"
	"io"

	"bayestream/bench/timing"
)

// classTerms is the vocabulary of the models of many classes.
const classTerms = 100_000

// wanted is how much longer a document may take with 1,000 classes than with 20.
const wanted = 5

// rowClasses is how many classes have a word of a sparse row.
const rowClasses = 4

// growClasses measures what a document costs with more and more classes: in rows that a few classes are in
// each, and in those that come of learning texts, where the frequent words are known to all classes.
func growClasses(w io.Writer, o *options) error {
	fmt.Fprintf(w, "### Classes\n\n%d terms, documents of %d words; microseconds of processor time to label a document\n\n", classTerms, documentWords)
	fmt.Fprintln(w, "| classes | sparse rows | relative to 20 | rows of learned texts | relative to 20 | cells of a word |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	var all []*many
	base := 0
	for i, n := range o.classes {
		if n == 20 {
			base = i
		}
		m, err := newMany(n)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	for range o.rounds {
		for _, m := range all {
			if err := m.round(); err != nil {
				return err
			}
		}
	}
	for _, m := range all {
		fmt.Fprintf(w, "| %d | %.1f | %.2f | %.1f | %.2f | %.0f |\n", m.classes,
			timing.Median(m.sparseTime), ratio(m.sparseTime, all[base].sparseTime), timing.Median(m.learnedTime), ratio(m.learnedTime, all[base].learnedTime), m.cells)
	}
	fmt.Fprintf(w, "\nThe goal is that 1,000 classes take at most %d times as long as 20, with sparse rows.\n\n", wanted)
	return nil
}

// many are two models of so many classes.
type many struct {
	classes                 int
	sparse, learned         *learner
	texts                   [][]byte
	cells                   float64 // of the row of a word of a document, in the learned model
	sparseTime, learnedTime []float64
}

// spread returns rowClasses of n classes for the i-th word, fewer where there are fewer.
func spread(i, n int) (classes []int) {
	for k := range min(rowClasses, n) {
		classes = append(classes, (i*7+k*(n/min(rowClasses, n)))%n)
	}
	return classes
}

// textsPerClass is how many texts of a class are learned.
const textsPerClass = 20

func newMany(n int) (m *many, err error) {
	m = &many{classes: n}
	if m.sparse, err = newLearner(); err != nil {
		return nil, err
	}
	if err := m.sparse.fill(classTerms, func(i int) []int { return spread(i, n) }); err != nil {
		return nil, err
	}
	if m.learned, err = newLearner(); err != nil {
		return nil, err
	}
	s := newSpeaker(2, classTerms)
	if err := m.learned.learn(s.texts(n*textsPerClass), func(i int) string { return className(i % n) }); err != nil {
		return nil, err
	}
	m.texts = s.texts(max(documents/max(n/20, 1), 200))
	m.cells = m.learned.cellsOf(m.texts)
	return m, nil
}

func (m *many) round() error {
	for _, x := range []struct {
		l    *learner
		into *[]float64
	}{{m.sparse, &m.sparseTime}, {m.learned, &m.learnedTime}} {
		seconds, err := processor(func() error { return x.l.label(m.texts) })
		if err != nil {
			return err
		}
		*x.into = append(*x.into, seconds/float64(len(m.texts))*1e6)
	}
	return nil
}

// cellsOf returns how many classes know a word of the texts, on average.
func (l *learner) cellsOf(texts [][]byte) float64 {
	cells, words := 0, 0
	for _, text := range texts {
		l.in.Segments[0].Text = text
		if err := l.extract.Extract(&l.f, &l.in); err != nil {
			continue // label would have said so
		}
		t := l.state.Model().Text()
		for i := range l.f.Bag.Len() {
			words++
			if row := t.Lookup(l.f.Bag.Hash(i), l.f.Bag.Term(i)); row >= 0 {
				cells += len(t.Cells(row))
			}
		}
	}
	return float64(cells) / float64(max(words, 1))
}
