package counts

import "bayestream/internal/bow"

// A Finder finds the rows of terms in a table, and remembers them by their numbers in a lexicon: a term
// that comes again costs neither hash nor comparison. It is scratch of one goroutine, for one table and
// one lexicon at a time; with another one it starts anew. The zero value is ready for use.
type Finder struct {
	table   *Table
	removed int64 // of the table, when the first of rows was found
	lexicon *bow.Lexicon
	rows    []int32 // by number: row + 1; 0: not known
}

// AppendRows appends, for each distinct term of the bag, its row in t, or -1 where no class has counted it.
func (f *Finder) AppendRows(dst []int32, t *Table, bag *bow.Bag) []int32 {
	f.use(t, bag.Lexicon())
	for i := range bag.Len() {
		dst = append(dst, int32(f.counted(t, bag, i)))
	}
	return dst
}

// Row returns the row of the i-th distinct term of the bag in t, or -1 where no class has counted it.
func (f *Finder) Row(t *Table, bag *bow.Bag, i int) int {
	f.use(t, bag.Lexicon())
	return f.counted(t, bag, i)
}

// counted is row for terms with a count.
func (f *Finder) counted(t *Table, bag *bow.Bag, i int) int {
	row := f.row(t, bag, i)
	if row >= 0 && t.rows[row].used == 0 {
		return -1 // at zero in a frozen table
	}
	return row
}

// use forgets the rows if they are not of this table and this lexicon. Rows keep their numbers until they
// leave the table.
func (f *Finder) use(t *Table, l *bow.Lexicon) {
	if f.table != t || f.lexicon != l || f.removed != t.removals {
		f.table, f.lexicon, f.removed = t, l, t.removals
		clear(f.rows)
	}
	if n := l.Len(); len(f.rows) < n {
		f.rows = append(f.rows, make([]int32, n-len(f.rows))...)
	}
}

// row returns the row of the i-th distinct term of a bag, -1 where the table has none. What is not in the
// table is not remembered: it may come any time.
func (f *Finder) row(t *Table, bag *bow.Bag, i int) int {
	number := bag.Number(i)
	if row := f.rows[number]; row > 0 {
		return int(row) - 1
	}
	row := t.Lookup(bag.Hash(i), bag.Term(i))
	f.rows[number] = int32(row + 1)
	return row
}
