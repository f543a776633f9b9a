package offline

import (
	"bayestream/internal/dataset"
	"bayestream/internal/model"
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
	Spec      *model.Spec
	Documents []Document
}

// ReadCorpus reads all records of r.
func ReadCorpus(s *model.Spec, r dataset.Reader, bad *OnBad) (*Corpus, error) {
	x, err := model.NewExtractor(s)
	if err != nil {
		return nil, err
	}
	c := &Corpus{Spec: s}
	err = Each(r, bad, func(rec *dataset.Record) error {
		in := cloneInput(&rec.Input)
		f := &model.Features{}
		if err := extract(x, f, &in); err != nil {
			return lineError(rec, err)
		}
		c.Documents = append(c.Documents, Document{ID: rec.ID, Label: rec.Label, Weight: rec.Weight, Features: f})
		return nil
	})
	return c, err
}

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
