package model

import (
	"fmt"

	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// Tables returns the tables of counts: the table of the text, if the spec has one, then one for
// each categorical field and each histogram, then spec.TextTables. They are views.
func (m *Model) Tables() []*counts.Table { return m.tables }

// Corrections returns what documents correct, nil if the spec has no corrections. It is a view.
func (m *Model) Corrections() *counts.Corrections { return m.corrections }

// TableName returns the name of the i-th of Tables: "text" or the name of its block in evidence; ""
// if there is none.
func (m *Model) TableName(i int) string {
	if m.text == nil {
		i++
	}
	switch {
	case i == 0:
		return "text"
	case i > len(m.values):
		return ""
	}
	return m.values[i-1].name
}

// Sums are the packed sums of a block of numbers in a class, nil if it has none.
type Sums struct {
	Block, Class int
	Packed       []byte
}

// ChangedSums yields the sums of every block in every class that a delta named since ClearChanges.
func (m *Model) ChangedSums(yield func(Sums) bool) {
	for class := range m.touched {
		for i := range m.numbers {
			s := Sums{Block: i, Class: class}
			if sums := m.numbers[i].Sums(class); sums != nil {
				s.Packed = sums.AppendBytes(nil)
			}
			if !yield(s) {
				return
			}
		}
	}
}

// SumsRows returns how many pairs of block and class have sums.
func (m *Model) SumsRows() int {
	n := 0
	for i := range m.numbers {
		for class := range m.classes.Cap() {
			if m.numbers[i].Sums(class) != nil {
				n++
			}
		}
	}
	return n
}

// RestoreSums adds sums to a model that is being loaded. After the last of classes, rows and sums,
// Prepare must be called.
func (m *Model) RestoreSums(s Sums) error {
	if s.Block < 0 || s.Block >= len(m.numbers) || s.Class < 0 || m.classes.Documents(s.Class) == 0 ||
		m.numbers[s.Block].Sums(s.Class) != nil {
		return fmt.Errorf("sums of block %d in class %d do not belong to the model", s.Block, s.Class)
	}
	n := &m.spec.Numbers[s.Block]
	sums, err := gaussian.ReadSums(s.Packed, len(n.Fields), n.Full())
	if err != nil {
		return fmt.Errorf("numbers[%d]: %w", s.Block, err)
	}
	m.numbers[s.Block].Add(s.Class, sums)
	return nil
}

// Changed returns an upper bound of the number of rows that changed since ClearChanges.
func (m *Model) Changed() int {
	n := len(m.touched)
	for _, t := range m.tables {
		n += t.Dirty()
	}
	if m.corrections != nil {
		n += m.corrections.Table.Dirty()
	}
	return n
}

// ClearChanges forgets what changed, because it is on disk now.
func (m *Model) ClearChanges() {
	for _, t := range m.tables {
		t.ClearChanges()
	}
	if m.corrections != nil {
		m.corrections.Table.ClearChanges()
	}
	clear(m.touched)
}
