package counts

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Terms is the difference of a table in canonical form: terms in byte order, each with its cells in
// the order of the delta's classes. Equal differences have equal Terms.
type Terms struct {
	Bytes []byte   // the terms, one after the other
	Ends  []uint32 // by term: its end in Bytes
	Cells []uint32 // by term: the end of its cells in Class and Count
	Class []uint32 // by cell: index into the classes of the delta
	Count []int64  // by cell: what is added, never 0
}

// Len returns the number of terms.
func (d *Terms) Len() int { return len(d.Ends) }

// Term returns the i-th term. The slice is a view.
func (d *Terms) Term(i int) []byte {
	var begin uint32
	if i > 0 {
		begin = d.Ends[i-1]
	}
	return d.Bytes[begin:d.Ends[i]]
}

// Range returns where the cells of the i-th term begin and end in Class and Count.
func (d *Terms) Range(i int) (begin, end int) {
	if i > 0 {
		begin = int(d.Cells[i-1])
	}
	return begin, int(d.Cells[i])
}

// Validate reports whether d is in canonical form for a delta of so many classes: lengths that
// agree, valid terms in strictly ascending order, cells in strictly ascending order of class, no
// zero counts. Of decoded input nothing is assumed.
func (d *Terms) Validate(classes int) error {
	if len(d.Cells) != len(d.Ends) || len(d.Class) != len(d.Count) {
		return fmt.Errorf("%d terms with %d rows, %d cells with %d counts", len(d.Ends), len(d.Cells), len(d.Class),
			len(d.Count))
	}
	var end, cells uint32
	for i := range d.Ends {
		if d.Ends[i] <= end || d.Cells[i] <= cells {
			return fmt.Errorf("term %d is empty or without counts", i)
		}
		if uint64(d.Ends[i]) > uint64(len(d.Bytes)) || uint64(d.Cells[i]) > uint64(len(d.Class)) {
			return fmt.Errorf("term %d ends after the data", i)
		}
		end = d.Ends[i]
		cells = d.Cells[i]
		if err := CheckTerm(d.Term(i)); err != nil {
			return fmt.Errorf("term %d %w", i, err)
		}
		if i > 0 && string(d.Term(i-1)) >= string(d.Term(i)) {
			return fmt.Errorf("term %d is out of order", i)
		}
		if err := d.validateCells(i, classes); err != nil {
			return err
		}
	}
	if int(end) != len(d.Bytes) || int(cells) != len(d.Class) {
		return fmt.Errorf("data after the last term")
	}
	return nil
}

func (d *Terms) validateCells(i, classes int) error {
	begin, end := d.Range(i)
	for j := begin; j < end; j++ {
		if int64(d.Class[j]) >= int64(classes) || (j > begin && d.Class[j] <= d.Class[j-1]) {
			return fmt.Errorf("term %d counts class %d of %d", i, d.Class[j], classes)
		}
		if n := d.Count[j]; n == 0 || n > MaxCount || n < -MaxCount {
			return fmt.Errorf("term %d has the count %d", i, n)
		}
	}
	return nil
}

// Terms returns the counts of a table as a difference. rank gives each class number its index among
// the classes of the delta, each another one.
func (t *Table) Terms(rank []int) (d Terms) {
	type ranked struct {
		class uint32
		n     int64
	}
	var cells []ranked
	for term, row := range t.Sorted {
		cells = cells[:0]
		for _, c := range row {
			cells = append(cells, ranked{uint32(rank[c.Class()]), c.Count()})
		}
		slices.SortFunc(cells, func(a, b ranked) int { return cmp.Compare(a.class, b.class) })
		for _, c := range cells {
			d.appendCell(c.class, c.n)
		}
		d.endRow(term)
	}
	return d
}

// Beside returns the sum of d and of what other says of as many more classes, behind those of d.
func (d *Terms) Beside(other *Terms, classes int) Terms {
	more := *other
	more.Class = make([]uint32, len(other.Class))
	for i, class := range other.Class {
		more.Class[i] = class + uint32(classes)
	}
	return d.Plus(&more)
}

// Apart returns the two that Beside has put together. d must be valid for twice the classes.
func (d *Terms) Apart(classes int) (first, second Terms) {
	for i := range d.Len() {
		begin, end := d.Range(i)
		for j := begin; j < end; j++ {
			if class := int(d.Class[j]); class < classes {
				first.appendCell(d.Class[j], d.Count[j])
			} else {
				second.appendCell(uint32(class-classes), d.Count[j])
			}
		}
		for _, of := range []*Terms{&first, &second} {
			if n := len(of.Cells); len(of.Class) > 0 && (n == 0 || int(of.Cells[n-1]) < len(of.Class)) {
				of.endRow(d.Term(i))
			}
		}
	}
	return first, second
}

// Plus returns the sum of two differences.
func (d *Terms) Plus(o *Terms) Terms {
	sum := Terms{
		Bytes: make([]byte, 0, len(d.Bytes)+len(o.Bytes)),
		Ends:  make([]uint32, 0, len(d.Ends)+len(o.Ends)),
		Cells: make([]uint32, 0, len(d.Ends)+len(o.Ends)),
		Class: make([]uint32, 0, len(d.Class)+len(o.Class)),
		Count: make([]int64, 0, len(d.Class)+len(o.Class)),
	}
	for i, j := 0, 0; i < d.Len() || j < o.Len(); {
		order := 0
		switch {
		case i == d.Len():
			order = 1
		case j == o.Len():
			order = -1
		default:
			order = bytes.Compare(d.Term(i), o.Term(j))
		}
		switch {
		case order < 0:
			sum.appendRow(d, i)
			i++
		case order > 0:
			sum.appendRow(o, j)
			j++
		default:
			sum.appendSum(d, i, o, j)
			i++
			j++
		}
	}
	return sum
}

func (d *Terms) appendRow(other *Terms, i int) {
	from, to := other.Range(i)
	d.Class = append(d.Class, other.Class[from:to]...)
	d.Count = append(d.Count, other.Count[from:to]...)
	d.endRow(other.Term(i))
}

// appendSum appends the sum of two rows of the same term, unless it is zero in every class.
func (d *Terms) appendSum(a *Terms, i int, b *Terms, j int) {
	begin := len(d.Class)
	x, endX := a.Range(i)
	y, endY := b.Range(j)
	for x < endX || y < endY {
		switch {
		case y == endY || x < endX && a.Class[x] < b.Class[y]:
			d.appendCell(a.Class[x], a.Count[x])
			x++
		case x == endX || b.Class[y] < a.Class[x]:
			d.appendCell(b.Class[y], b.Count[y])
			y++
		default:
			d.appendCell(a.Class[x], a.Count[x]+b.Count[y])
			x++
			y++
		}
	}
	if len(d.Class) > begin {
		d.endRow(a.Term(i))
	}
}

// appendCell appends a cell, unless its count is zero.
func (d *Terms) appendCell(class uint32, n int64) {
	if n != 0 {
		d.Class = append(d.Class, class)
		d.Count = append(d.Count, n)
	}
}

// endRow makes a row of term of the cells after the last row.
func (d *Terms) endRow(term []byte) {
	d.Bytes = append(d.Bytes, term...)
	d.Ends = append(d.Ends, uint32(len(d.Bytes)))
	d.Cells = append(d.Cells, uint32(len(d.Class)))
}
