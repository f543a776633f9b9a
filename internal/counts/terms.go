package counts

import (
	"fmt"

	"bayestream/internal/bow"
)

// Terms is the flat form of the difference of a table: terms in byte order, each with its cells in
// the order of the delta's classes. It is what travels in the log, and equal differences have equal
// Terms.
type Terms struct {
	Bytes []byte   // the terms, one after the other
	Ends  []uint32 // by term: where it ends in Bytes
	Cells []uint32 // by term: where its cells end in Class and Count
	Class []uint32 // by cell: index into the classes of the delta
	Count []int64  // by cell: what is added, never 0
}

// Len returns the number of terms.
func (d *Terms) Len() int { return len(d.Ends) }

// Term returns the i-th term.
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

// Flatten returns the difference that a signed table holds; rank maps its class numbers to the
// indexes of the delta's classes, in the same order.
func (t *Table) Flatten(rank []int) Terms {
	d := Terms{
		Bytes: make([]byte, 0, len(t.arena)), Ends: make([]uint32, 0, t.live), Cells: make([]uint32, 0, t.live),
		Class: make([]uint32, 0, t.cells), Count: make([]int64, 0, t.cells),
	}
	for term, cells := range t.Sorted {
		d.Bytes = append(d.Bytes, term...)
		d.Ends = append(d.Ends, uint32(len(d.Bytes)))
		begin := len(d.Class)
		for _, c := range cells {
			d.push(begin, uint32(rank[c.Class()]), c.Count())
		}
		d.Cells = append(d.Cells, uint32(len(d.Class)))
	}
	return d
}

// push appends a cell and keeps the cells of the term (those from begin) sorted by class.
func (d *Terms) push(begin int, class uint32, n int64) {
	d.Class, d.Count = append(d.Class, class), append(d.Count, n)
	for i := len(d.Class) - 1; i > begin && d.Class[i-1] > d.Class[i]; i-- {
		d.Class[i-1], d.Class[i] = d.Class[i], d.Class[i-1]
		d.Count[i-1], d.Count[i] = d.Count[i], d.Count[i-1]
	}
}

// Validate reports whether d is well formed for a delta of classes classes: lengths that agree,
// terms in strictly ascending order, no zero counts. Nothing else may be assumed of decoded input.
func (d *Terms) Validate(classes int) error {
	if len(d.Cells) != len(d.Ends) || len(d.Class) != len(d.Count) {
		return fmt.Errorf("%d terms with %d rows, %d cells with %d counts", len(d.Ends), len(d.Cells), len(d.Class), len(d.Count))
	}
	var end, cells uint32
	for i := range d.Ends {
		if d.Ends[i] <= end || d.Ends[i]-end > 1<<16-1 || d.Cells[i] <= cells {
			return fmt.Errorf("term %d is empty, too long or without counts", i)
		}
		if uint64(d.Ends[i]) > uint64(len(d.Bytes)) || uint64(d.Cells[i]) > uint64(len(d.Class)) {
			return fmt.Errorf("term %d ends after the data", i)
		}
		end, cells = d.Ends[i], d.Cells[i]
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

// Fits reports whether d can be added without a count below zero or beyond MaxCount; ids maps the indexes of the
// delta's classes to class numbers, -1 for a class the table does not have.
func (t *Table) Fits(d *Terms, ids []int) error {
	for i := range d.Ends {
		begin, end := d.Range(i)
		row := -2
		for j := begin; j < end; j++ {
			if d.Count[j] > 0 {
				// A count is at most the total of its class: no need to look it up.
				if class := ids[d.Class[j]]; class >= 0 && t.Total(class) > MaxCount-d.Count[j] {
					return fmt.Errorf("term %q: class %d would have more than %d tokens", d.Term(i), class, int64(MaxCount))
				}
				continue
			}
			if row == -2 {
				row = t.Lookup(bow.Hash(d.Term(i)), d.Term(i))
			}
			if row < 0 && t.isFrozen {
				break // not admitted: was never counted
			}
			class := ids[d.Class[j]]
			if row < 0 || class < 0 || t.Count(row, class)+d.Count[j] < 0 {
				return fmt.Errorf("term %q: %w", d.Term(i), ErrNegative)
			}
		}
	}
	return nil
}

// TotalAfter returns what Total(ids[class]) will be when d is added; class is an index of the delta's classes.
func (t *Table) TotalAfter(d *Terms, ids []int, class int) int64 {
	var sum int64
	if ids[class] >= 0 {
		sum = t.Total(ids[class])
	}
	for i := range d.Ends {
		begin, end := d.Range(i)
		for j := begin; j < end; j++ {
			if int(d.Class[j]) != class {
				continue
			}
			if t.isFrozen && t.Lookup(bow.Hash(d.Term(i)), d.Term(i)) < 0 {
				break // not admitted: is not counted
			}
			sum += d.Count[j]
		}
	}
	return sum
}

// Apply adds d, which Fits. Terms that are there come first and new ones after them, in byte order
// until the limit is reached, so that the vocabulary freezes only if it really grew.
func (t *Table) Apply(d *Terms, ids []int) error {
	var fresh []int
	for i := range d.Ends {
		row := t.Lookup(bow.Hash(d.Term(i)), d.Term(i))
		if row < 0 {
			fresh = append(fresh, i)
			continue
		}
		// What is added comes before what is taken out: a term that moves from one class to
		// another must not leave the vocabulary on its way.
		for _, removing := range []bool{false, true} {
			if err := t.applyRow(row, d, i, ids, removing); err != nil {
				return err
			}
		}
	}
	for _, i := range fresh {
		hash := bow.Hash(d.Term(i))
		begin, end := d.Range(i)
		for j := begin; j < end; j++ {
			if err := t.Add(hash, d.Term(i), ids[d.Class[j]], d.Count[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Table) applyRow(row int, d *Terms, i int, ids []int, removing bool) error {
	begin, end := d.Range(i)
	for j := begin; j < end; j++ {
		if (d.Count[j] < 0) == removing {
			if err := t.AddRow(row, ids[d.Class[j]], d.Count[j]); err != nil {
				return err
			}
		}
	}
	return nil
}
