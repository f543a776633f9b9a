package model_test

import (
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/testing/modeltest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// A delta is the same whichever lexicons number the words, also where a class gets documents that
// are taken out of it again.
func TestDeltaIsTheSameInAnyLexicon(t *testing.T) {
	spec := modeltest.Spec(t, "")
	one, others := model.NewBuilder(spec), model.NewBuilder(spec)
	rapid.Check(t, func(t *rapid.T) {
		one.Reset()
		others.Reset()
		lexicons := []*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon(), bow.NewLexicon()}
		observe := func(b *model.Builder, l *bow.Lexicon, label string, weight int64, words []string) {
			f := &model.Features{}
			f.Bag.Use(l)
			for _, w := range words {
				f.Bag.Add([]byte(w))
			}
			b.Observe(label, weight, f)
		}
		for range rapid.IntRange(1, 8).Draw(t, "documents") {
			label := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "label")
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 4).Draw(t, "words")
			weights := []int64{1, -1}
			if rapid.Bool().Draw(t, "stays") {
				weights = weights[:1]
			}
			for _, weight := range weights {
				observe(one, lexicons[0], label, weight, words)
				observe(others, lexicons[rapid.IntRange(0, 2).Draw(t, "lexicon")], label, weight, words)
			}
		}
		got, want := others.Delta(), one.Delta()
		if err := got.Validate(spec); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("of one lexicon -, of several +:\n%s", diff)
		}
	})
}

// Counts that are added one by one make the delta of the documents that they come from, also where
// some were taken out.
func TestDeltaOfCountsIsThatOfDocuments(t *testing.T) {
	spec := modeltest.Spec(t, `
text: {field: text}
categories: [{field: color}]
histograms: [{field: h, from: 0, to: 10, bins: 5}]
numbers: [{fields: [x, y], likelihood: qda}]
`)
	documents := model.NewBuilder(spec)
	rapid.Check(t, func(t *rapid.T) {
		documents.Reset()
		for range rapid.IntRange(0, 8).Draw(t, "documents") {
			f := &model.Features{
				Numbers:    make([]model.Number, len(spec.NumberFields())),
				Categories: []model.Category{{Value: []byte(rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "color")), Present: true}},
			}
			for i := range f.Numbers {
				f.Numbers[i] = model.Number{Value: rapid.Int64Range(0, 10).Draw(t, "number") << 20, Present: true}
			}
			for _, w := range rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 4).Draw(t, "words") {
				f.Bag.Add([]byte(w))
			}
			label := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "label")
			documents.Observe(label, rapid.Int64Range(-1, 2).Draw(t, "weight"), f)
		}
		want := documents.Delta()
		if err := want.Validate(spec); err != nil {
			t.Fatal(err)
		}
		added := model.NewBuilder(spec)
		for class, label := range want.Classes {
			added.AddDocuments(label, want.Documents[class])
			for block := range want.Numbers {
				if sums := want.Numbers[block][class]; sums != nil {
					added.AddSums(block, label, sums)
				}
			}
		}
		for table, terms := range append([]counts.Terms{want.Text}, want.Categories...) {
			for i := range terms.Len() {
				begin, end := terms.Range(i)
				for j := begin; j < end; j++ {
					added.AddCount(table, want.Classes[terms.Class[j]], terms.Term(i), terms.Count[j])
				}
			}
		}
		if diff := cmp.Diff(want, added.Delta(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("of documents -, of counts +:\n%s", diff)
		}
	})
}
