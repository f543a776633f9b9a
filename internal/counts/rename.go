package counts

import (
	"fmt"

	"bayestream/internal/core/digest"
)

// Rename gives class id, which has documents, a name that no class has.
func (c *Classes) Rename(id int, name string) {
	delete(c.ids, c.names[id])
	c.names[id] = name
	c.ids[name] = id
	c.relist()
}

// CanMerge reports whether class into can hold what class from counts too.
func (t *Table) CanMerge(from, into int) error {
	if t.Total(from) > MaxCount-t.Total(into) {
		return fmt.Errorf("the class would have more than %d tokens", int64(MaxCount))
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
		// In this order: the term must not leave the vocabulary between the two.
		if err := t.addRow(row, weight, into, n); err != nil {
			return err
		}
		if err := t.addRow(row, weight, from, -n); err != nil {
			return err
		}
	}
	return nil
}
