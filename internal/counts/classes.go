package counts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxClasses is the largest number of classes a table can tell apart (class ids are 16 bits wide).
const MaxClasses = 1 << 16

// ErrNegative is returned when a change would take a count below zero: something is unlearned that
// was never learned.
var ErrNegative = errors.New("count would become negative")

// Classes numbers the classes and counts their documents. A class exists from its first document to
// its last: when its documents return to zero its number is free again, and the lowest free number
// goes to the next new class, so that the numbering depends on nothing but the sequence of changes.
// The zero value is empty and ready for use.
type Classes struct {
	ids       map[string]int
	names     []string // by id; "" where the id is free
	documents []int64  // by id
	live      []int    // ids of classes with documents, sorted by name
	total     int64
}

// ID returns the number of the class called name.
func (c *Classes) ID(name string) (id int, ok bool) {
	id, ok = c.ids[name]
	return id, ok
}

// Intern returns the number of the class called name and gives it one if it has none. A class that
// gets no document afterwards must be dropped with Add(id, 0).
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
		c.names, c.documents = append(c.names, ""), append(c.documents, 0)
	}
	c.names[id], c.ids[name] = name, id
	return id
}

// Add adds n documents (negative: takes them out) to class id. A class left without documents is dropped.
func (c *Classes) Add(id int, n int64) error {
	if c.documents[id]+n < 0 {
		return fmt.Errorf("class %q: %d documents less %d: %w", c.names[id], c.documents[id], -n, ErrNegative)
	}
	was := c.documents[id] > 0
	c.documents[id] += n
	c.total += n
	is := c.documents[id] > 0
	if is != was {
		c.relist()
	}
	if !is {
		delete(c.ids, c.names[id])
		c.names[id] = ""
	}
	return nil
}

func (c *Classes) relist() {
	c.live = c.live[:0]
	for id, n := range c.documents {
		if n > 0 {
			c.live = append(c.live, id)
		}
	}
	slices.SortFunc(c.live, func(a, b int) int { return strings.Compare(c.names[a], c.names[b]) })
}

// Restore sets class id to name and its documents, for loading a checkpoint into an empty Classes.
func (c *Classes) Restore(id int, name string, documents int64) error {
	if id < 0 || id >= MaxClasses || name == "" || documents <= 0 {
		return fmt.Errorf("class %d %q with %d documents is not a class", id, name, documents)
	}
	for len(c.names) <= id {
		c.names, c.documents = append(c.names, ""), append(c.documents, 0)
	}
	if _, ok := c.ids[name]; ok || c.names[id] != "" {
		return fmt.Errorf("class %d %q stands there twice", id, name)
	}
	if c.ids == nil {
		c.ids = map[string]int{}
	}
	c.ids[name], c.names[id], c.documents[id] = id, name, documents
	c.total += documents
	c.relist()
	return nil
}

// Cap returns one more than the largest class number in use: the length of a slice indexed by class.
func (c *Classes) Cap() int { return len(c.names) }

// Name returns the name of class id.
func (c *Classes) Name(id int) string { return c.names[id] }

// Documents returns D_c, the documents of class id (a document of weight w counts w times).
func (c *Classes) Documents(id int) int64 { return c.documents[id] }

// Total returns the documents of all classes.
func (c *Classes) Total() int64 { return c.total }

// Live returns the numbers of the classes that have documents, sorted by name. The slice is a view.
func (c *Classes) Live() []int { return c.live }
