package multinomial

import (
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

// HeldOut is documents that a table has counted, as a fold of a cross-validation: Panel.AddHeldOut scores them by the counts of all
// other documents. It gives what Panel.Add gives when they have been taken out (TestHeldOutEqualsTable), in a fraction of the time:
// the table stays as it is, and the row of a term is computed once for all documents that have it. While the documents are the same, any number
// of goroutines may read it.
type HeldOut struct {
	table   *counts.Table
	classes *counts.Classes
	logs    *columnLogs
	numbers map[*bow.Lexicon][]rowOf // by number of a term

	// Of the documents.
	terms     []heldTerm  // those that the table has
	ofRow     []uint32    // by row of the table: its place in terms and 1; 0: none
	tokens    []heldToken // by document
	ends      []int       // by document: where its tokens end
	counted   []heldCount // by term
	documents []int64     // by class: how many are left without them
	live      []int       // classes that have documents left

	// The rows of the terms, without the documents, as Panel adds them up.
	runs       []run
	all        []float64 // by term and column of Complement: the logarithm of all its counts
	values     []float64 // by term, run by run as Panel.scores
	totals     []int64   // by class: N_c
	vocabulary int
	logDen     []float64 // by live class and column

	// Scratch.
	own  []int64 // by class: tokens of a term in the documents; zero between uses
	kept []heldCount
}

// Document is a document as a table has counted it.
type Document struct {
	Class  int
	Weight int64
	Bag    *bow.Bag
}

// rowOf is the row of a term in the table and 1; 0 if it was not looked up yet, noRow if there is none.
type rowOf int32

const noRow rowOf = -1

// heldTerm is a term of the documents. Without runs no class has it any more.
type heldTerm struct {
	row     int
	counted int // where its counts end
	runs    int // where they begin
	ends    int
	values  int // where they begin
}

// heldToken is a term in a document, by its place in HeldOut.terms.
type heldToken struct{ term, count uint32 }

// heldCount is a count of a term.
type heldCount struct {
	class int
	n     int64
}

// run is classes with numbers one behind the other, by where they are in Panel.scores.
type run struct{ begin, end uint32 }

// NewHeldOut returns no documents of a table that does not change any more, for panels of these columns.
func NewHeldOut(columns Columns, t *counts.Table, classes *counts.Classes) *HeldOut {
	return &HeldOut{table: t, classes: classes, logs: newColumnLogs(columns), numbers: map[*bow.Lexicon][]rowOf{}, own: make([]int64, classes.Cap())}
}

// Set makes it these documents instead of those before.
func (h *HeldOut) Set(documents []Document) {
	h.reset()
	for i := range documents {
		h.take(&documents[i])
	}
	h.count(documents)
	h.estimateAll()
	h.live = h.live[:0]
	for _, c := range h.classes.Live() {
		if h.documents[c] > 0 {
			h.live = append(h.live, c)
		}
	}
	h.divide()
}

// reset makes it no documents.
func (h *HeldOut) reset() {
	for i := range h.terms {
		h.ofRow[h.terms[i].row] = 0
	}
	h.terms = h.terms[:0]
	h.tokens = h.tokens[:0]
	h.ends = h.ends[:0]
	h.runs = h.runs[:0]
	h.all = h.all[:0]
	h.values = h.values[:0]
	h.documents = h.documents[:0]
	h.totals = h.totals[:0]
	for c := range h.classes.Cap() {
		h.documents = append(h.documents, h.classes.Documents(c))
		h.totals = append(h.totals, h.table.Total(c))
	}
}

// take adds the terms of a document that the table has.
func (h *HeldOut) take(d *Document) {
	h.documents[d.Class] -= d.Weight
	rows := h.rows(d.Bag.Lexicon())
	for i := range d.Bag.Len() {
		row := &rows[d.Bag.Number(i)]
		if *row == 0 {
			*row = h.find(d.Bag, i)
		}
		if *row != noRow {
			term := h.term(int(*row - 1))
			h.terms[term].counted++
			h.tokens = append(h.tokens, heldToken{term, d.Bag.Count(i)})
		}
	}
	h.ends = append(h.ends, len(h.tokens))
}

// rows returns the rows of the terms of a lexicon, by number.
func (h *HeldOut) rows(l *bow.Lexicon) []rowOf {
	rows, ok := h.numbers[l]
	if !ok {
		rows = make([]rowOf, l.Len())
		h.numbers[l] = rows
	}
	return rows
}

// find returns the row of the i-th term of a bag.
func (h *HeldOut) find(bag *bow.Bag, i int) rowOf {
	row := h.table.Lookup(bag.Hash(i), bag.Term(i))
	if row < 0 {
		return noRow
	}
	return rowOf(row + 1)
}

// term returns the place of a row of the table in h.terms.
func (h *HeldOut) term(row int) uint32 {
	if row >= len(h.ofRow) {
		h.ofRow = append(h.ofRow, make([]uint32, row+1-len(h.ofRow))...)
	}
	if h.ofRow[row] == 0 {
		h.terms = append(h.terms, heldTerm{row: row})
		h.ofRow[row] = uint32(len(h.terms))
	}
	return h.ofRow[row] - 1
}

// count sets h.counted from the tokens of the documents: a counting sort, as h.terms have how many counts each has.
func (h *HeldOut) count(documents []Document) {
	end := 0
	for i := range h.terms {
		n := h.terms[i].counted
		h.terms[i].counted = end
		end += n
	}
	if cap(h.counted) < end {
		h.counted = make([]heldCount, end)
	}
	h.counted = h.counted[:end]
	for i := range documents {
		d := &documents[i]
		for _, token := range h.of(i) {
			t := &h.terms[token.term]
			n := d.Weight * int64(token.count)
			h.counted[t.counted] = heldCount{d.Class, n}
			h.totals[d.Class] -= n
			t.counted++
		}
	}
}

// of returns the tokens of a document.
func (h *HeldOut) of(document int) []heldToken {
	begin := 0
	if document > 0 {
		begin = h.ends[document-1]
	}
	return h.tokens[begin:h.ends[document]]
}

// estimateAll sets the runs and values of all terms.
func (h *HeldOut) estimateAll() {
	h.vocabulary = h.table.Vocabulary()
	cells := 0
	for i := range h.terms {
		cells += len(h.table.Cells(h.terms[i].row))
	}
	if n := cells * len(h.logs.columns) * 3 / 2; cap(h.values) < n { // some are between those of a run
		h.values = make([]float64, 0, n+n/4) // the next folds need a little more or less
	}
	for i := range h.terms {
		h.estimate(i)
	}
}

// estimate sets the runs and values of a term.
func (h *HeldOut) estimate(i int) {
	t := &h.terms[i]
	t.runs = len(h.runs)
	t.values = len(h.values)
	begin := 0
	if i > 0 {
		begin = h.terms[i-1].counted
	}
	total := h.keep(t.row, h.counted[begin:t.counted])
	all := h.logs.ofAll(total)
	h.all = append(h.all, all...)
	if len(h.kept) == 0 {
		h.vocabulary--
	}
	for kept := h.kept; len(kept) > 0; {
		n := 1
		for n < len(kept) && kept[n].class-kept[n-1].class <= near {
			n++
		}
		h.appendRun(kept[:n], all, total)
		kept = kept[n:]
	}
	t.ends = len(h.runs)
}

// near is how far apart two classes of a run may be. Those between have zeros, which take less time than another run.
const near = 3

// appendRun appends a run with these counts and its values.
func (h *HeldOut) appendRun(kept []heldCount, all []float64, total int64) {
	l := h.logs
	columns := len(l.columns)
	first := kept[0].class
	n := kept[len(kept)-1].class - first + 1
	h.runs = append(h.runs, run{uint32(first * columns), uint32((first + n) * columns)})
	begin := len(h.values)
	h.values = slices.Grow(h.values, n*columns)[:begin+n*columns]
	clear(h.values[begin:])
	for _, k := range kept {
		values := h.values[begin+(k.class-first)*columns:][:columns]
		own, rest := l.of(k.n, total)
		for a, log := range own {
			values[a] = log - l.own.none[a]
		}
		for i, log := range rest {
			values[l.complement+i] = all[i] - log
		}
	}
}

// keep sets h.kept to the counts of a row without those of the documents, and returns their sum.
func (h *HeldOut) keep(row int, without []heldCount) (total int64) {
	for _, c := range without {
		h.own[c.class] += c.n
	}
	h.kept = h.kept[:0]
	for _, cell := range h.table.Cells(row) {
		class := cell.Class()
		if n := cell.Count() - h.own[class]; n > 0 {
			h.kept = append(h.kept, heldCount{class, n})
			total += n
		}
	}
	for _, c := range without {
		h.own[c.class] = 0
	}
	return total
}

// divide sets the logarithms of the denominators.
func (h *HeldOut) divide() {
	var all int64
	for _, c := range h.live {
		all += h.totals[c]
	}
	h.logDen = h.logDen[:0]
	for _, c := range h.live {
		h.logDen = h.logs.appendDenominators(h.logDen, h.totals[c], all, h.vocabulary)
	}
}

// Live returns the classes that have documents left. It is a view.
func (h *HeldOut) Live() []int { return h.live }

// Documents returns how many documents of a class are left.
func (h *HeldOut) Documents(class int) int64 { return h.documents[class] }

// AddHeldOut is Add of one of the documents by the counts of all others.
func (p *Panel) AddHeldOut(h *HeldOut, document int) (known int) {
	p.reset(len(h.totals))
	for _, token := range h.of(document) {
		t := &h.terms[token.term]
		if t.runs == t.ends {
			continue
		}
		known += int(token.count)
		times := p.addBase(token.count, h.all[int(token.term)*len(p.base):][:len(p.base)])
		values := h.values[t.values:]
		for _, r := range h.runs[t.runs:t.ends] {
			n := r.end - r.begin
			if token.count == 1 {
				add(p.scores[r.begin:r.end], values[:n])
			} else {
				addTimes(p.scores[r.begin:r.end], times, values[:n])
			}
			values = values[n:]
		}
	}
	if known > 0 {
		for k, c := range h.live {
			p.divideBy(c, h.logDen[k*len(p.known):][:len(p.known)])
		}
	}
	return known
}

// add is addTimes of one token, which most terms of a document have: it makes a choice a tenth faster.
func add(dst, values []float64) {
	dst = dst[:len(values)]
	for i, v := range values {
		dst[i] += v
	}
}

// addTimes adds the values, by class and column, to dst, each as many times as its column says.
func addTimes(dst, times, values []float64) {
	for len(values) > 0 {
		to := dst[:len(times)]
		v := values[:len(times)]
		for a, x := range times {
			to[a] += x * v[a]
		}
		dst = dst[len(times):]
		values = values[len(times):]
	}
}
