package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/modellog/codec"
)

// chunkSize is where a chunk ends, in bytes by an upper bound: what comes last must still fit below
// codec.MaxDelta.
const chunkSize = codec.MaxDelta * 3 / 4

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
// of the source. It is a function of the counts: whoever goes on with an import cuts it alike. Classes come
// first, with all their documents, since a class is there only while it has documents.
func Chunks(m *model.Model, src fold.Source, yield func(*fold.Delta) error) error {
	c := &chunker{model: m, source: src, yield: yield, tally: newTally(m.Spec())}
	for _, id := range m.Classes().Live() {
		name := m.Classes().Name(id)
		if err := c.room(); err != nil {
			return err
		}
		if err := c.tally.addDocuments(name, m.Classes().Documents(id)); err != nil {
			return err
		}
		for i := range m.Spec().Numbers {
			if s := m.Numbers(i).Sums(id); s != nil {
				c.tally.addSums(i, name, s)
			}
		}
	}
	for cell := range cells(m, nil) {
		if err := c.room(); err != nil {
			return err
		}
		if err := c.tally.add(cell.table, cell.term, cell.class, cell.count); err != nil {
			return err
		}
	}
	return c.flush()
}

type chunker struct {
	model  *model.Model
	source fold.Source
	yield  func(*fold.Delta) error
	tally  *tally
	next   int64
}

// room makes room for more.
func (c *chunker) room() error {
	if c.tally.size < chunkSize {
		return nil
	}
	return c.flush()
}

func (c *chunker) flush() error {
	if c.tally.size == 0 {
		return nil
	}
	d := &fold.Delta{
		Counting: c.model.Spec().Counting(), Source: c.source, Start: c.next, End: c.next + 1, FromStart: c.next == 0, Counts: c.tally.delta(),
	}
	if err := d.Counts.Validate(c.model.Spec()); err != nil {
		return fmt.Errorf("chunk %d: %w", c.next, err)
	}
	c.next++
	c.tally = newTally(c.model.Spec())
	return c.yield(d)
}
