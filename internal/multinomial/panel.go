package multinomial

import (
	"math"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

// A Panel scores documents under Multinomial, Complement and OneVsAll with several weightings, its columns, in one pass over the counts:
// all of them read the same rows, and the third is the sum of the two others. It remembers nothing of the counts, which may change from
// document to document. It is scratch of one goroutine.
type Panel struct {
	columns []Weighting
	logs    *logarithms

	// Of one term, by column: the logarithms of its count in a class, in the others, in all, and what it weighs in the document.
	own, others, all, times []float64

	// Of the last document.
	scores []pair    // by class and column
	base   []float64 // by column: what the score of a Complement has in every class
	known  []float64 // by column: what all known terms weigh
}

// pair is a number of Multinomial and one of Complement.
type pair struct{ multinomial, complement float64 }

// NewPanel returns a panel of these columns, whose alphas are above 0.
func NewPanel(columns []Weighting) *Panel {
	n := len(columns)
	row := func() []float64 { return make([]float64, n) }
	return &Panel{columns: columns, logs: newLogarithms(alphasOf(columns)), own: row(), others: row(), all: row(), times: row(), base: row(), known: row()}
}

// alphasOf returns the alphas of the columns.
func alphasOf(columns []Weighting) (alphas []float64) {
	for _, w := range columns {
		alphas = append(alphas, w.Alpha)
	}
	return alphas
}

// timesOf returns what x tokens of a term weigh, by column. It is a view.
func (p *Panel) timesOf(x uint32) []float64 {
	for a, w := range p.columns {
		p.times[a] = w.frequency(x)
	}
	return p.times
}

// Add scores a bag by the counts in t and returns how many of its tokens are known: those of terms that any class has
// counted.
func (p *Panel) Add(t *counts.Table, classes *counts.Classes, bag *bow.Bag) (known int) {
	p.reset(classes.Cap())
	for i := range bag.Len() {
		row := t.Lookup(bag.Hash(i), bag.Term(i))
		if row < 0 {
			continue
		}
		if cells := t.Cells(row); len(cells) > 0 {
			known += int(bag.Count(i))
			p.add(bag.Count(i), cells)
		}
	}
	if known > 0 { // else the denominators may be zero
		p.divide(t, classes)
	}
	return known
}

// reset makes the panel ready for a document.
func (p *Panel) reset(classes int) {
	p.scores = zeros(p.scores, classes*len(p.base))
	clear(p.base)
	clear(p.known)
}

// add adds x tokens of a term.
func (p *Panel) add(x uint32, cells []counts.Cell) {
	var total int64
	for _, cell := range cells {
		total += cell.Count()
	}
	all := p.logs.of(p.all, total)
	times := p.addBase(x, all)
	for _, cell := range cells {
		own := p.logs.of(p.own, cell.Count())
		others := p.logs.of(p.others, total-cell.Count())
		scores := p.of(cell.Class())[:len(own)]
		for a, v := range own {
			scores[a].multinomial += times[a] * (v - p.logs.none[a])
			scores[a].complement += times[a] * (all[a] - others[a])
		}
	}
}

// addBase adds what x tokens of a term add to every class. It returns what they weigh, by column, as a view.
func (p *Panel) addBase(x uint32, all []float64) (times []float64) {
	times = p.timesOf(x)[:len(all)]
	for a, v := range all {
		p.base[a] -= times[a] * v
		p.known[a] += times[a]
	}
	return times
}

// divide adds what the scores have beside the cells: the part that does not depend on the class, and the denominators.
func (p *Panel) divide(t *counts.Table, classes *counts.Classes) {
	var all int64
	for _, c := range classes.Live() {
		all += t.Total(c)
	}
	for _, c := range classes.Choices() {
		scores := p.of(c)
		for a, alpha := range p.logs.alphas {
			smoothed := alpha * float64(t.Vocabulary())
			scores[a].multinomial += p.known[a] * (p.logs.none[a] - math.Log(float64(t.Total(c))+smoothed))
			scores[a].complement += p.base[a] + p.known[a]*math.Log(float64(all-t.Total(c))+smoothed)
		}
	}
}

// of returns the scores of a class, by column. It is a view.
func (p *Panel) of(class int) []pair { return p.scores[class*len(p.base):][:len(p.base)] }

// Score returns the score of the last document for a live class under a kind, which is not Normalized, and a column.
func (p *Panel) Score(class int, kind Kind, column int) float64 {
	s := &p.scores[class*len(p.base)+column]
	switch kind {
	case Complement:
		return s.complement
	case OneVsAll:
		return s.multinomial + s.complement
	}
	return s.multinomial
}

// zeros returns n zeros, in the memory of x if they fit.
func zeros[T any](x []T, n int) []T {
	x = slices.Grow(x[:0], n)[:n]
	clear(x)
	return x
}
