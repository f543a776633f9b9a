package model_test

import (
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/model"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// A delta is the same whichever lexicons number the words, also where a class gets documents that are taken out
// of it again.
func TestDeltaIsTheSameInAnyLexicon(t *testing.T) {
	spec := parse(t, "")
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
