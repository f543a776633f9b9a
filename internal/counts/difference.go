package counts

import (
	"bytes"
	"cmp"
	"slices"

	"bayestream/internal/bow"
)

// A Difference adds up what documents change in a table. Observing a document only writes its counts down;
// they are added up when the difference is asked for, or when there are many. The zero value is empty and
// ready for use.
type Difference struct {
	parts []*part
	rows  int // of terms, an upper bound
	bytes int // of those terms
	cells int // an upper bound
}

// Observe adds n times the counts of the bag, or with presence n for each of its terms, to class.
func (d *Difference) Observe(class int, n int64, bag *bow.Bag, presence bool) {
	p := d.part(bag.Lexicon())
	for len(p.classes) <= class {
		p.classes = append(p.classes, observed{})
	}
	c := &p.classes[class]
	if len(c.numbers) >= max(manyCounts, 4*c.kept) {
		before := len(c.numbers)
		p.addUp(c)
		d.cells -= before - len(c.numbers)
	}
	c.numbers, c.counts = slices.Grow(c.numbers, bag.Len()), slices.Grow(c.counts, bag.Len())
	d.cells += bag.Len()
	for i := range bag.Len() {
		x := n
		if !presence {
			x *= int64(bag.Count(i))
		}
		number := bag.Number(i)
		c.numbers, c.counts = append(c.numbers, number), append(c.counts, x)
		if !p.seen[number] {
			p.seen[number] = true
			d.rows++
			d.bytes += len(p.lexicon.Term(number))
		}
	}
}

// manyCounts is how many are written down for a class, at least, before they are added up.
const manyCounts = 1 << 14

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
	d.rows, d.bytes, d.cells = 0, 0, 0
}

// Size returns an upper bound of the bytes that Flatten's result takes when it is encoded.
func (d *Difference) Size() int { return d.bytes + 8*d.rows + 11*d.cells }

// Has reports whether any count of class changes.
func (d *Difference) Has(class int) bool {
	var same []int
	for _, p := range d.parts {
		for c := len(same); c < len(p.classes); c++ {
			same = append(same, c)
		}
	}
	sum := d.Flatten(same)
	return slices.Contains(sum.Class, uint32(class))
}

// Flatten returns the difference. rank maps its class numbers to the indexes of the delta's classes, each to
// another one, in any order.
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
	seen    []bool   // by number of the lexicon: whether a class has it
	sum     []int64  // scratch by number, zero between uses
	cells   []uint32 // scratch by number, zero between uses
}

// observed is what the documents of a class add: terms by number, and n for each. A term may come again.
type observed struct {
	numbers []uint32
	counts  []int64
	kept    int // how many there were when they were added up last
}

// widen makes room for the numbers that the lexicon has by now.
func (p *part) widen() {
	if n := p.lexicon.Len(); len(p.seen) < n {
		p.seen = append(p.seen, make([]bool, n-len(p.seen))...)
		p.sum = append(p.sum, make([]int64, n-len(p.sum))...)
		p.cells = append(p.cells, make([]uint32, n-len(p.cells))...)
	}
}

func (p *part) clear() {
	for i := range p.classes {
		c := &p.classes[i]
		*c = observed{numbers: c.numbers[:0], counts: c.counts[:0]}
	}
	clear(p.seen)
}

// flatten returns the part in canonical form: what is left of each class is sorted into the rows of its terms,
// class by class, so that the cells of a row come in order.
func (p *part) flatten(rank []int) Terms {
	order := make([]int, 0, len(p.classes))
	for class := range p.classes {
		if p.addUp(&p.classes[class]); len(p.classes[class].numbers) > 0 {
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

// addUp leaves one count of each term, and none of those that add up to zero.
func (p *part) addUp(c *observed) {
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
	c.numbers, c.counts, c.kept = c.numbers[:kept], c.counts[:kept], kept
}

// countCells sets p.cells to how many classes have each term, and returns the terms in order and the sum.
func (p *part) countCells(classes []int) (rows []uint32, total int) {
	for _, class := range classes {
		numbers := p.classes[class].numbers
		total += len(numbers)
		for _, number := range numbers {
			if p.cells[number] == 0 {
				rows = append(rows, number)
			}
			p.cells[number]++
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

// merge returns the sum of two differences.
func merge(a, b *Terms) (sum Terms) {
	for i, j := 0, 0; i < a.Len() || j < b.Len(); {
		order := 0
		switch {
		case i == a.Len():
			order = 1
		case j == b.Len():
			order = -1
		default:
			order = bytes.Compare(a.Term(i), b.Term(j))
		}
		switch {
		case order < 0:
			sum.appendRow(a, i)
			i++
		case order > 0:
			sum.appendRow(b, j)
			j++
		default:
			sum.appendSum(a, i, b, j)
			i, j = i+1, j+1
		}
	}
	return sum
}

// appendRow appends the i-th row of other.
func (d *Terms) appendRow(other *Terms, i int) {
	from, to := other.Range(i)
	d.Class, d.Count = append(d.Class, other.Class[from:to]...), append(d.Count, other.Count[from:to]...)
	d.endRow(other.Term(i))
}

// appendSum appends the sum of two rows of the same term, if anything is left of it.
func (d *Terms) appendSum(a *Terms, i int, b *Terms, j int) {
	begin := len(d.Class)
	from, to := a.Range(i)
	other, end := b.Range(j)
	for from < to || other < end {
		switch {
		case other == end || from < to && a.Class[from] < b.Class[other]:
			d.Class, d.Count = append(d.Class, a.Class[from]), append(d.Count, a.Count[from])
			from++
		case from == to || b.Class[other] < a.Class[from]:
			d.Class, d.Count = append(d.Class, b.Class[other]), append(d.Count, b.Count[other])
			other++
		default:
			if n := a.Count[from] + b.Count[other]; n != 0 {
				d.Class, d.Count = append(d.Class, a.Class[from]), append(d.Count, n)
			}
			from, other = from+1, other+1
		}
	}
	if len(d.Class) > begin {
		d.endRow(a.Term(i))
	}
}

// endRow makes a row of term of the cells behind the last row.
func (d *Terms) endRow(term []byte) {
	d.Bytes = append(d.Bytes, term...)
	d.Ends, d.Cells = append(d.Ends, uint32(len(d.Bytes))), append(d.Cells, uint32(len(d.Class)))
}
