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
	Presence bool     // a word counts once in a document
	Ledger   int      // documents that a ledger holds
	Window   int      // documents of a partition that stay counted; 0: all
	Age      int64    // milliseconds for which documents stay counted; 0: for good
	Classes  int      // classes that the model holds
	Refs     []string // topics that a ref may point into
	List     []byte   // fingerprint of what races
	Racing   int      // candidates that may lead
}

func (r *Rules) isWindowed() bool { return r.Window > 0 || r.Age > 0 }

// moments are the sums of the number of a class.
type moments struct {
	n           int64
	sum, square *big.Int
}

// counts are those of a model, or the difference that a delta makes.
type counts struct {
	documents map[string]int64
	words     map[string]map[string]int64 // by term, then class
	category  map[string]map[string]int64
	shape     [3]map[string]map[string]int64 // by size: of the length, of the longest word, of how many are none
	first     map[string]map[string]int64
	last      map[string]map[string]int64
	numbers   map[string]*moments
}

func newCounts() counts {
	table := func() map[string]map[string]int64 { return map[string]map[string]int64{} }
	return counts{map[string]int64{}, table(), table(), [3]map[string]map[string]int64{table(), table(), table()}, table(),
		table(), map[string]*moments{}}
}

// add counts a document of a label so many times; a negative weight takes it out.
func (c *counts) add(label string, weight int64, d *Document, presence bool) {
	c.documents[label] += weight
	if c.documents[label] == 0 {
		delete(c.documents, label)
	}
	for i, size := range Shape(d.Words) {
		count(c.shape[i], size, label, weight)
	}
	if len(d.Words) > 0 {
		count(c.first, d.Words[0], label, weight)
		count(c.last, Last(d.Words), label, weight)
	}
	words := slices.Clone(d.Words)
	if presence {
		slices.Sort(words)
		words = slices.Compact(words)
	}
	for _, w := range words {
		count(c.words, w, label, weight)
	}
	if d.Category != "" {
		count(c.category, d.Category, label, weight)
	}
	if d.Number == nil {
		return
	}
	m := c.numbers[label]
	if m == nil {
		m = &moments{sum: new(big.Int), square: new(big.Int)}
		c.numbers[label] = m
	}
	x, w := big.NewInt(*d.Number), big.NewInt(weight)
	x.Mul(x, big.NewInt(1e9)) // the unit of fixed-point numbers
	m.n += weight
	xw := new(big.Int).Mul(x, w)
	m.sum.Add(m.sum, xw)
	m.square.Add(m.square, xw.Mul(xw, x))
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
		if isHost || strings.ContainsAny(w, "0123456789._<") {
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

func count(table map[string]map[string]int64, term, class string, n int64) {
	row := table[term]
	if row == nil {
		row = map[string]int64{}
		table[term] = row
	}
	row[class] += n
	if row[class] == 0 {
		delete(row, class)
	}
	if len(row) == 0 {
		delete(table, term)
	}
}

// dump writes every count, in the form of model.Model.Dump; the numbers as decimal integers.
func (c *counts) dump(out *strings.Builder) {
	for _, class := range slices.Sorted(maps.Keys(c.documents)) {
		fmt.Fprintf(out, "class %q %d\n", class, c.documents[class])
	}
	for i, table := range [...]map[string]map[string]int64{c.words, c.category, c.shape[0], c.shape[1], c.shape[2],
		c.first, c.last} {
		for _, term := range slices.Sorted(maps.Keys(table)) {
			fmt.Fprintf(out, "table %d %q", i, term)
			for _, class := range slices.Sorted(maps.Keys(table[term])) {
				fmt.Fprintf(out, " %q:%d", class, table[term][class])
			}
			out.WriteByte('\n')
		}
	}
	for _, class := range slices.Sorted(maps.Keys(c.numbers)) {
		if m := c.numbers[class]; m.n != 0 {
			fmt.Fprintf(out, "number %q %d %v %v\n", class, m.n, m.sum, m.square)
		}
	}
}
