package multinomial

import (
	"math"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

const (
	// tableSize is how many of the first logarithms ln(n + alpha) a Panel has in its table at most. The table grows with the
	// counts that it meets: most are small.
	tableSize = 1 << 12
	// memory is how many of the others it remembers: those of the most frequent words, which come in most documents.
	memory = 1 << 13
)

// A Panel scores documents under Multinomial and Complement with several alphas, in one pass over the counts: all of them
// read the same rows. It remembers nothing of the counts, which may change from document to document. It is scratch of one goroutine.
type Panel struct {
	alphas []float64
	small  []float64 // ln(n + alpha), n < known, by n and alpha
	known  int
	keys   []int64   // by n modulo memory: the larger n whose logarithms are remembered; nil before the first
	large  []float64 // by n modulo memory and alpha

	// Of one term, by alpha: the logarithms of its count in no class, in a class, in the others, in all.
	none, own, others, all []float64

	// Of the last document, by class and alpha.
	multinomial []float64
	complement  []float64
	base        []float64 // by alpha: what the score of a Complement has in every class
}

// NewPanel returns a panel of these alphas, each above 0.
func NewPanel(alphas []float64) *Panel {
	n := len(alphas)
	p := &Panel{alphas: slices.Clone(alphas), own: make([]float64, n), others: make([]float64, n), all: make([]float64, n), base: make([]float64, n)}
	p.grow(16)
	p.none = p.small[:n]
	return p
}

// grow fills the table up to n.
func (p *Panel) grow(n int) {
	for ; p.known < n; p.known++ {
		for _, alpha := range p.alphas {
			p.small = append(p.small, math.Log(float64(p.known)+alpha))
		}
	}
}

// Score scores a bag by the counts in t and returns how many of its tokens are known: those of terms that any class has
// counted.
func (p *Panel) Score(t *counts.Table, classes *counts.Classes, bag *bow.Bag) (known int) {
	size := classes.Cap() * len(p.alphas)
	p.multinomial = zeros(p.multinomial, size)
	p.complement = zeros(p.complement, size)
	clear(p.base)
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

// add adds x tokens of a term.
func (p *Panel) add(x float64, cells []counts.Cell) {
	var total int64
	for _, cell := range cells {
		total += cell.Count()
	}
	all := p.logs(p.all, total)
	for a, v := range all {
		p.base[a] -= x * v
	}
	for _, cell := range cells {
		own := p.logs(p.own, cell.Count())
		others := p.logs(p.others, total-cell.Count())
		begin := cell.Class() * len(p.alphas)
		multinomial := p.multinomial[begin:][:len(own)]
		complement := p.complement[begin:][:len(own)]
		for a, v := range own {
			multinomial[a] += x * (v - p.none[a])
			complement[a] += x * (all[a] - others[a])
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
		for a, alpha := range p.alphas {
			smoothed := alpha * float64(t.Vocabulary())
			at := c*len(p.alphas) + a
			p.multinomial[at] += known * (p.none[a] - math.Log(float64(t.Total(c))+smoothed))
			p.complement[at] += p.base[a] + known*math.Log(float64(all-t.Total(c))+smoothed)
		}
	}
}

// logs returns ln(n + alpha) by alpha, in dst or as a view of the table.
func (p *Panel) logs(dst []float64, n int64) []float64 {
	if n < tableSize {
		if int(n) >= p.known {
			p.grow(min(2*int(n), tableSize))
		}
		return p.small[int(n)*len(dst):][:len(dst)]
	}
	if p.keys == nil {
		p.keys = make([]int64, memory)
		p.large = make([]float64, memory*len(dst))
	}
	slot := int(n % memory)
	remembered := p.large[slot*len(dst):][:len(dst)]
	if p.keys[slot] != n {
		p.keys[slot] = n
		p.setLogs(remembered, n)
	}
	copy(dst, remembered) // another n may take the slot
	return dst
}

// setLogs sets dst to ln(n + alpha) by alpha.
func (p *Panel) setLogs(dst []float64, n int64) {
	log := math.Log(float64(n))
	for a, alpha := range p.alphas {
		r := alpha / float64(n)
		if r <= 1.0/tableSize { // then the series of ln(1 + r) is exact after three terms
			dst[a] = log + r*(1-r*(0.5-r/3))
		} else {
			dst[a] = math.Log(float64(n) + alpha)
		}
	}
}

// Append appends the score of the last document under a kind, Multinomial or Complement, and the a-th alpha, by class number;
// only the entries of live classes mean anything.
func (p *Panel) Append(dst []float64, kind Kind, a int) []float64 {
	scores := p.multinomial
	if kind == Complement {
		scores = p.complement
	}
	for at := a; at < len(scores); at += len(p.alphas) {
		dst = append(dst, scores[at])
	}
	return dst
}

// zeros returns n zeros, in the memory of x if they fit.
func zeros(x []float64, n int) []float64 {
	x = slices.Grow(x[:0], n)[:n]
	clear(x)
	return x
}
