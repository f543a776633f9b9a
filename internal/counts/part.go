package counts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"bayestream/internal/bow"
)

// A part of a difference is what the bags of one lexicon add.
type part struct {
	lexicon *bow.Lexicon
	classes []observed
	seen    []uint64 // by number: a bit for each class that has the term
	terms   []uint32 // the numbers with a bit
}

// scratch has a place for each number of a lexicon. Its slices are zero between uses.
type scratch struct {
	sums  []int64  // of addUp
	cells []uint32 // of part.sum
}

func (s *scratch) widen(n int) {
	if len(s.sums) < n {
		s.sums = append(s.sums, make([]int64, n-len(s.sums))...)
		s.cells = append(s.cells, make([]uint32, n-len(s.cells))...)
	}
}

// observed is what the documents of one class add: numbers of terms, and the count of each. A
// number may come more than once.
type observed struct {
	numbers []uint32
	counts  []int64
}

func (c *observed) grow(n int) {
	c.numbers = slices.Grow(c.numbers, n)
	c.counts = slices.Grow(c.counts, n)
}

// widen makes room for all numbers of the lexicon.
func (p *part) widen(s *scratch) {
	if n := p.lexicon.Len(); len(p.seen) < n {
		p.seen = append(p.seen, make([]uint64, n-len(p.seen))...)
		s.widen(n)
	}
}

// reset empties the part. It visits the terms of the part, not the whole lexicon, which may be much
// larger.
func (p *part) reset() {
	for i := range p.classes {
		c := &p.classes[i]
		c.numbers = c.numbers[:0]
		c.counts = c.counts[:0]
	}
	for _, number := range p.terms {
		p.seen[number] = 0
	}
	p.terms = p.terms[:0]
}

// sum returns the part in canonical form. The counts of each class are added up and then
// distributed over the rows of their terms, class by class in the order of rank, so that the cells
// of a row are in order (a counting sort).
func (p *part) sum(rank []int, s *scratch) Terms {
	order := make([]int, 0, len(p.classes))
	for class := range p.classes {
		if s.addUp(&p.classes[class]) > 0 {
			order = append(order, class)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	numbers, cells := p.countCells(order, s)
	out := p.layOut(numbers, cells, s)
	for _, class := range order {
		c := &p.classes[class]
		for i, number := range c.numbers {
			next := s.cells[number]
			out.Class[next] = uint32(rank[class])
			out.Count[next] = c.counts[i]
			s.cells[number]++
		}
	}
	for _, number := range numbers {
		s.cells[number] = 0
	}
	return out
}

// addUp leaves one count for each term, and none where they add up to zero. It returns how many are
// left.
func (s *scratch) addUp(c *observed) int {
	for i, number := range c.numbers {
		s.sums[number] += c.counts[i]
	}
	kept := 0
	for _, number := range c.numbers {
		n := s.sums[number]
		s.sums[number] = 0
		c.numbers[kept] = number
		c.counts[kept] = n
		if n != 0 {
			kept++
		}
	}
	c.numbers = c.numbers[:kept]
	c.counts = c.counts[:kept]
	return kept
}

// countCells sets s.cells to the number of classes that have each term. It returns the numbers of
// the terms with cells, sorted by their bytes, and the total of cells.
func (p *part) countCells(classes []int, s *scratch) (numbers []uint32, total int) {
	for _, class := range classes {
		of := p.classes[class].numbers
		total += len(of)
		for _, number := range of {
			s.cells[number]++
		}
	}
	for _, number := range p.terms {
		if s.cells[number] > 0 {
			numbers = append(numbers, number)
		}
	}
	SortByTerm(numbers, p.lexicon.Term)
	return numbers, total
}

// layOut returns the terms of the numbers with room for their cells, and sets s.cells to where
// those of each begin.
func (p *part) layOut(numbers []uint32, cells int, s *scratch) Terms {
	out := Terms{
		Ends:  make([]uint32, len(numbers)),
		Cells: make([]uint32, len(numbers)),
		Class: make([]uint32, cells),
		Count: make([]int64, cells),
	}
	end := uint32(0)
	for i, number := range numbers {
		out.Bytes = append(out.Bytes, p.lexicon.Term(number)...)
		out.Ends[i] = uint32(len(out.Bytes))
		begin := end
		end += s.cells[number]
		out.Cells[i] = end
		s.cells[number] = begin
	}
	return out
}

// SortByTerm sorts numbers or rows by the bytes of their terms, or keys. It compares the first eight
// bytes, which decide nearly always, before it looks at the term.
func SortByTerm(ids []uint32, term func(id uint32) []byte) {
	type sorted struct {
		start uint64
		id    uint32
	}
	order := make([]sorted, len(ids))
	for i, id := range ids {
		order[i] = sorted{firstEight(term(id)), id}
	}
	slices.SortFunc(order, func(a, b sorted) int {
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return bytes.Compare(term(a.id), term(b.id))
	})
	for i := range order {
		ids[i] = order[i].id
	}
}

// firstEight returns a number that orders terms by their first eight bytes, a shorter one as if it
// ended in zeros.
func firstEight(term []byte) uint64 {
	var eight [8]byte
	copy(eight[:], term)
	return binary.BigEndian.Uint64(eight[:])
}
