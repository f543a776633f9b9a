package evaluate

import "slices"

// classes numbers class names in the order in which they come.
type classes struct {
	ids   map[string]int
	names []string
}

func (c *classes) id(name string) int {
	id, ok := c.ids[name]
	if !ok {
		if c.ids == nil {
			c.ids = map[string]int{}
		}
		id = len(c.names)
		c.ids[name], c.names = id, append(c.names, name)
	}
	return id
}

// sorted returns the ids of the classes that keep tells of, by name.
func (c *classes) sorted(keep func(id int) bool) []int {
	var ids []int
	for id := range c.names {
		if keep(id) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int) int {
		if c.names[a] < c.names[b] {
			return -1
		}
		return 1
	})
	return ids
}

// Tally counts true labels against predicted ones. The zero value is empty and ready for use.
type Tally struct {
	classes   classes
	cells     [][]int64 // by true class, then by predicted class; rows may be short
	none      []int64   // by true class: got no label
	truth     []int64   // by class: true labels
	predicted []int64   // by class
}

// Add counts a document; label "" means that it got none.
func (t *Tally) Add(truth, label string) {
	row := t.class(truth)
	if label == "" {
		t.add(row, -1, 1)
		return
	}
	t.add(row, t.class(label), 1)
}

func (t *Tally) class(name string) int {
	id := t.classes.id(name)
	for len(t.truth) <= id {
		t.cells, t.none = append(t.cells, nil), append(t.none, 0)
		t.truth, t.predicted = append(t.truth, 0), append(t.predicted, 0)
	}
	return id
}

// add counts n documents; column -1 is for those without a label.
func (t *Tally) add(row, column int, n int64) {
	t.truth[row] += n
	if column < 0 {
		t.none[row] += n
		return
	}
	t.predicted[column] += n
	for len(t.cells[row]) <= column {
		t.cells[row] = append(t.cells[row], 0)
	}
	t.cells[row][column] += n
}

// Merge adds what other has counted.
func (t *Tally) Merge(other *Tally) {
	for row, cells := range other.cells {
		to := t.class(other.classes.names[row])
		for column, n := range cells {
			if n != 0 {
				t.add(to, t.class(other.classes.names[column]), n)
			}
		}
		t.add(to, -1, other.none[row])
	}
}

// Confusion returns the table of what was counted so far.
func (t *Tally) Confusion() *Confusion {
	ids := t.classes.sorted(func(id int) bool { return t.truth[id] > 0 || t.predicted[id] > 0 })
	c := &Confusion{Labels: make([]string, len(ids)), Rows: make([][]int64, len(ids))}
	for i, row := range ids {
		c.Labels[i], c.Rows[i] = t.classes.names[row], make([]int64, len(ids))
		for j, column := range ids {
			if column < len(t.cells[row]) {
				c.Rows[i][j] = t.cells[row][column]
			}
		}
		if t.none[row] > 0 {
			if c.Unlabelled == nil {
				c.Unlabelled = make([]int64, len(ids))
			}
			c.Unlabelled[i] = t.none[row]
		}
	}
	return c
}
