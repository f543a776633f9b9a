package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/spec"
)

// chunkSize is where a chunk ends, in bytes by an upper bound: what comes last must still fit below
// codec.MaxDelta.
const chunkSize = codec.MaxDelta * 3 / 4

// What a chunk takes at most, besides names and terms. An import that was interrupted is continued from its next chunk,
// so that all versions of the program must cut alike: these numbers must not change.
const (
	classBytes   = 32 // and blockBytes for each block of numbers
	blockBytes   = 4
	cellBytes    = 19
	rowsBytes    = 10
	integerBytes = 25
)

// Source returns the pseudo-source under which the counts of a model enter a log: its name is the
// checksum of how is counted and of the counts, so that the same counts are the same source wherever they
// come from, and whatever a spec says about how to decide by them.
func Source(m *model.Model) (fold.Source, error) {
	h := sha256.New()
	counting := m.Spec().Counting()
	_, _ = h.Write(counting[:]) // a hash takes everything
	if err := writeCounts(newEncoder(h), m, nil); err != nil {
		return fold.Source{}, fmt.Errorf("checksum of the counts: %w", err)
	}
	return fold.Source{Topic: "import/" + hex.EncodeToString(h.Sum(nil))}, nil
}

// Chunks calls yield for the counts of a model in deltas that fit into a log, chunk i as the range [i, i+1)
// of the source. It is a function of the counts: an import that is continued is cut alike. Classes come
// first, with all their documents, since a class exists only while it has documents.
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
	for cell := range cells(m, nil) {
		if err := c.room(); err != nil {
			return err
		}
		c.class(cell.class)
		c.builder.AddCount(cell.table, cell.class, cell.term, cell.count)
		c.size += len(cell.term) + cellBytes
	}
	return c.flush()
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

// class adds the size of a class that is new in the chunk.
func (c *chunker) class(name string) {
	if !c.classes[name] {
		c.classes[name] = true
		c.size += len(name) + classBytes + blockBytes*len(c.spec.Numbers)
	}
}

// room makes room for more.
func (c *chunker) room() error {
	if c.size < chunkSize {
		return nil
	}
	return c.flush()
}

// flush yields a chunk of what is in the builder.
func (c *chunker) flush() error {
	if c.size == 0 {
		return nil
	}
	d := &fold.Delta{
		Counting: c.counting, Source: c.source, Start: c.next, End: c.next + 1, FromStart: c.next == 0, Counts: c.builder.Delta(),
	}
	c.next++
	c.builder.Reset()
	clear(c.classes)
	c.size = 0
	return c.yield(d)
}
