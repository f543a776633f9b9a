package main

import (
	"fmt"
	"io"

	"bayestream/bench/timing"
)

// classTerms is the vocabulary of the models of many classes.
const classTerms = 100_000

// goal is how many times as long a document may take with 1,000 classes as with 20.
const goal = 5

// rowClasses is how many classes know the word of a sparse row.
const rowClasses = 4

// growClasses measures the cost of a document over the number of classes: in sparse rows, which few
// classes know, and in rows of learned texts, where all classes know the frequent words.
func growClasses(w io.Writer, o *options) error {
	fmt.Fprintf(w, "### Classes\n\n%d terms, documents of %d words; microseconds of processor time to label a "+
		"document\n\n", classTerms, documentWords)
	fmt.Fprintln(w, "| classes | sparse rows | relative to 20 | rows of learned texts | "+
		"relative to 20 | cells of a word |")
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
			timing.Median(m.sparseTime), ratio(m.sparseTime,
				all[base].sparseTime), timing.Median(m.learnedTime), ratio(m.learnedTime, all[base].learnedTime), m.cells)
	}
	fmt.Fprintf(w, "\nThe goal is that 1,000 classes take at most %d times as long as 20, with sparse rows.\n\n", goal)
	return nil
}

// many holds two models with the same number of classes.
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

func newMany(n int) (*many, error) {
	sparse, err := newLearner()
	if err != nil {
		return nil, err
	}
	if err := sparse.fill(classTerms, func(i int) []int { return spread(i, n) }); err != nil {
		return nil, err
	}
	learned, err := newLearner()
	if err != nil {
		return nil, err
	}
	s := newSpeaker(2, classTerms)
	if err := learned.learn(s.texts(n*textsPerClass), func(i int) string { return className(i % n) }); err != nil {
		return nil, err
	}
	texts := s.texts(max(documents/max(n/20, 1), 200))
	return &many{classes: n, sparse: sparse, learned: learned, texts: texts, cells: learned.cellsOf(texts)}, nil
}

// round labels the texts once with each model.
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
	cells := 0
	words := 0
	for _, text := range texts {
		l.in.Segments[0].Text = text
		l.extract.Extract(&l.f, &l.in)
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
