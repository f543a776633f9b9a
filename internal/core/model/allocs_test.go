package model_test

import (
	"fmt"
	"runtime"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/demo/news"
)

// A document costs no allocation, neither labelled with its evidence nor learned, once its words
// were met.
func TestDocumentsCostNoAllocation(t *testing.T) {
	for _, text := range []string{
		"",
		"text: {likelihood: bernoulli}",
		"text: {likelihood: complement}",
		"text: {likelihood: one_vs_all}",
		"scoring: {}",
		"text: {temper: {t: 0.8}}\nnumbers: [{fields: [x, y]}]",
		"text: {ngrams: 2, stop: [the, a]}\nnumbers: [{fields: [x, y]}]",
		"text: {stem: false}\nnumbers: [{fields: [x, y], likelihood: lda, shrinkage: 0.1}]\ncategories: [{field: c}]\ndecision: {loss: {sports: {election: 3}}, reject: 0.2}",
	} {
		t.Run(fmt.Sprintf("%.20q", text), func(t *testing.T) {
			s := modeltest.Spec(t, text)
			inputs, labels := newsInputs(300)
			x, err := model.NewExtractor(s)
			if err != nil {
				t.Fatal(err)
			}
			m, b, scorer := model.New(s), model.NewBuilder(s), model.NewScorer()
			var f model.Features
			var d model.Decision
			next := 0
			learn := func() {
				next = (next + 1) % len(inputs)
				x.Extract(&f, &inputs[next])
				b.Observe(labels[next], 1, &f)
			}
			label := func() {
				next = (next + 1) % len(inputs)
				x.Extract(&f, &inputs[next])
				scorer.Decide(&d, m, &f, "id", model.Options{Evidence: 10})
				x.SetWords(&d, &inputs[next])
			}
			for range inputs {
				learn()
			}
			if err := m.Apply(b.Delta()); err != nil {
				t.Fatal(err)
			}
			for range inputs {
				label()
			}
			if n := testing.AllocsPerRun(len(inputs), label); n != 0 {
				t.Errorf("a label costs %v allocations", n)
			}
			if n := testing.AllocsPerRun(len(inputs), learn); n != 0 {
				t.Errorf("learning costs %v allocations", n)
			}
		})
	}
}

// newsInputs returns documents with words, numbers and a category.
func newsInputs(n int) (inputs []model.Input, labels []string) {
	g := news.New(3)
	for i := range n {
		x := g.Next()
		inputs = append(inputs, model.Input{
			Segments:   []model.Segment{{Text: []byte(x.Text)}},
			Numbers:    []model.Number{{Value: int64(i%7) * 1e9, Present: true}, {Value: int64(i%5) * 1e9, Present: i%11 > 0}},
			Categories: []model.Category{{Value: []byte{'a' + byte(i%3)}, Present: true}},
		})
		labels = append(labels, x.Label)
	}
	return inputs, labels
}

// TestEdgesDoNotWidenFields: a field of few values takes no memory for the words that texts begin and
// end with.
func TestEdgesDoNotWidenFields(t *testing.T) {
	const fields = 40
	text := "text: {}\ncategories: ["
	for i := range fields {
		text += fmt.Sprintf("{field: f%d}, ", i)
	}
	b := model.NewBuilder(modeltest.Spec(t, text+"{field: last}]"))
	lexicon := bow.NewLexicon()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var categories []model.Category
	for range fields + 1 {
		categories = append(categories, model.Category{Value: []byte("value"), Present: true})
	}
	for i := range 20_000 {
		f := &model.Features{Categories: categories}
		if lexicon.Full() {
			lexicon = lexicon.Empty()
		}
		f.Bag.Use(lexicon)
		first, last := lexicon.Number(fmt.Appendf(nil, "first%d", i)), lexicon.Number(fmt.Appendf(nil, "last%d", i))
		f.Bag.AddNumbers([]uint32{first, last})
		f.Bag.SetEdges(first, last)
		b.Observe("class", 1, f)
		if i%500 == 0 {
			b.Delta()
			b.Reset()
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 20<<20 {
		t.Errorf("a builder keeps %d MiB", kept>>20)
	}
	runtime.KeepAlive(b)
}
