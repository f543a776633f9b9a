package model

import (
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/core/race"
	"bayestream/internal/counts"
	"bayestream/internal/multinomial"
)

// HeldOut is documents that a model has learned, to be scored by what is left of the model without them: a fold of a cross-validation.
// RaceScorer.AddHeldOut gives the sums of RaceScorer.Add after a delta that takes them out, and the model stays as it is. While
// the documents are the same, any number of goroutines may read it.
type HeldOut struct {
	m         *Model
	text      *multinomial.HeldOut
	shape     shape // without the documents
	edges     edges // likewise
	documents []multinomial.Document
	prior     []float64 // by class number, without the documents
	none      []float64 // by class number: what blocks say that do not exist
}

// mostCells bounds the terms times the classes of a model whose documents are held out: a count of a term that they have takes 48 bytes.
const mostCells = 1 << 23

// NewHeldOut returns no documents of a model that does not change any more, for the candidates of a list. It returns nil for a model with
// other blocks than the text, which must be changed to know what is left of them, for a large model of many classes, and for a spec that
// expects classes, which decide without documents.
func NewHeldOut(m *Model, l *race.List) *HeldOut {
	if len(m.numbers)+m.fields() > 0 || len(m.spec.Expected()) > 0 || m.text.Vocabulary()*len(m.classes.Live()) > mostCells {
		return nil
	}
	return &HeldOut{m: m, text: multinomial.NewHeldOut(columnsOf(l), m.text, &m.classes), none: make([]float64, m.classes.Cap())}
}

// Reset makes it no documents.
func (h *HeldOut) Reset() { h.documents = h.documents[:0] }

// Append appends a document that the model has learned so many times, and keeps its features.
func (h *HeldOut) Append(label string, weight int64, f *Features) {
	class, _ := h.m.classes.ID(label)
	h.documents = append(h.documents, multinomial.Document{Class: class, Weight: weight, Bag: &f.Bag})
}

// Prepare makes the documents ready to be scored. It must be called after the last one was appended.
func (h *HeldOut) Prepare() {
	h.text.Set(h.documents)
	h.prior = h.m.preparePrior(h.prior, h.text.Live(), h.text.Documents)
	for i := range h.shape {
		h.shape[i] = categorical.NewSizes(h.left(i), &h.m.classes)
	}
	h.shape.prepare()
	for i := range h.edges {
		h.edges[i] = newEdge(h.left(firstTable+i), &h.m.classes)
	}
	h.edges.prepare()
}

// left returns the counts of the i-th of spec.TextTables without the documents.
func (h *HeldOut) left(i int) *counts.Table {
	left := h.m.values[h.m.fields()+i].table.Clone()
	var value, key []byte
	for _, d := range h.documents {
		value, key = textValue(d.Bag, i, key)
		if hash := bow.Hash(value); left.Lookup(hash, value) >= 0 { // a full table did not count it
			must(left.Add(hash, value, d.Class, -d.Weight))
		}
	}
	return left
}

// AddHeldOut is Add of the i-th document of h by what is left of the model.
func (r *RaceScorer) AddHeldOut(sums *race.Sums, state *race.State, h *HeldOut, i int) {
	choices := h.text.Live()
	if len(choices) == 0 {
		return
	}
	class := h.documents[i].Class
	by := basis{m: h.m, choices: choices, known: r.panel.AddHeldOut(h.text, i), prior: h.prior, others: h.none, shape: &h.shape, edges: &h.edges, bag: h.documents[i].Bag}
	r.add(sums, state, &by, slices.Index(choices, class), h.m.classes.Name(class))
}
