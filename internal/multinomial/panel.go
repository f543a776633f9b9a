package multinomial

import (
	"math"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

// A Panel scores documents under Multinomial, Complement and OneVsAll with several alphas, in one pass over the counts: all of them
// read the same rows, and the third is the sum of the two others. It remembers nothing of the counts, which may change from document to document. It is scratch of one goroutine.
type Panel struct {
	logs *logarithms

	// Of one term, by alpha: the logarithms of its count in a class, in the others, in all.
	own, others, all []float64

	// Of the last document.
	scores []pair    // by class and alpha
	base   []float64 // by alpha: what the score of a Complement has in every class
}

// pair is a number of Multinomial and one of Complement.
type pair struct{ multinomial, complement float64 }

// NewPanel returns a panel of these alphas, each above 0.
func NewPanel(alphas []float64) *Panel {
	n := len(alphas)
	return &Panel{logs: newLogarithms(alphas), own: make([]float64, n), others: make([]float64, n), all: make([]float64, n), base: make([]float64, n)}
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
			p.add(float64(bag.Count(i)), cells)
		}
	}
	if known > 0 { // else the denominators may be zero
		p.divide(float64(known), t, classes)
	}
	return known
}

// reset makes the panel ready for a document.
func (p *Panel) reset(classes int) {
	p.scores = zeros(p.scores, classes*len(p.base))
	clear(p.base)
}

// add adds x tokens of a term.
func (p *Panel) add(x float64, cells []counts.Cell) {
	var total int64
	for _, cell := range cells {
		total += cell.Count()
	}
	all := p.logs.of(p.all, total)
	for a, v := range all {
		p.base[a] -= x * v
	}
	for _, cell := range cells {
		own := p.logs.of(p.own, cell.Count())
		others := p.logs.of(p.others, total-cell.Count())
		scores := p.of(cell.Class())[:len(own)]
		for a, v := range own {
			scores[a].multinomial += x * (v - p.logs.none[a])
			scores[a].complement += x * (all[a] - others[a])
		}
	}
}

// divide adds what the scores have beside the cells: the part that does not depend on the class, and the denominators.
func (p *Panel) divide(known float64, t *counts.Table, classes *counts.Classes) {
	var all int64
	for _, c := range classes.Live() {
		all += t.Total(c)
	}
	for _, c := range classes.Live() {
		scores := p.of(c)
		for a, alpha := range p.logs.alphas {
			smoothed := alpha * float64(t.Vocabulary())
			scores[a].multinomial += known * (p.logs.none[a] - math.Log(float64(t.Total(c))+smoothed))
			scores[a].complement += p.base[a] + known*math.Log(float64(all-t.Total(c))+smoothed)
		}
	}
}

// of returns the scores of a class, by alpha. It is a view.
func (p *Panel) of(class int) []pair { return p.scores[class*len(p.base):][:len(p.base)] }

// Score returns the score of the last document for a live class under a kind, which is not Normalized, and the a-th alpha.
func (p *Panel) Score(class int, kind Kind, a int) float64 {
	s := &p.scores[class*len(p.base)+a]
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
