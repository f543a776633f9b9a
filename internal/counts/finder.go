package counts

import "bayestream/internal/bow"

// A Finder finds the rows of terms in a table and keeps them by the terms' numbers in a lexicon, so
// that a term that comes again costs neither hash nor comparison. It is scratch of one goroutine,
// for one table and one lexicon at a time; with another one it starts again. The zero value is
// ready for use.
type Finder struct {
	table    *Table
	removals int64 // of the table, when rows was empty
	lexicon  *bow.Lexicon
	rows     []int32 // by number: row + 1; 0: not known
}

// AppendRows appends, for each distinct term of the bag, its row in t, or -1 where no class has
// counted it.
func (f *Finder) AppendRows(dst []int32, t *Table, bag *bow.Bag) []int32 {
	f.use(t, bag.Lexicon())
	for i := range bag.Len() {
		dst = append(dst, int32(f.counted(t, bag, i)))
	}
	return dst
}

// counted is row, or -1 for a row without cells, as a frozen table may have.
func (f *Finder) counted(t *Table, bag *bow.Bag, i int) int {
	row := f.row(t, bag, i)
	if row >= 0 && t.rows[row].used == 0 {
		return -1
	}
	return row
}

// use forgets the rows if they are not of this table and this lexicon, or if a row was removed:
// until then a term keeps its row.
func (f *Finder) use(t *Table, l *bow.Lexicon) {
	if f.table != t || f.lexicon != l || f.removals != t.removals {
		f.table = t
		f.lexicon = l
		f.removals = t.removals
		clear(f.rows)
	}
	if n := l.Len(); len(f.rows) < n {
		f.rows = append(f.rows, make([]int32, n-len(f.rows))...)
	}
}

// row returns the row of the i-th distinct term of a bag, -1 if the table has none. That it has
// none is not kept: the term may be added at any time.
func (f *Finder) row(t *Table, bag *bow.Bag, i int) int {
	number := bag.Number(i)
	if row := f.rows[number]; row > 0 {
		return int(row) - 1
	}
	row := t.Lookup(bag.Hash(i), bag.Term(i))
	f.rows[number] = int32(row + 1)
	return row
}
