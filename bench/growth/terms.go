package main

import (
	"fmt"
	"io"
	"runtime"

	"bayestream/bench/timing"
)

// tableClasses is how many classes the tables of growing vocabularies have.
const tableClasses = 4

// documents is how many documents are labelled and learned in a round.
const documents = 4000

// someClasses returns all classes for one word in ten and one class for the others: most words of a
// language are rare, and few classes know them.
func someClasses(i int) []int {
	if i%10 == 0 {
		return allClasses(i)
	}
	return []int{i % tableClasses}
}

func allClasses(int) []int {
	out := make([]int, tableClasses)
	for c := range out {
		out[c] = c
	}
	return out
}

// growTerms measures the cost of a document and of a record over the number of terms.
func growTerms(w io.Writer, o *options) error {
	fmt.Fprintf(w, "### Terms in the table\n\n%d classes, documents of %d words from a Zipf-like vocabulary; "+
		"microseconds of processor time\n\n", tableClasses, documentWords)
	fmt.Fprintln(w, "| terms | label a document | relative | learn a record | relative | heap MB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	var tables []*grown
	for _, n := range o.terms {
		if need := int64(n) * bytesPerTerm; need > o.memory {
			fmt.Fprintf(w, "| %d | left out: it takes about %d MB, -memory allows %d |||||\n", n, need/1e6, o.memory/1e6)
			continue
		}
		t, err := newGrown(n)
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	for range o.rounds {
		for _, t := range tables {
			if err := t.round(); err != nil {
				return err
			}
		}
	}
	for _, t := range tables {
		fmt.Fprintf(w, "| %d | %.1f | %.2f | %.1f | %.2f | %.0f |\n", t.terms,
			timing.Median(t.label), ratio(t.label, tables[0].label), timing.Median(t.learn), ratio(t.learn,
				tables[0].learn), t.heap)
	}
	fmt.Fprintln(w)
	return nil
}

// bytesPerTerm is an upper bound of the memory for a term while a table is built.
const bytesPerTerm = 400

// grown is a table and the times measured on it.
type grown struct {
	terms        int
	heap         float64 // megabytes
	l            *learner
	texts        [][]byte
	label, learn []float64 // microseconds by round
}

func newGrown(terms int) (*grown, error) {
	before := heapInUse()
	l, err := newLearner()
	if err != nil {
		return nil, err
	}
	if err := l.fill(terms, someClasses); err != nil {
		return nil, err
	}
	return &grown{terms: terms, heap: heapInUse() - before, l: l, texts: newSpeaker(1, terms).texts(documents)}, nil
}

// round labels and learns the texts once.
func (g *grown) round() error {
	label, err := processor(func() error { return g.l.label(g.texts) })
	if err != nil {
		return err
	}
	learn, err := processor(func() error {
		return g.l.learn(g.texts, func(i int) string { return className(i % tableClasses) })
	})
	g.label = append(g.label, label/documents*1e6)
	g.learn = append(g.learn, learn/documents*1e6)
	return err
}

// heapInUse returns the megabytes of the heap that are in use.
func heapInUse() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}
