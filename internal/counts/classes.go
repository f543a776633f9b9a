package counts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bayestream/internal/core/digest"
)

// MaxClasses is the largest number of classes of a table: a class number has 16 bits.
const MaxClasses = 1 << 16

// ErrNegative is the error of a change that would make a count negative: it takes out what was
// never learned.
var ErrNegative = errors.New("count would become negative")

// Classes numbers the classes and counts their documents. A class exists from its first document to
// its last: when its documents return to zero its number is free, and the next new class gets the
// lowest free number, so that the numbering depends on the sequence of changes alone. The zero
// value is empty and ready for use.
type Classes struct {
	ids       map[string]int
	names     []string // by id; "" if the id is free
	documents []int64  // D_c by id
	live      []int    // ids of the classes with documents, sorted by name
	total     int64    // sum of documents
	expected  []string // see Expect
	standIns  []string // classes without documents that Choices has, whose numbers come after those of names
	choices   []int
}

// ID returns the number of the class called name.
func (c *Classes) ID(name string) (id int, ok bool) {
	id, ok = c.ids[name]
	return id, ok
}

// Names returns the names of the classes by number, "" of one that is free. It is a view.
func (c *Classes) Names() []string { return c.names }

// AppendNumbers appends the number that find, which is ID or Choice, has of each name; -1: none.
func AppendNumbers(dst []int, names []string, find func(name string) (id int, ok bool)) []int {
	for _, name := range names {
		id, ok := find(name)
		if !ok {
			id = -1
		}
		dst = append(dst, id)
	}
	return dst
}

// ErrInconsistent is the error of a difference that no documents can have made.
var ErrInconsistent = errors.New("delta does not come from documents")

// Fits returns the numbers of classes, -1 of one that has none, if so many documents can be added to
// them, which may be none or less. The names differ.
func (c *Classes) Fits(names []string, documents []int64) (ids []int, err error) {
	ids = make([]int, len(names))
	total := c.total
	live := len(c.live)
	for i, name := range names {
		have := int64(0)
		id, isKnown := c.ids[name]
		if isKnown {
			have = c.documents[id]
		} else {
			id = -1
		}
		ids[i] = id
		n := documents[i]
		if !isKnown && n > 0 {
			live++
		}
		switch {
		case have+n < 0 && n < 0:
			return nil, fmt.Errorf("class %q: %d documents, %d to take out: %w", name, have, -n, ErrNegative)
		case n > MaxCount-total || live > lastClass+1:
			return nil, fmt.Errorf("class %q gets %d documents, too many to count: %w", name, n, ErrInconsistent)
		}
		total += n
	}
	return ids, nil
}

// Intern returns the number of the class called name, a new one if it has none. It must get a
// document afterwards.
func (c *Classes) Intern(name string) int {
	if id, ok := c.ids[name]; ok {
		return id
	}
	if c.ids == nil {
		c.ids = map[string]int{}
	}
	id := slices.Index(c.names, "")
	if id < 0 {
		id = len(c.names)
		c.names = append(c.names, "")
		c.documents = append(c.documents, 0)
	}
	c.names[id] = name
	c.ids[name] = id
	return id
}

// Add adds n documents (negative: takes them out) to class id. A class left without documents is
// dropped.
func (c *Classes) Add(id int, n int64) error {
	if c.documents[id]+n < 0 {
		return fmt.Errorf("class %q: %d documents less %d: %w", c.names[id], c.documents[id], -n, ErrNegative)
	}
	was := c.documents[id] > 0
	c.documents[id] += n
	c.total += n
	is := c.documents[id] > 0
	switch {
	case is && !was:
		c.list(id)
	case was && !is:
		c.unlist(id)
		delete(c.ids, c.names[id])
		c.names[id] = ""
	}
	return nil
}

// list puts a class into live, and computes choices again.
func (c *Classes) list(id int) {
	c.live = slices.Insert(c.live, c.place(id), id)
	c.choose()
}

// unlist takes a class out of live, and computes choices again.
func (c *Classes) unlist(id int) {
	at := c.place(id)
	c.live = slices.Delete(c.live, at, at+1)
	c.choose()
}

// place returns where a class stands in live, or would.
func (c *Classes) place(id int) int {
	at, _ := slices.BinarySearchFunc(c.live, c.names[id], func(live int, name string) int {
		return strings.Compare(c.names[live], name)
	})
	return at
}

// Expect sets the classes that are known beforehand. Where one class has documents, the others of
// them are in Choices: to a decision there must be something to decide against.
func (c *Classes) Expect(names []string) {
	c.expected = names
	c.choose()
}

// choose computes standIns and choices again.
func (c *Classes) choose() {
	c.standIns = c.standIns[:0]
	c.choices = append(c.choices[:0], c.live...)
	if len(c.live) != 1 {
		return
	}
	for _, name := range c.expected {
		if name != c.names[c.live[0]] {
			c.choices = append(c.choices, c.Cap())
			c.standIns = append(c.standIns, name)
		}
	}
	slices.SortFunc(c.choices, func(a, b int) int { return strings.Compare(c.Name(a), c.Name(b)) })
}

// Restore adds a class with its number and documents, while a checkpoint is loaded into an empty
// Classes.
func (c *Classes) Restore(id int, name string, documents int64) error {
	if id < 0 || id >= MaxClasses || name == "" || documents <= 0 {
		return fmt.Errorf("class %d %q with %d documents is not a class", id, name, documents)
	}
	for len(c.names) <= id {
		c.names = append(c.names, "")
		c.documents = append(c.documents, 0)
	}
	if _, ok := c.ids[name]; ok || c.names[id] != "" {
		return fmt.Errorf("class %d %q is restored twice", id, name)
	}
	if c.ids == nil {
		c.ids = map[string]int{}
	}
	c.ids[name] = id
	c.names[id] = name
	return c.Add(id, documents)
}

// Cap returns the length of a slice indexed by class number.
func (c *Classes) Cap() int { return len(c.names) + len(c.standIns) }

// Name returns the name of class id.
func (c *Classes) Name(id int) string {
	if id >= len(c.names) {
		return c.standIns[id-len(c.names)]
	}
	return c.names[id]
}

// Documents returns D_c, the documents of class id (a document of weight w counts w times).
func (c *Classes) Documents(id int) int64 {
	if id >= len(c.documents) {
		return 0
	}
	return c.documents[id]
}

// Total returns the documents of all classes.
func (c *Classes) Total() int64 { return c.total }

// Live returns the numbers of the classes that have documents, sorted by name. The slice is a view.
func (c *Classes) Live() []int { return c.live }

// Choices returns the numbers of the classes that a decision chooses among, sorted by name: Live
// and, where that is one, those of Expect. The slice is a view.
func (c *Classes) Choices() []int { return c.choices }

// Choice returns the number of the class of Choices called name.
func (c *Classes) Choice(name string) (id int, ok bool) {
	if id, ok := c.ids[name]; ok {
		return id, true
	}
	k := slices.Index(c.standIns, name)
	return len(c.names) + k, k >= 0
}

// Rename gives class id, which has documents, a name that no class has.
func (c *Classes) Rename(id int, name string) {
	c.unlist(id)
	delete(c.ids, c.names[id])
	c.names[id] = name
	c.ids[name] = id
	c.list(id)
}

// CanMerge reports whether class into can hold what class from counts too.
func (t *Table) CanMerge(from, into int) error {
	if t.Total(from) > MaxCount-t.Total(into) {
		return fmt.Errorf("the class would have more than %d tokens", int64(MaxCount))
	}
	if !t.isSigned {
		return nil
	}
	for row := range t.rows { // the sum of signed counts bounds none of them
		if t.rows[row].isFree() {
			continue
		}
		if err := t.checkCount(t.term(row), t.Count(row, into), t.Count(row, from)); err != nil {
			return err
		}
	}
	return nil
}

// Merge moves all counts of class from to class into. CanMerge must have allowed it.
func (t *Table) Merge(from, into int) error {
	for row := range t.rows {
		if t.rows[row].isFree() {
			continue
		}
		n := t.Count(row, from)
		if n == 0 {
			continue
		}
		weight := digest.Hash(t.term(row))
		err := t.hold(row, func() error {
			return errors.Join(t.addRow(row, weight, into, n), t.addRow(row, weight, from, -n))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Bounds of names, in bytes.
const (
	// MaxClassBytes is the largest length of the name of a class.
	MaxClassBytes = 256
	// MaxTermBytes is the largest length of a term: a model file can keep no longer key.
	MaxTermBytes = 32 << 10
)

// CheckClass reports what is wrong with the name of a class, as the end of a sentence: "is empty".
func CheckClass(name string) error { return checkName(name, MaxClassBytes) }

// CheckTerm reports what is wrong with a term, as the end of a sentence. A term is a word, a value
// or a bin.
func CheckTerm(term []byte) error { return checkName(term, MaxTermBytes) }

// checkName returns an error for a name that is empty, longer than so many bytes, not UTF-8, or
// with a control character (category Cc), which would move what is printed beside it.
func checkName[T string | []byte](name T, most int) error {
	switch {
	case len(name) == 0:
		return errors.New("is empty")
	case len(name) > most:
		return fmt.Errorf("has %d bytes, the limit is %d", len(name), most)
	case isPlain(name):
		return nil
	case !utf8.ValidString(string(name)):
		return fmt.Errorf("is %.64q, which is not UTF-8", string(name))
	}
	for _, r := range string(name) {
		if isControl(r) {
			return fmt.Errorf("is %.64q, with the control character %U", string(name), r)
		}
	}
	return nil
}

// isPlain reports whether a name is printable ASCII, as most are.
func isPlain[T string | []byte](name T) bool {
	for i := range len(name) {
		if b := name[i]; b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

// isControl reports whether a rune is of the category Cc, which is the same in all versions of
// Unicode.
func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }
