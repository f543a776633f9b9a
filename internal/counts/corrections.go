package counts

import (
	"errors"
	"fmt"

	"bayestream/internal/core/digest"
)

// Corrections are signed counts beside those of a model: what documents add for their class, and
// against the class that was ahead of it. They have classes of their own, because what corrects
// against a class may outlive its documents.
type Corrections struct {
	// Classes are those that a correction names. Their documents are the corrections that do, by
	// weight.
	Classes Classes
	Table   *Table // signed
}

// NewCorrections returns no corrections, of a vocabulary with a limit; 0: none.
func NewCorrections(limit int) *Corrections {
	return &Corrections{Table: NewTable(Options{Limit: limit, Signed: true})}
}

// Fits reports whether d, which the table has found, can be added. It names classes times as often.
func (c *Corrections) Fits(classes []string, times []int64, d *Terms, f *Found) error {
	c.Table.again(f, d)
	ids, err := c.Classes.Fits(classes, times)
	if err != nil {
		return err
	}
	isCounted := make([]bool, len(classes))
	for _, class := range d.Class {
		isCounted[class] = true
	}
	var left []bool
	for i, id := range ids {
		isLeft := id < 0 && times[i] == 0 && isCounted[i]
		if id >= 0 && c.Classes.Documents(id)+times[i] == 0 {
			if left == nil {
				left = c.Table.LeftAfter(d, ids, f)
			}
			isLeft = left[i]
		}
		if isLeft {
			return fmt.Errorf("class %q: corrections without documents: %w", classes[i], ErrInconsistent)
		}
	}
	return c.Table.Fits(d, ids, f)
}

// Apply adds d, which Fits.
func (c *Corrections) Apply(classes []string, times []int64, d *Terms, f *Found) error {
	ids := make([]int, len(classes))
	for i, name := range classes {
		ids[i] = -1
		if _, isKnown := c.Classes.ID(name); isKnown || times[i] != 0 {
			ids[i] = c.Classes.Intern(name)
		}
	}
	if err := c.Table.Apply(d, ids, f); err != nil {
		return err
	}
	for i, id := range ids {
		if id < 0 {
			continue
		}
		if err := c.Classes.Add(id, times[i]); err != nil {
			return err
		}
	}
	return nil
}

// CanRename reports whether one name can take over what another one has.
func (c *Corrections) CanRename(from, to string) error {
	id, isKnown := c.Classes.ID(from)
	into, isMerged := c.Classes.ID(to)
	if !isKnown || !isMerged {
		return nil
	}
	return c.Table.CanMerge(id, into)
}

// Rename moves what is counted under one name to another, as CanRename allows. Where a document
// corrected one of two classes against the other, nothing is left of it.
func (c *Corrections) Rename(from, to string) error {
	id, isKnown := c.Classes.ID(from)
	if !isKnown {
		return nil
	}
	into, isMerged := c.Classes.ID(to)
	if !isMerged {
		c.Classes.Rename(id, to)
		return nil
	}
	n := c.Classes.Documents(id)
	return errors.Join(c.Table.Merge(id, into), c.Classes.Add(into, n), c.Classes.Add(id, -n))
}

// Digest returns the digest of the corrections, 0 of none.
func (c *Corrections) Digest() (sum digest.Sum) {
	for _, id := range c.Classes.Live() {
		of := digest.Int(c.Classes.Documents(id)).Times(timesKey).Plus(c.Table.Digest(id).Times(correctionsKey))
		sum = sum.Plus(of.Times(digest.HashString(c.Classes.Name(id))))
	}
	return sum
}

// The weights of the parts of corrections in their digest.
var (
	timesKey       = digest.Key("corrected")
	correctionsKey = digest.Key("corrections")
)
