package modellog

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/codec"
	"slices"
)

// chunkSize is the size at which a chunk ends, an upper bound in bytes. The last entry of a chunk
// must still fit below codec.MaxDelta.
const chunkSize = codec.MaxDelta * 3 / 4

// Upper bounds of the parts of a chunk in bytes, besides names and terms. An interrupted import is
// continued from its next chunk, so all versions of the program must cut alike: these numbers must
// not change.
const (
	classBytes   = 32 // and blockBytes for each block of numbers
	blockBytes   = 4
	cellBytes    = 19
	rowsBytes    = 10
	integerBytes = 25
)

// Chunks calls yield for the counts of a model in deltas that fit into a log, chunk i as the range
// [i, i+1) of the source. Equal counts give equal chunks. Classes come first, with all their
// documents, since a class exists only while it has documents.
func Chunks(m *model.Model, src fold.Source, yield func(*fold.Delta) error) error {
	c := &chunker{
		spec: m.Spec(), counting: m.Spec().Counting(), source: src, yield: yield,
		builder: model.NewBuilder(m.Spec()), classes: map[string]bool{},
	}
	for _, id := range m.Classes().Live() {
		name := m.Classes().Name(id)
		if err := c.room(); err != nil {
			return err
		}
		c.class(name)
		c.builder.AddDocuments(name, m.Classes().Documents(id))
		for i := range m.Spec().Numbers {
			if s := m.Numbers(i).Sums(id); s != nil {
				c.builder.AddSums(i, name, s)
				c.size += rowsBytes*len(s.N) + integerBytes*(len(s.Sum)+len(s.Products))
			}
		}
	}
	for i, table := range m.Tables() {
		for term, row := range table.Sorted {
			if err := c.addRow(m.Classes(), i, term, row); err != nil {
				return err
			}
		}
	}
	if m.Corrections() != nil {
		if err := c.addCorrections(m.Corrections()); err != nil {
			return err
		}
	}
	return c.flush()
}

// addCorrections adds the classes of corrections, and then their rows.
func (c *chunker) addCorrections(of *counts.Corrections) error {
	for _, id := range of.Classes.Live() {
		if err := c.room(); err != nil {
			return err
		}
		c.class(of.Classes.Name(id))
		c.builder.AddCorrected(of.Classes.Name(id), of.Classes.Documents(id))
	}
	for term, row := range of.Table.Sorted {
		if err := c.addRow(&of.Classes, model.Corrections, term, row); err != nil {
			return err
		}
	}
	return nil
}

type chunker struct {
	spec     *spec.Spec
	counting spec.Fingerprint
	source   fold.Source
	yield    func(*fold.Delta) error
	builder  *model.Builder
	classes  map[string]bool // in the builder
	size     int             // of what is in the builder, at most
	next     int64           // chunk
}

// addRow adds the counts of a term in a table, in the order of the class names.
func (c *chunker) addRow(classes *counts.Classes, table int, term []byte, row []counts.Cell) error {
	for _, id := range classes.Live() {
		at := slices.IndexFunc(row, func(cell counts.Cell) bool { return cell.Class() == id })
		if at < 0 {
			continue
		}
		if err := c.room(); err != nil {
			return err
		}
		name := classes.Name(id)
		c.class(name)
		c.builder.AddCount(table, name, term, row[at].Count())
		c.size += len(term) + cellBytes
	}
	return nil
}

// class adds the size of a class that is new in the chunk.
func (c *chunker) class(name string) {
	if !c.classes[name] {
		c.classes[name] = true
		c.size += len(name) + classBytes + blockBytes*len(c.spec.Numbers)
	}
}

func (c *chunker) room() error {
	if c.size < chunkSize {
		return nil
	}
	return c.flush()
}

func (c *chunker) flush() error {
	if c.size == 0 {
		return nil
	}
	d := &fold.Delta{
		Ranges:   []fold.Range{{Source: c.source, Start: c.next, End: c.next + 1, FromStart: c.next == 0}},
		Counting: c.counting,
		Counts:   c.builder.Delta(),
	}
	c.next++
	c.builder.Reset()
	clear(c.classes)
	c.size = 0
	return c.yield(d)
}
