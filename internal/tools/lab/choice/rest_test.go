package choice

import (
	"fmt"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawDocuments draws documents of the classes a and b, and of c those of one fold alone.
func drawDocuments(t *rapid.T, lexicons []*bow.Lexicon) (documents []document) {
	rare := rapid.IntRange(0, folds-1).Draw(t, "fold of c")
	for i := range rapid.IntRange(2, 30).Draw(t, "documents") {
		d := document{key: digest.Sum(i), weight: rapid.Int64Range(1, 3).Draw(t, "weight"), features: &model.Features{}}
		d.label = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "label")
		if d.label == "c" && i%folds != rare {
			d.label = "a"
		}
		d.features.Bag.Use(rapid.SampledFrom(lexicons).Draw(t, "lexicon"))
		for range rapid.IntRange(0, 8).Draw(t, "words") {
			word := fmt.Sprintf("word%d", rapid.IntRange(0, 12).Draw(t, "word"))
			d.features.Bag.Add([]byte(word))
			modeltest.EndWith(&d.features.Bag, word)
		}
		documents = append(documents, d)
	}
	return documents
}

// TestHeldOutEqualsUnlearned: what is left of a model says the same, whether the documents were taken out of it or not. That it is the model
// which never saw them is TestScoreIsCrossValidation.
func TestHeldOutEqualsUnlearned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := spec.Parse([]byte(rapid.SampledFrom([]string{
			"scoring: {}", "scoring: {}\nlimits: {terms: 7}", "scoring: {}\nprior: uniform", "scoring: {}\nprior: {pseudo: {a: 8, c: 2}}",
			"scoring: {}\ndecision: {loss: {a: {b: 3}, c: {a: 2}}}", "scoring: {candidates: [{likelihood: complement, alpha: 0.5}]}",
		}).Draw(t, "spec")))
		if err != nil {
			t.Fatal(err)
		}
		documents := drawDocuments(t, []*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon()})
		documents[0].label = "a" // beside those of the sample, so that these classes never go
		documents[1].label = "b"
		m := model.New(s)
		b := model.NewBuilder(s)
		for _, d := range documents {
			b.Observe(d.label, d.weight, d.features)
		}
		if err := m.Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
		l := race.Of(s)
		got := scoreBy(t, without(m, l), l, documents[2:])
		want := scoreBy(t, &unlearned{m: m, builder: model.NewBuilder(s)}, l, documents[2:])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("taken out -, held out +:\n%s", diff)
		}
	})
}

// scoreBy returns the sums of each part of the documents.
func scoreBy(t *rapid.T, r rest, l *race.List, documents []document) (sums []*race.Sums) {
	so := race.NewState(l)
	w := newWorkers(l)
	for fold := range digest.Sum(folds) {
		var part []document
		for _, d := range documents {
			if d.key%folds == fold {
				part = append(part, d)
			}
		}
		if err := r.leave(part); err != nil {
			t.Fatal(err)
		}
		of := race.NewSums(len(l.Scored()))
		of.Add(w.score(so, r, len(part)))
		sums = append(sums, of)
	}
	if err := r.leave(nil); err != nil {
		t.Fatal(err)
	}
	return sums
}

// A large model of many classes, and one with other blocks than the text, is changed instead: rows of all counts would take too much memory.
func TestWhatIsHeldOut(t *testing.T) {
	for _, c := range []struct {
		spec    string
		classes int
		want    bool
	}{
		{"scoring: {}", 10, true}, {"scoring: {}", 1000, false}, {"scoring: {}\ncategories: [{field: c}]\ntext: {weight: 1}", 10, false},
	} {
		s, err := spec.Parse([]byte(c.spec))
		if err != nil {
			t.Fatal(err)
		}
		b := model.NewBuilder(s)
		for i := range c.classes {
			f := &model.Features{Categories: make([]model.Category, len(s.Categories))}
			for j := range 9 {
				f.Bag.Add(fmt.Appendf(nil, "word%d", 9*i+j))
			}
			b.Observe(fmt.Sprintf("class%d", i), 1, f)
		}
		m := model.New(s)
		if err := m.Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
		if _, got := without(m, race.Of(s)).(heldOut); got != c.want {
			t.Errorf("of %s with %d classes documents are held out: %v, want %v", c.spec, c.classes, got, c.want)
		}
	}
}
