package recount

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Rules are what the spec of the model says about counting.
type Rules struct {
	Presence bool             // a word counts once in a document
	Ledger   int              // documents that a ledger holds
	Teachers map[string]int64 // by name: the largest weight of a record
	Window   int              // documents of a partition that stay counted; 0: all
	Age      int64            // milliseconds for which documents stay counted; 0: for good
	Classes  int              // classes that the model holds
	Refs     []string         // topics that a ref may point into
	List     []byte           // fingerprint of what races
	Balanced bool             // errors in small classes cost more
	Racing   int              // candidates that may lead, the first of them until another is chosen
	Start    int              // its temper till then, by its place in the grid
	Other    string           // a later spec, by which records have label and weight elsewhere; "": none
}

func (r *Rules) isWindowed() bool { return r.Window > 0 || r.Age > 0 }

// Counts are those of a model, or the difference that documents make.
type Counts struct {
	documents map[string]int64
	tables    []table // of words; of each field of values; of each of Shape; of first and of last words
	numbers   map[block]*Moments

	corrected   map[string]int64 // corrections by the classes that they name
	corrections table
}

// table is counts by term, then class.
type table map[string]map[string]int64

// block is the numbers of a class.
type block struct {
	index int
	class string
}

// Moments are the sums of the numbers of a block, by field.
type Moments struct {
	N        []int64
	Sum      []*big.Int
	Products [][]*big.Int
}

// NewCounts returns no counts, of a model with so many fields of values.
func NewCounts(values int) *Counts {
	c := &Counts{documents: map[string]int64{}, numbers: map[block]*Moments{}, corrected: map[string]int64{},
		corrections: table{}}
	for range 1 + values + len(Shape(nil)) + 2 {
		c.tables = append(c.tables, table{})
	}
	return c
}

// Add counts a document of a label so many times; a negative weight takes it out. With presence a
// word counts once in a document.
func (c *Counts) Add(label string, weight int64, d *Document, presence bool) {
	c.documents[label] += weight
	if c.documents[label] == 0 {
		delete(c.documents, label)
	}
	shape := Shape(d.Words)
	at := len(c.tables) - len(shape) - 2
	for i, size := range shape {
		c.tables[at+i].count(size, label, weight)
	}
	if len(d.Words) > 0 {
		c.tables[len(c.tables)-2].count(d.Words[0], label, weight)
		c.tables[len(c.tables)-1].count(Last(d.Words), label, weight)
	}
	words := slices.Clone(d.Words)
	if presence {
		slices.Sort(words)
		words = slices.Compact(words)
	}
	for _, w := range words {
		c.tables[0].count(w, label, weight)
	}
	for i, v := range d.Values {
		if v != "" {
			c.tables[1+i].count(v, label, weight)
		}
	}
	for i, x := range d.Numbers {
		c.moments(block{i, label}, len(x)).add(x, weight)
	}
}

// Correct counts a document of a label that corrects against the class ahead of it so many times; a
// negative weight takes that out.
func (c *Counts) Correct(label, ahead string, weight int64, d *Document) {
	words := slices.Clone(d.Words)
	slices.Sort(words)
	words = slices.Compact(words)
	c.correct(label, weight, weight, words)
	c.correct(ahead, weight, -weight, words)
}

func (c *Counts) correct(class string, times, n int64, words []string) {
	c.corrected[class] += times
	if c.corrected[class] == 0 {
		delete(c.corrected, class)
	}
	for _, w := range words {
		c.corrections.count(w, class, n)
	}
}

func (t table) count(term, class string, n int64) {
	row := t[term]
	if row == nil {
		row = map[string]int64{}
		t[term] = row
	}
	row[class] += n
	if row[class] == 0 {
		delete(row, class)
	}
	if len(row) == 0 {
		delete(t, term)
	}
}

// Numbers returns the sums of a block, by class.
func (c *Counts) Numbers(index int) map[string]*Moments {
	out := map[string]*Moments{}
	for b, m := range c.numbers {
		if b.index == index {
			out[b.class] = m
		}
	}
	return out
}

func (c *Counts) moments(b block, fields int) *Moments {
	m := c.numbers[b]
	if m == nil {
		m = &Moments{make([]int64, fields), zeros(fields), nil}
		for range fields {
			m.Products = append(m.Products, zeros(fields))
		}
		c.numbers[b] = m
	}
	return m
}

func zeros(n int) []*big.Int {
	out := make([]*big.Int, n)
	for i := range out {
		out[i] = new(big.Int)
	}
	return out
}

// add adds a row so many times. A nil is missing.
func (m *Moments) add(x []*big.Int, weight int64) {
	w := big.NewInt(weight)
	for i, a := range x {
		if a == nil {
			continue
		}
		m.N[i] += weight
		wa := new(big.Int).Mul(w, a)
		m.Sum[i].Add(m.Sum[i], wa)
		for j, b := range x {
			if b != nil {
				m.Products[i][j].Add(m.Products[i][j], new(big.Int).Mul(wa, b))
			}
		}
	}
}

// Check compares them with those of a model: the rows of all fields together or by field, and the
// products of all fields or of each with itself.
func (m *Moments) Check(rows []int64, sums, products []*big.Int) error {
	isFull := len(products) > len(m.N)
	at := 0
	for i := range m.N {
		n := rows[0]
		if !isFull {
			n = rows[i]
		}
		if n != m.N[i] || sums[i].Cmp(m.Sum[i]) != 0 {
			return fmt.Errorf("field %d: %d rows with the sum %v, recounted %d with %v", i, n, sums[i], m.N[i], m.Sum[i])
		}
		for j := i; j < len(m.N) && (isFull || j == i); j++ {
			if products[at].Cmp(m.Products[i][j]) != 0 {
				return fmt.Errorf("fields %d and %d: sum of products %v, recounted %v", i, j, products[at], m.Products[i][j])
			}
			at++
		}
	}
	if at != len(products) {
		return fmt.Errorf("%d products, want %d", len(products), at)
	}
	return nil
}

// Last returns the last of some words, the class of an address in place of its host.
func Last(words []string) string {
	n := len(words)
	if n > 1 && isAddress(words[n-2]) {
		return words[n-2]
	}
	return words[n-1]
}

// isAddress reports whether a word is the class of an address, which its host follows.
func isAddress(word string) bool { return word == "<url>" || word == "<mail>" }

// Shape returns the sizes of a text of words: how many there are, how long the longest is, and how
// many are hosts or classes, or have something else than letters and apostrophes.
func Shape(words []string) [3]string {
	longest, nonwords := 0, 0
	for i, w := range words {
		longest = max(longest, len(w))
		isHost := i > 0 && isAddress(words[i-1])
		if isHost || strings.ContainsAny(w, "0123456789._<+#") {
			nonwords++
		}
	}
	return [...]string{sizeOf(len(words)), sizeOf(longest), sizeOf(nonwords)}
}

// sizeOf returns the sizes that count as n: four of one size each, then two of two sizes, two of
// four, and so on.
func sizeOf(n int) string {
	least, width, left := 0, 1, 4
	for n >= least+width {
		least += width
		left--
		if left == 0 {
			width *= 2
			left = 2
		}
	}
	if width == 1 {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d-%d", least, least+width-1)
}

// Dump writes every count, in the form of model.Model.Dump; of the numbers the first field of the
// first block, as decimal integers.
func (c *Counts) Dump(out *strings.Builder) {
	for _, class := range slices.Sorted(maps.Keys(c.documents)) {
		fmt.Fprintf(out, "class %q %d\n", class, c.documents[class])
	}
	for i, table := range c.tables {
		table.dump(out, fmt.Sprintf("table %d", i))
	}
	var lines []string
	for b, m := range c.numbers {
		if b.index == 0 && m.N[0] != 0 {
			lines = append(lines, fmt.Sprintf("number %q %d %v %v\n", b.class, m.N[0], m.Sum[0], m.Products[0][0]))
		}
	}
	slices.Sort(lines)
	out.WriteString(strings.Join(lines, ""))
	for _, class := range slices.Sorted(maps.Keys(c.corrected)) {
		fmt.Fprintf(out, "corrected %q %d\n", class, c.corrected[class])
	}
	c.corrections.dump(out, "corrections")
}

// dump writes the rows of a table after its name.
func (t table) dump(out *strings.Builder, name string) {
	for _, term := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(out, "%s %q", name, term)
		for _, class := range slices.Sorted(maps.Keys(t[term])) {
			fmt.Fprintf(out, " %q:%d", class, t[term][class])
		}
		out.WriteByte('\n')
	}
}
