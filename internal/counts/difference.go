package counts

import (
	"cmp"
	"slices"

	"bayestream/internal/bow"
)

// A Difference adds up what documents change in a table. Observing a document only writes its counts down;
// they are added up when the difference is asked for, or when there are many. The zero value is empty and
// ready for use.
type Difference struct {
	parts   []*part
	written int // counts, since they were added up last
	kept    int // counts that there were then

	// Upper bounds of what Flatten's result has, beside its rows, which the parts know.
	bytes    int // of the terms
	cells    int // of the classes below maskedClasses
	unmasked int // cells of the others
}

// manyCounts is how many counts are written down, at least, before they are added up.
const manyCounts = 1 << 16

// A term has a bit for each of the first classes that have it, and one for any class.
const (
	maskedClasses = 63
	anyClass      = 1 << maskedClasses
)

// Observe adds n times the counts of the bag, or with presence n for each of its terms, to class.
func (d *Difference) Observe(class int, n int64, bag *bow.Bag, presence bool) {
	if d.written > max(manyCounts, 3*d.kept) {
		d.addUp()
	}
	d.written += bag.Len()
	p := d.part(bag.Lexicon())
	for len(p.classes) <= class {
		p.classes = append(p.classes, observed{})
	}
	c := &p.classes[class]
	c.numbers, c.counts = slices.Grow(c.numbers, bag.Len()), slices.Grow(c.counts, bag.Len())
	bits := uint64(anyClass)
	if class < maskedClasses {
		bits |= 1 << class
	} else {
		d.unmasked += bag.Len()
	}
	for i := range bag.Len() {
		x := n
		if !presence {
			x *= int64(bag.Count(i))
		}
		number := bag.Number(i)
		c.numbers, c.counts = append(c.numbers, number), append(c.counts, x)
		if p.seen[number]&bits != bits {
			d.see(p, number, bits)
		}
	}
}

// see keeps the bounds when a class has a term for the first time.
func (d *Difference) see(p *part, number uint32, bits uint64) {
	if p.seen[number] == 0 {
		p.terms = append(p.terms, number)
		d.bytes += len(p.lexicon.Term(number))
	}
	if bits != anyClass {
		d.cells++
	}
	p.seen[number] |= bits
}

// addUp leaves one count for each term of each class.
func (d *Difference) addUp() {
	d.kept, d.unmasked = 0, 0
	for _, p := range d.parts {
		for class := range p.classes {
			n := p.addUp(&p.classes[class])
			if d.kept += n; class >= maskedClasses {
				d.unmasked += n
			}
		}
	}
	d.written = 0
}

// part returns the part of a lexicon.
func (d *Difference) part(l *bow.Lexicon) *part {
	for _, p := range d.parts {
		if p.lexicon == l {
			p.widen()
			return p
		}
	}
	p := &part{lexicon: l}
	p.widen()
	d.parts = append(d.parts, p)
	return p
}

// Clear empties the difference. It keeps the memory for one lexicon, which the next documents will most likely
// have, too.
func (d *Difference) Clear() {
	if n := len(d.parts); n > 0 {
		last := d.parts[n-1]
		clear(d.parts)
		last.clear()
		d.parts = append(d.parts[:0], last)
	}
	*d = Difference{parts: d.parts}
}

// Size returns an upper bound of the bytes that Flatten's result takes when it is encoded.
func (d *Difference) Size() int {
	size := d.bytes + 11*(d.cells+d.unmasked)
	for _, p := range d.parts {
		size += 8 * len(p.terms)
	}
	return size
}

// Has reports whether any count of class changes.
func (d *Difference) Has(class int) bool {
	sum := map[string]int64{} // by term, which each lexicon numbers in its own way
	for _, p := range d.parts {
		if class >= len(p.classes) {
			continue
		}
		c := &p.classes[class]
		if n := p.addUp(c); len(d.parts) == 1 {
			return n > 0
		}
		for i, number := range c.numbers {
			sum[string(p.lexicon.Term(number))] += c.counts[i]
		}
	}
	for _, n := range sum {
		if n != 0 {
			return true
		}
	}
	return false
}

// Flatten returns the difference. rank maps its class numbers to the indexes of the delta's classes, each to
// another one, in any order; those of classes that have no counts, all in all, are never used.
func (d *Difference) Flatten(rank []int) Terms {
	sums := make([]Terms, 0, max(1, len(d.parts)))
	for _, p := range d.parts {
		sums = append(sums, p.flatten(rank))
	}
	for len(sums) > 1 { // neighbours, so that no term is merged more often than it must
		half := sums[:0]
		for i := 0; i < len(sums); i += 2 {
			if i+1 < len(sums) {
				half = append(half, merge(&sums[i], &sums[i+1]))
			} else {
				half = append(half, sums[i])
			}
		}
		sums = half
	}
	if len(sums) == 0 {
		return Terms{}
	}
	return sums[0]
}

// A part of a difference is what the bags of one lexicon add.
type part struct {
	lexicon *bow.Lexicon
	classes []observed
	seen    []uint64 // by number of the lexicon: a bit for each class that has it
	terms   []uint32 // the numbers with a bit
	sum     []int64  // scratch by number, zero between uses
	cells   []uint32 // scratch by number, zero between uses
}

// observed is what the documents of a class add: terms by number, and n for each. A term may come again.
type observed struct {
	numbers []uint32
	counts  []int64
}

// widen makes room for the numbers that the lexicon has by now.
func (p *part) widen() {
	if n := p.lexicon.Len(); len(p.seen) < n {
		p.seen = append(p.seen, make([]uint64, n-len(p.seen))...)
		p.sum = append(p.sum, make([]int64, n-len(p.sum))...)
		p.cells = append(p.cells, make([]uint32, n-len(p.cells))...)
	}
}

func (p *part) clear() {
	for i := range p.classes {
		c := &p.classes[i]
		c.numbers, c.counts = c.numbers[:0], c.counts[:0]
	}
	for _, number := range p.terms { // few of a large lexicon, where a difference is of one document
		p.seen[number] = 0
	}
	p.terms = p.terms[:0]
}

// flatten returns the part in canonical form: what is left of each class is sorted into the rows of its terms,
// class by class, so that the cells of a row come in order.
func (p *part) flatten(rank []int) Terms {
	order := make([]int, 0, len(p.classes))
	for class := range p.classes {
		if p.addUp(&p.classes[class]) > 0 {
			order = append(order, class)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	rows, total := p.countCells(order)
	out := p.layOut(rows, total)
	for _, class := range order {
		c := &p.classes[class]
		for i, number := range c.numbers {
			at := p.cells[number]
			out.Class[at], out.Count[at] = uint32(rank[class]), c.counts[i]
			p.cells[number] = at + 1
		}
	}
	for _, number := range rows {
		p.cells[number] = 0
	}
	return out
}

// addUp leaves one count of each term, and none of those that add up to zero. It returns how many are left.
func (p *part) addUp(c *observed) int {
	for i, number := range c.numbers {
		p.sum[number] += c.counts[i]
	}
	kept := 0
	for _, number := range c.numbers {
		n := p.sum[number]
		p.sum[number] = 0
		c.numbers[kept], c.counts[kept] = number, n
		if n != 0 {
			kept++
		}
	}
	c.numbers, c.counts = c.numbers[:kept], c.counts[:kept]
	return kept
}

// countCells sets p.cells to how many classes have each term, and returns the terms in order and the sum.
func (p *part) countCells(classes []int) (rows []uint32, total int) {
	for _, class := range classes {
		numbers := p.classes[class].numbers
		total += len(numbers)
		for _, number := range numbers {
			p.cells[number]++
		}
	}
	for _, number := range p.terms {
		if p.cells[number] > 0 {
			rows = append(rows, number)
		}
	}
	sortByTerm(rows, p.lexicon.Term)
	return rows, total
}

// layOut returns rows with empty cells, and sets p.cells to where those of each term begin.
func (p *part) layOut(rows []uint32, cells int) Terms {
	out := Terms{
		Ends: make([]uint32, len(rows)), Cells: make([]uint32, len(rows)),
		Class: make([]uint32, cells), Count: make([]int64, cells),
	}
	end := uint32(0)
	for i, number := range rows {
		out.Bytes = append(out.Bytes, p.lexicon.Term(number)...)
		out.Ends[i] = uint32(len(out.Bytes))
		begin := end
		end += p.cells[number]
		out.Cells[i], p.cells[number] = end, begin
	}
	return out
}
