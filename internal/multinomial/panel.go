package multinomial

import (
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

// A Panel scores documents by several columns in one pass over the counts: all of them read the same rows. A score of OneVsAll is the sum of
// one of Multinomial and one of Complement. A Panel remembers nothing of the counts, which may change from document to document. It is scratch
// of one goroutine.
type Panel struct {
	logs   *columnLogs
	times  []float64 // by column: what one term weighs in the document
	logDen []float64 // by column: the logarithms of the denominators of one class

	// Of the last document.
	scores []float64 // by class and column
	base   []float64 // by column of Complement: what its score has in every class
	known  []float64 // by column: what all known terms weigh
}

// NewPanel returns a panel of these columns.
func NewPanel(c Columns) *Panel {
	logs := newColumnLogs(c)
	n := len(logs.columns)
	return &Panel{logs: logs, times: make([]float64, n), base: make([]float64, n-logs.complement), known: make([]float64, n)}
}

// timesOf returns what x tokens of a term weigh, by column. It is a view.
func (p *Panel) timesOf(x uint32) []float64 {
	for a, w := range p.logs.columns {
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
	p.scores = zeros(p.scores, classes*len(p.known))
	clear(p.base)
	clear(p.known)
}

// add adds x tokens of a term.
func (p *Panel) add(x uint32, cells []counts.Cell) {
	var total int64
	for _, cell := range cells {
		total += cell.Count()
	}
	l := p.logs
	all := l.ofAll(total)
	times := p.addBase(x, all)
	for _, cell := range cells {
		own, rest := l.of(cell.Count(), total)
		scores := p.of(cell.Class())
		for a, log := range own {
			scores[a] += times[a] * (log - l.own.none[a])
		}
		for i, log := range rest {
			a := l.complement + i
			scores[a] += times[a] * (all[i] - log)
		}
	}
}

// addBase adds what x tokens of a term add to every class. It returns what they weigh, by column, as a view.
func (p *Panel) addBase(x uint32, all []float64) (times []float64) {
	times = p.timesOf(x)
	for a, weight := range times {
		p.known[a] += weight
	}
	for i, weight := range times[p.logs.complement:] {
		p.base[i] -= weight * all[i]
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
		p.logDen = p.logs.appendDenominators(p.logDen[:0], t.Total(c), all, t.Vocabulary())
		p.divideBy(c, p.logDen)
	}
}

// divideBy adds to the scores of a class what they have beside the cells, by the logarithms of its denominators.
func (p *Panel) divideBy(class int, logDen []float64) {
	scores := p.of(class)
	for a, none := range p.logs.own.none {
		scores[a] += p.known[a] * (none - logDen[a])
	}
	for i, base := range p.base {
		a := p.logs.complement + i
		scores[a] += base + p.known[a]*logDen[a]
	}
}

// of returns the scores of a class, by column. It is a view.
func (p *Panel) of(class int) []float64 { return p.scores[class*len(p.known):][:len(p.known)] }

// Score returns the score of the last document for a live class, by column.
func (p *Panel) Score(class, column int) float64 { return p.scores[class*len(p.known)+column] }

// zeros returns n zeros, in the memory of x if they fit.
func zeros[T any](x []T, n int) []T {
	x = slices.Grow(x[:0], n)[:n]
	clear(x)
	return x
}
