package model

import (
	"slices"
	"strings"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
	"bayestream/internal/spec"
)

// Builder adds up what documents change. It knows the spec but no model: observing needs no counts.
type Builder struct {
	spec       *spec.Spec
	presence   bool // the text counts documents, not occurrences
	ids        map[string]int
	names      []string
	documents  []int64
	text       counts.Difference
	categories []*counts.Table
	numbers    []numberDelta
	values     *values
	key        []byte // scratch
}

type numberDelta struct {
	fields  []int // indexes into Features.Numbers
	full    bool
	classes []*gaussian.Sums // by class; nil: nothing
	row     []Number         // scratch
}

// NewBuilder returns a builder of deltas for models of the spec.
func NewBuilder(s *spec.Spec) *Builder {
	b := &Builder{spec: s, presence: s.Text != nil && s.Text.Likelihood == spec.Bernoulli, values: newValues(s)}
	for range s.ValueTables() {
		b.categories = append(b.categories, counts.NewTable(counts.Options{Signed: true}))
	}
	b.Reset()
	return b
}

// Reset forgets everything observed.
func (b *Builder) Reset() {
	b.ids, b.names, b.documents = map[string]int{}, nil, nil
	b.text.Clear()
	for _, t := range b.categories {
		t.Clear()
	}
	b.numbers = nil
	for i := range b.spec.Numbers {
		n := &b.spec.Numbers[i]
		b.numbers = append(b.numbers, numberDelta{fields: fieldIndexes(b.spec, n), full: n.Options().Full()})
	}
}

// Observe adds a document of class label weight times; a negative weight takes it out.
func (b *Builder) Observe(label string, weight int64, f *Features) {
	class := b.class(label)
	b.documents[class] += weight
	b.text.Observe(class, weight, &f.Bag, b.presence)
	for i, t := range b.categories {
		var value []byte
		if value, b.key = b.values.of(f, i, b.key); len(value) > 0 {
			must(t.Add(bow.Hash(value), value, class, weight))
		}
	}
	for i := range b.numbers {
		b.numbers[i].observe(class, weight, f.Numbers)
	}
}

// must is for errors of signed tables: only counts beyond 2^47 fail, and limits keep a delta far
// below that.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (n *numberDelta) observe(class int, weight int64, numbers []Number) {
	for len(n.classes) <= class {
		n.classes = append(n.classes, nil)
	}
	if n.classes[class] == nil {
		n.classes[class] = gaussian.NewSums(len(n.fields), n.full)
	}
	n.row = pick(n.row[:0], numbers, n.fields)
	n.classes[class].Observe(n.row, weight)
}

func (b *Builder) class(label string) int {
	id, ok := b.ids[label]
	if !ok {
		id = len(b.names)
		b.ids[label], b.names, b.documents = id, append(b.names, label), append(b.documents, 0)
	}
	return id
}

// Labels calls yield for every class with the documents that are added to it.
func (b *Builder) Labels(yield func(label string, documents int64) bool) {
	for i, name := range b.names {
		if !yield(name, b.documents[i]) {
			return
		}
	}
}

// Bounds of what an encoded delta takes beyond its counts: framing, and of each table and each sum.
const (
	frameBytes = 64
	tableBytes = 40
	sumBytes   = 25
	termBytes  = 8 // beside the term's own bytes
	cellBytes  = 11
)

// Size returns an upper bound of the bytes of the encoded delta.
func (b *Builder) Size() int {
	size := frameBytes + tableBytes*(1+len(b.categories)) + 8*len(b.numbers) + b.text.Size()
	for _, t := range b.categories {
		size += t.Size()
	}
	for _, name := range b.names {
		size += b.classSize(name)
	}
	return size
}

// classSize bounds what a class takes beside its terms and values.
func (b *Builder) classSize(name string) int {
	size := len(name) + 16
	for i := range b.numbers {
		d := len(b.numbers[i].fields)
		products := d
		if b.numbers[i].full {
			products = d * (d + 1) / 2
		}
		size += 8 + 10*d + sumBytes*(d+products)
	}
	return size
}

// Cost bounds by how much observing a document makes the delta larger.
func (b *Builder) Cost(label string, f *Features) int {
	size := b.classSize(label)
	for i := range f.Bag.Len() {
		size += len(f.Bag.Term(i)) + termBytes + cellBytes
	}
	for i := range b.categories {
		var value []byte
		value, b.key = b.values.of(f, i, b.key)
		size += len(value) + termBytes + cellBytes
	}
	return size
}

// Delta returns the canonical form of what was observed.
func (b *Builder) Delta() *Delta {
	order, unchanged := make([]int, 0, len(b.names)), []int(nil)
	for id := range b.names {
		if b.isZero(id) {
			unchanged = append(unchanged, id)
		} else {
			order = append(order, id)
		}
	}
	slices.SortFunc(order, func(x, y int) int { return strings.Compare(b.names[x], b.names[y]) })
	rank := make([]int, len(b.names))
	d := &Delta{}
	for i, id := range order {
		rank[id] = i
		d.Classes, d.Documents = append(d.Classes, b.names[id]), append(d.Documents, b.documents[id])
	}
	for i, id := range unchanged { // of none of the others: by lexicon they may have counts, which cancel in the end
		rank[id] = len(order) + i
	}
	d.Text = b.text.Flatten(rank)
	for _, t := range b.categories {
		d.Categories = append(d.Categories, t.Flatten(rank))
	}
	for i := range b.numbers {
		d.Numbers = append(d.Numbers, b.numbers[i].ordered(order))
	}
	return d
}

func (n *numberDelta) ordered(order []int) []*gaussian.Sums {
	out := make([]*gaussian.Sums, len(order))
	for i, id := range order {
		if id < len(n.classes) && n.classes[id] != nil && !n.classes[id].IsZero() {
			out[i] = n.classes[id]
		}
	}
	return out
}

// isZero reports whether nothing at all changes in a class.
func (b *Builder) isZero(id int) bool {
	if b.documents[id] != 0 || b.text.Has(id) {
		return false
	}
	for _, t := range b.categories {
		if t.Has(id) {
			return false
		}
	}
	for i := range b.numbers {
		if c := b.numbers[i].classes; id < len(c) && c[id] != nil && !c[id].IsZero() {
			return false
		}
	}
	return true
}

// pick appends the numbers at the indexes to dst.
func pick(dst, numbers []Number, indexes []int) []Number {
	for _, i := range indexes {
		dst = append(dst, numbers[i])
	}
	return dst
}

// fieldIndexes returns where the fields of a block stand in Features.Numbers.
func fieldIndexes(s *spec.Spec, n *spec.Numbers) []int {
	all := s.NumberFields()
	var out []int
	for _, f := range n.Fields {
		out = append(out, slices.Index(all, f))
	}
	return out
}
