// Package experiment measures models on labelled documents in memory: cross-validation, prequential
// evaluation, learning curves, comparison with other classifiers, and decision regions in a plane.
package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/lab/choice"
	"bayestream/internal/tools/lab/dataset"
)

// Document is a labelled document in memory, tokenized and counted.
type Document struct {
	ID       string
	Label    string
	Begin    string // of the text: its first words
	Weight   int64
	Features *model.Features
	Key      digest.Sum // among the documents that a race is decided on
}

// Corpus holds the labelled documents of files as one spec reads them.
type Corpus struct {
	Spec      *spec.Spec
	Documents []Document
	Files     string        // the file, or the first of several
	Missing   []string      // fields of the spec that no document has
	Language  *spec.Setting // that would suit the language of the texts; nil: the spec does
}

// OneClassError reports documents that all have the same label.
type OneClassError struct{ Files, Label string }

func (e *OneClassError) Error() string {
	return fmt.Sprintf("%s: all documents have the label %q: want at least two classes", e.Files, e.Label)
}

// checkClasses returns a *OneClassError if all documents have one label.
func (c *Corpus) checkClasses() error {
	for i := range c.Documents {
		if c.Documents[i].Label != c.Documents[0].Label {
			return nil
		}
	}
	if len(c.Documents) == 0 {
		return nil
	}
	return &OneClassError{Files: c.Files, Label: c.Documents[0].Label}
}

// ReadCorpus reads all records of r. A repeated id is an error of its record: the same document
// would be learned and tested. So is a label beyond limits.classes.
func ReadCorpus(s *spec.Spec, r dataset.Reader, bad *dataset.OnBad) (*Corpus, error) {
	x, err := model.NewExtractor(s)
	if err != nil {
		return nil, err
	}
	c := &Corpus{Spec: s}
	coverage := model.NewCoverage(s)
	seen := dataset.Places{}
	admission := model.NewAdmission(s)
	err = dataset.Each(r, bad, func(rec *dataset.Record) error {
		if err := admission.Admit(rec.Label, false, 0); err != nil {
			return rec.Error(wire.AsReject(err))
		}
		if rec.Explicit {
			if err := seen.Add(rec, "make ids unique, or leave later records out with --on-bad=skip"); err != nil {
				return err
			}
		}
		admission.Add(rec.Label)
		c.addFile(rec.File)
		rec = rec.Clone() // the features keep parts of it
		f := &model.Features{}
		x.Extract(f, &rec.Input)
		c.Documents = append(c.Documents,
			Document{ID: rec.ID, Label: rec.Label, Begin: begin(&rec.Input), Weight: rec.Weight, Features: f,
				Key: choice.Key(rec.ID, rec.Explicit, len(c.Documents))})
		coverage.Add(&rec.Input)
		return nil
	})
	c.Missing = coverage.Missing()
	c.Language = coverage.Language()
	return c, err
}

// beginBytes is how much is kept of how a text begins, in bytes.
const beginBytes = 120

// begin returns how the text of a document begins, on one line.
func begin(in *model.Input) string {
	var out []byte
	for _, s := range in.Segments {
		if s.Lines {
			continue // no text
		}
		text := s.Text[:min(len(s.Text), 4*beginBytes)]
		for _, word := range bytes.Fields(text) {
			if len(out) > 0 {
				out = append(out, ' ')
			}
			out = append(out, word...)
		}
		if len(out) >= beginBytes {
			break
		}
	}
	out = out[:min(len(out), beginBytes)]
	return strings.ToValidUTF8(string(out), "")
}

// addFile notes the file of a record.
func (c *Corpus) addFile(file string) {
	switch {
	case c.Files == "":
		c.Files = file
	case c.Files != file && !strings.HasSuffix(c.Files, andOthers):
		c.Files += andOthers
	}
}

// andOthers follows the name of the first of several files.
const andOthers = " and others"

// Model returns a model trained on all documents, where candidates race with their leader.
func (c *Corpus) Model() (*model.Model, error) {
	m := model.New(c.Spec)
	if err := c.learn(m, model.NewBuilder(c.Spec), c.all()); err != nil {
		return nil, err
	}
	_, err := c.choose(m, c.all(), false)
	return m, err
}

// Labels returns the labels of the documents in order.
func (c *Corpus) Labels() []string {
	out := make([]string, len(c.Documents))
	for i := range c.Documents {
		out[i] = c.Documents[i].Label
	}
	return out
}

// all returns the indexes of all documents.
func (c *Corpus) all() []int {
	out := make([]int, len(c.Documents))
	for i := range out {
		out[i] = i
	}
	return out
}

// without returns the elements of an ascending list that are not in a part of it, as ascending.
func without(list, part []int) []int {
	var out []int
	for _, i := range list {
		if len(part) > 0 && part[0] == i {
			part = part[1:]
			continue
		}
		out = append(out, i)
	}
	return out
}

// flushAt is how many bytes of changes are collected before they are added to a model.
const flushAt = 8 << 20

// learn adds the documents at the indexes to the model.
func (c *Corpus) learn(m *model.Model, b *model.Builder, indexes []int) error {
	return c.apply(m, b, indexes, 1)
}

// apply adds the documents at the indexes to the model, or with the sign -1 takes them out.
func (c *Corpus) apply(m *model.Model, b *model.Builder, indexes []int, sign int64) error {
	b.Reset()
	for n, i := range indexes {
		d := &c.Documents[i]
		b.Observe(d.Label, sign*d.Weight, d.Features)
		if n%256 == 255 && codec.Bound(b.Size()) > flushAt {
			if err := m.Apply(b.Delta()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return m.Apply(b.Delta())
}

// Rows are the documents of a corpus as vectors of all their numbers, for classifiers that keep no
// counts. Documents that lack a number are left out.
type Rows struct {
	X      [][]float64
	Labels []string
	Index  []int // index of the document in the corpus
}

// NumericRows returns the rows of a corpus. Its spec must have numbers and nothing else.
func NumericRows(c *Corpus) (*Rows, error) {
	s := c.Spec
	if s.Text != nil || s.ValueTables() > 0 || len(s.Numbers) == 0 {
		return nil, errors.New("the comparison with other classifiers is over numbers: want a " +
			"spec that has numbers and nothing else")
	}
	r := &Rows{}
	for i := range c.Documents {
		d := &c.Documents[i]
		x := make([]float64, 0, len(d.Features.Numbers))
		for _, n := range d.Features.Numbers {
			if n.Present {
				x = append(x, gaussian.Float(n.Value, s.Digits()))
			}
		}
		if len(x) < len(d.Features.Numbers) {
			continue
		}
		r.X = append(r.X, x)
		r.Labels = append(r.Labels, d.Label)
		r.Index = append(r.Index, i)
	}
	return r, nil
}

// part returns some of the rows.
func (r *Rows) part(list []int) *Rows {
	out := &Rows{}
	for _, i := range list {
		out.X = append(out.X, r.X[i])
		out.Labels = append(out.Labels, r.Labels[i])
		out.Index = append(out.Index, r.Index[i])
	}
	return out
}

// Shuffle puts the documents into a random order, the same for a seed.
func (c *Corpus) Shuffle(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(c.Documents), func(i, j int) { c.Documents[i], c.Documents[j] = c.Documents[j], c.Documents[i] })
}

// Order returns the order in which the documents come.
func (c *Corpus) Order() *dataset.Order {
	var o dataset.Order
	for i := range c.Documents {
		o.Add(c.Documents[i].Label)
	}
	return &o
}
