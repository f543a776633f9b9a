package counts

import (
	"maps"
	"slices"
)

// Clone returns a copy, which tracks no changes.
func (t *Table) Clone() *Table {
	c := *t
	c.index = t.index.Clone()
	c.rows = slices.Clone(t.rows)
	c.free = slices.Clone(t.free)
	c.arena = slices.Clone(t.arena)
	c.slab = slices.Clone(t.slab)
	for i := range c.spare {
		c.spare[i] = slices.Clone(t.spare[i])
	}
	c.totals = slices.Clone(t.totals)
	c.byCount = slices.Clone(t.byCount)
	for i := range c.byCount {
		c.byCount[i] = maps.Clone(t.byCount[i])
	}
	c.changes = nil
	return &c
}
