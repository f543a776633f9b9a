package counts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// Intern returns the number of the class called name, a new one if it has none. If it gets no
// document afterwards it must be dropped with Add(id, 0).
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
	if !is {
		delete(c.ids, c.names[id])
		c.names[id] = ""
	}
	if is != was {
		c.relist()
	} else if !is {
		c.choose() // the number of the class is below those of the stand-ins
	}
	return nil
}

// relist computes live, and choices with it, again after a class came or went.
func (c *Classes) relist() {
	c.live = c.live[:0]
	for id, n := range c.documents {
		if n > 0 {
			c.live = append(c.live, id)
		}
	}
	c.sort(c.live)
	c.choose()
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
	c.sort(c.choices)
}

// sort sorts classes by their names.
func (c *Classes) sort(ids []int) {
	slices.SortFunc(ids, func(a, b int) int { return strings.Compare(c.Name(a), c.Name(b)) })
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
	c.documents[id] = documents
	c.total += documents
	c.relist()
	return nil
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
