package offline

import (
	"fmt"
	"strings"

	"bayestream/internal/lab/dataset"
	"bayestream/internal/model"
	"bayestream/internal/spec"
	"bayestream/internal/wire"
)

// Document is a labelled document in memory, tokenized and counted.
type Document struct {
	ID       string
	Label    string
	Weight   int64
	Features *model.Features
}

// Corpus holds the labelled documents of files as one spec sees them.
type Corpus struct {
	Spec      *spec.Spec
	Documents []Document
	From      string // the file, or the first of several
}

// OneClassError says that documents cannot be told apart, since all have one label.
type OneClassError struct{ From, Label string }

func (e *OneClassError) Error() string {
	return fmt.Sprintf("%s: all documents have the label %q, and there is nothing to tell apart: want two classes at least", e.From, e.Label)
}

// divisible returns a *OneClassError if all documents have one label.
func (c *Corpus) divisible() error {
	for i := range c.Documents {
		if c.Documents[i].Label != c.Documents[0].Label {
			return nil
		}
	}
	if len(c.Documents) == 0 {
		return nil
	}
	return &OneClassError{From: c.From, Label: c.Documents[0].Label}
}

// ReadCorpus reads all records of r. An id that comes again is an error of its record: the same document
// would be learned and tested.
func ReadCorpus(s *spec.Spec, r dataset.Reader, bad *OnBad) (*Corpus, error) {
	x, err := model.NewExtractor(s)
	if err != nil {
		return nil, err
	}
	c, seen := &Corpus{Spec: s}, map[string]string{}
	err = Each(r, bad, func(rec *dataset.Record) error {
		if before, again := seen[rec.ID]; again && rec.Explicit {
			return lineError(rec, wire.Rejectf(wire.BadID, "id %q is the id of %s already: make ids unique, or leave later records out with --on-bad=skip", rec.ID, before))
		}
		c.come(rec.File)
		in := cloneInput(&rec.Input)
		f := &model.Features{}
		if err := extract(x, f, &in); err != nil {
			return lineError(rec, err)
		}
		id := strings.Clone(rec.ID) // the reader's own may change with the next record
		if rec.Explicit {
			seen[id] = fmt.Sprintf("%s:%d", rec.File, rec.Line)
		}
		c.Documents = append(c.Documents, Document{ID: id, Label: rec.Label, Weight: rec.Weight, Features: f})
		return nil
	})
	return c, err
}

// come takes note of where a record came from.
func (c *Corpus) come(file string) {
	switch {
	case c.From == "":
		c.From = file
	case c.From != file && !strings.HasSuffix(c.From, others):
		c.From += others
	}
}

// others stands behind the name of the first of several files.
const others = " and others"

// Model returns a model that has learned all documents.
func (c *Corpus) Model() (*model.Model, error) {
	m := model.New(c.Spec)
	return m, c.apply(m, model.NewBuilder(c.Spec), c.all(), 1)
}

// Labels returns the labels of the documents in order.
func (c *Corpus) Labels() []string {
	out := make([]string, len(c.Documents))
	for i := range c.Documents {
		out[i] = c.Documents[i].Label
	}
	return out
}

// all returns the numbers of all documents.
func (c *Corpus) all() []int {
	out := make([]int, len(c.Documents))
	for i := range out {
		out[i] = i
	}
	return out
}

// apply learns the documents at the indexes (sign 1) or takes them out again (sign -1).
func (c *Corpus) apply(m *model.Model, b *model.Builder, indexes []int, sign int64) error {
	b.Reset()
	for n, i := range indexes {
		d := &c.Documents[i]
		b.Observe(d.Label, sign*d.Weight, d.Features)
		if n%256 == 255 && b.Size() > flushAt {
			if err := m.Apply(b.Delta()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return m.Apply(b.Delta())
}
