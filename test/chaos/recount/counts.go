package recount

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"

	recounted "bayestream/internal/testing/recount"
)

// Counts are the integers of a model by name: "documents spam", "term spam prize", "length spam
// 4-5", "longest spam 6-7", "nonwords spam 1", "first spam win", "categories[0] spam FR",
// "numbers[0] spam length sum". Zeros are left out.
type Counts map[string]*big.Int

// fields are the numbers of the suite's spec, in its order, and category is its category.
var fields = []string{"length", "digits"}

const category = "country"

func (c Counts) plus(n *big.Int, name ...string) {
	key := fmt.Sprintf("%q", name)
	if c[key] == nil {
		c[key] = new(big.Int)
	}
	c[key].Add(c[key], n)
}

// add counts a document so many times.
func (c Counts) add(doc learned, weight int64, tokenize func(text string) []string) error {
	var from content
	if err := json.Unmarshal([]byte(doc.value), &from); err != nil {
		return err
	}
	w := big.NewInt(weight)
	c.plus(w, "documents", doc.label)
	words := tokenize(from.Text)
	for _, term := range words {
		c.plus(w, "term", doc.label, term)
	}
	for i, size := range recounted.Shape(words) {
		c.plus(w, [...]string{"length", "longest", "nonwords"}[i], doc.label, size)
	}
	if len(words) > 0 {
		c.plus(w, "first", doc.label, words[0])
		c.plus(w, "last", doc.label, recounted.Last(words))
	}
	if value := from.Categories[category]; value != nil && *value != "" { // an empty one is a missing one
		c.plus(w, "categories[0]", doc.label, *value)
	}
	for _, field := range fields {
		digits, ok := from.Numbers[field]
		if !ok {
			continue
		}
		x, err := scaled(digits)
		if err != nil {
			return err
		}
		c.plus(w, "numbers[0]", doc.label, field, "n")
		c.plus(new(big.Int).Mul(w, x), "numbers[0]", doc.label, field, "sum")
		c.plus(new(big.Int).Mul(w, new(big.Int).Mul(x, x)), "numbers[0]", doc.label, field, "squares")
	}
	return nil
}

func (c Counts) drop() {
	maps.DeleteFunc(c, func(_ string, n *big.Int) bool { return n.Sign() == 0 })
}

// line is a line of what "bayestream export" writes.
type line struct {
	Lines     *int     `json:"lines"`
	Class     string   `json:"class"`
	Documents *int64   `json:"documents"`
	Term      *string  `json:"term"`
	Table     string   `json:"table"`
	Value     *string  `json:"value"`
	Count     *int64   `json:"count"`
	Block     string   `json:"block"`
	N         []int64  `json:"n"`
	Sum       []string `json:"sum"`
	Products  []string `json:"products"`
}

// Exported reads the counts that "bayestream export" wrote.
func Exported(r io.Reader) (Counts, error) {
	counts := Counts{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	whole := false
	for n := 0; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d of the export: %w", n+1, err)
		}
		whole = l.Lines != nil
		if err := counts.read(&l); err != nil {
			return nil, fmt.Errorf("line %d of the export: %w", n+1, err)
		}
	}
	if !whole && lines.Err() == nil {
		return nil, errors.New("the export ends early")
	}
	counts.drop()
	return counts, lines.Err()
}

func (c Counts) read(l *line) error {
	switch {
	case l.Documents != nil:
		c.plus(big.NewInt(*l.Documents), "documents", l.Class)
	case l.Term != nil:
		c.plus(big.NewInt(*l.Count), "term", l.Class, *l.Term)
	case l.Value != nil:
		c.plus(big.NewInt(*l.Count), l.Table, l.Class, *l.Value)
	case l.Block != "":
		return c.readSums(l)
	}
	return nil
}

func (c Counts) readSums(l *line) error {
	for i, field := range fields {
		sum, ok := new(big.Int).SetString(l.Sum[i], 10)
		squares, ok2 := new(big.Int).SetString(l.Products[i], 10)
		if !ok || !ok2 {
			return fmt.Errorf("the sums of %s are not integers", field)
		}
		c.plus(big.NewInt(l.N[i]), l.Block, l.Class, field, "n")
		c.plus(sum, l.Block, l.Class, field, "sum")
		c.plus(squares, l.Block, l.Class, field, "squares")
	}
	return nil
}

// Differences says in how many integers two counts differ, and shows the first ones.
func Differences(got, want Counts) []string {
	keys := maps.Clone(got)
	maps.Copy(keys, want)
	var found []string
	zero := new(big.Int)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		g, w := got[key], want[key]
		if g == nil {
			g = zero
		}
		if w == nil {
			w = zero
		}
		if g.Cmp(w) != 0 {
			found = append(found, key+": "+g.String()+", want "+w.String())
		}
	}
	const shown = 5
	if len(found) > shown {
		found = append(found[:shown:shown], "and "+strconv.Itoa(len(found)-shown)+" more integers")
	}
	return found
}
