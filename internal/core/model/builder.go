package model

import (
	"cmp"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// Builder adds up what documents, or counts, change. It knows the spec but no model: observing
// needs no counts.
type Builder struct {
	spec      *spec.Spec
	presence  bool // the text counts documents, not occurrences
	ids       map[string]int
	names     []string // of the classes, by id
	documents []int64  // by id
	text      counts.Difference
	corrected []int64             // by id: how many documents correct for the class or against it
	pending   *counts.Table       // of corrections, by id; nil: the spec has none
	tables    []counts.Difference // of values
	numbers   []numberDelta
	values    *values
	size      Size         // of everything but the terms and cells
	classSize Size         // of a class, without its name, terms and cells
	terms     *bow.Lexicon // of values of fields, and of terms that are in no bag
	edges     *bow.Lexicon // of the words at the ends of texts, which have no part in the tables of fields
	key       []byte       // scratch
}

// numberDelta is what changes in a block of numbers.
type numberDelta struct {
	fields  []int // indexes into Features.Numbers
	full    bool  // with the products of all pairs of fields
	classes []*gaussian.Sums
	row     []Number // scratch
}

// NewBuilder returns a builder of deltas for models of the spec.
func NewBuilder(s *spec.Spec) *Builder {
	b := &Builder{
		spec:      s,
		presence:  s.Text != nil && s.Text.Likelihood == spec.Bernoulli,
		tables:    make([]counts.Difference, s.ValueTables()),
		values:    newValues(s),
		terms:     bow.NewLexicon(),
		edges:     bow.NewLexicon(),
		classSize: Size{Classes: 1},
	}
	if s.Corrects() {
		b.classSize.Corrections = 1 // how often it is corrected
	}
	for i := range s.Numbers {
		n := &s.Numbers[i]
		fields := fieldIndexes(s, n)
		sums := gaussian.NewSums(len(fields), n.Full()) // for its shape
		b.numbers = append(b.numbers, numberDelta{fields: fields, full: n.Full()})
		b.classSize.Sums++
		b.classSize.Fields += len(fields)
		b.classSize.Integers += len(sums.Sum) + len(sums.Products)
	}
	b.Reset()
	return b
}

// manyEdges is how many words at the ends of texts the builder keeps from delta to delta.
const manyEdges = 1 << 13

// Reset forgets everything observed.
func (b *Builder) Reset() {
	b.ids = map[string]int{}
	b.names = nil
	b.documents = nil
	b.text.Reset()
	if b.edges.Len() > manyEdges {
		b.edges = b.edges.Empty()
	}
	b.corrected = nil
	if b.spec.Corrects() && (b.pending == nil || b.pending.Admitted() > 0) {
		b.pending = counts.NewTable(counts.Options{Signed: true})
	}
	for i := range b.tables {
		b.tables[i].Reset()
	}
	for i := range b.numbers {
		b.numbers[i].classes = nil
	}
	b.size = Size{Tables: 1 + len(b.tables), Blocks: len(b.numbers)}
}

// Observe adds a document of class label weight times; a negative weight takes it out.
func (b *Builder) Observe(label string, weight int64, f *Features) {
	class := b.class(label)
	b.documents[class] += weight
	b.text.Observe(class, weight, &f.Bag, b.presence)
	fields := b.spec.FieldTables()
	for i := range fields {
		var value []byte
		value, b.key = b.values.of(f, i, b.key)
		if len(value) > 0 {
			add(&b.tables[i], &b.terms, class, weight, value)
		}
	}
	if b.spec.Text != nil {
		b.observeText(b.tables[fields:], class, weight, &f.Bag)
	}
	for i := range b.numbers {
		b.numbers[i].observe(class, weight, f.Numbers)
	}
}

// observeText adds the shape of a text and the words at its ends to spec.TextTables.
func (b *Builder) observeText(tables []counts.Difference, class int, n int64, bag *bow.Bag) {
	for i := range tables {
		values, number, ok := textValue(bag, i)
		switch {
		case i < spec.ShapeTables:
			tables[i].Add(class, n, values, number)
		case ok:
			add(&tables[i], &b.edges, class, n, values.Term(number))
		}
	}
}

// add adds n to the count of one term, which a lexicon numbers.
func add(d *counts.Difference, l **bow.Lexicon, class int, n int64, term []byte) {
	if (*l).Full() {
		*l = (*l).Empty()
	}
	d.Add(class, n, *l, (*l).Number(term))
}

// AddDocuments adds n documents to class label, without what they count.
func (b *Builder) AddDocuments(label string, n int64) {
	class := b.class(label)
	b.documents[class] += n
}

// Corrections in the place of an index of Model.Tables is the table of Model.Corrections.
const Corrections = -1

// AddCount adds n to the count of a term in class label; table is an index of Model.Tables, or
// Corrections.
func (b *Builder) AddCount(table int, label string, term []byte, n int64) {
	if table == Corrections {
		must(b.pending.Add(bow.Hash(term), term, b.class(label), n))
		return
	}
	d := &b.text
	if b.spec.Text == nil {
		d = &b.tables[table]
	} else if table > 0 {
		d = &b.tables[table-1]
	}
	add(d, &b.terms, b.class(label), n, term)
}

// AddSums adds the sums of a block of numbers to class label.
func (b *Builder) AddSums(block int, label string, s *gaussian.Sums) {
	b.numbers[block].sums(b.class(label)).Add(s)
}

// class returns the id of a class, a new one if it has none.
func (b *Builder) class(label string) int {
	id, ok := b.ids[label]
	if !ok {
		id = len(b.names)
		b.ids[label] = id
		b.names = append(b.names, label)
		b.documents = append(b.documents, 0)
		b.corrected = append(b.corrected, 0)
		b.size = b.size.Add(b.classSize)
		b.size.Bytes += len(label)
	}
	return id
}

// sums returns the sums of a class, new ones if it has none.
func (n *numberDelta) sums(class int) *gaussian.Sums {
	for len(n.classes) <= class {
		n.classes = append(n.classes, nil)
	}
	if n.classes[class] == nil {
		n.classes[class] = gaussian.NewSums(len(n.fields), n.full)
	}
	return n.classes[class]
}

func (n *numberDelta) observe(class int, weight int64, numbers []Number) {
	n.row = pick(n.row[:0], numbers, n.fields)
	n.sums(class).Observe(n.row, weight)
}

// Size bounds the delta of what was observed.
func (b *Builder) Size() Size {
	size := b.size
	add := func(d *counts.Difference) {
		terms, bytes, cells := d.Size()
		size.Terms += terms
		size.Bytes += bytes
		size.Cells += cells
	}
	add(&b.text)
	for i := range b.tables {
		add(&b.tables[i])
	}
	if b.pending != nil {
		size.Corrections += b.pending.Width()
		if b.spec.Text.Characters { // else they are of words, which are counted
			size.Terms += b.pending.Admitted()
			size.Bytes += b.pending.Admitted() * spec.MaxRunBytes
		}
	}
	return size
}

// Cost bounds by how much observing a document makes the delta larger.
func (b *Builder) Cost(label string, f *Features) Size {
	size := b.classSize
	size.Bytes += len(label)
	size.Terms = f.Bag.Len() + len(b.tables)
	size.Cells = size.Terms
	for i := range f.Bag.Len() {
		size.Bytes += len(f.Bag.Term(i))
	}
	for i := range b.tables {
		var value []byte
		value, b.key = b.values.of(f, i, b.key)
		size.Bytes += len(value)
	}
	return size
}

// Delta returns what was observed, in canonical form.
func (b *Builder) Delta() *Delta {
	order := make([]int, len(b.names)) // ids by name
	for id := range order {
		order[id] = id
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(b.names[x], b.names[y]) })
	rank := make([]int, len(order)) // by id: index into order
	d := &Delta{}
	for i, id := range order {
		rank[id] = i
		d.Classes = append(d.Classes, b.names[id])
		d.Documents = append(d.Documents, b.documents[id])
		if b.pending != nil {
			d.Corrected = append(d.Corrected, b.corrected[id])
		}
	}
	if b.pending != nil {
		d.Corrections = b.pending.Terms(rank)
	}
	d.Text = b.text.Terms(rank)
	for i := range b.tables {
		d.Categories = append(d.Categories, b.tables[i].Terms(rank))
	}
	for i := range b.numbers {
		d.Numbers = append(d.Numbers, b.numbers[i].ordered(order))
	}
	d.dropUnchanged()
	return d
}

// ordered returns the sums of the classes in order, nil for a class without any.
func (n *numberDelta) ordered(order []int) []*gaussian.Sums {
	out := make([]*gaussian.Sums, len(order))
	for i, id := range order {
		if id < len(n.classes) && n.classes[id] != nil && !n.classes[id].IsZero() {
			out[i] = n.classes[id]
		}
	}
	return out
}

func pick(dst, numbers []Number, indexes []int) []Number {
	for _, i := range indexes {
		dst = append(dst, numbers[i])
	}
	return dst
}

// fieldIndexes returns where the fields of a block are in Features.Numbers.
func fieldIndexes(s *spec.Spec, n *spec.Numbers) []int {
	all := s.NumberFields()
	var out []int
	for _, f := range n.Fields {
		out = append(out, slices.Index(all, f))
	}
	return out
}
