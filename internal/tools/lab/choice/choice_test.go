package choice_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/choice"

	"github.com/google/go-cmp/cmp"
)

// document is a document and its key.
type document struct {
	modeltest.Document
	key digest.Sum
}

// documents returns n documents of three classes, each with some words that are frequent in it.
func documents(n int) (out []document) {
	rng := rand.New(rand.NewPCG(1, 2))
	lexicon := bow.NewLexicon()
	for i := range n {
		class := rng.IntN(3)
		f := &model.Features{}
		f.Bag.Use(lexicon)
		for range 3 + rng.IntN(20) {
			f.Bag.Add(fmt.Appendf(nil, "word%d", rng.IntN(40)+20*class*rng.IntN(2)))
		}
		d := modeltest.Document{Label: string(rune('a' + class)), Weight: int64(1 + rng.IntN(2)), Features: f}
		out = append(out, document{d, choice.Key("", false, i)})
	}
	return out
}

func learned(t *testing.T, s *spec.Spec, docs []document) *model.Model {
	t.Helper()
	m := model.New(s)
	b := model.NewBuilder(s)
	for _, d := range docs {
		b.Observe(d.Label, d.Weight, d.Features)
	}
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	return m
}

func parse(t *testing.T, yaml string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScoreIsCrossValidation: the sums are those of models that are trained on the other four folds from scratch, the confidences are
// those under the tempers that are the best of all folds, and the model is the one it was.
func TestScoreIsCrossValidation(t *testing.T) {
	s := parse(t, "scoring: {}")
	l := race.Of(s)
	docs := documents(400)
	want := race.NewSums(len(l.Scored()))
	so := race.NewState(l)
	each := func(add func(part *race.Sums)) {
		for fold := range digest.Sum(5) {
			var in, out []document
			for _, d := range docs {
				if d.key%5 == fold {
					out = append(out, d)
				} else {
					in = append(in, d)
				}
			}
			m := learned(t, s, in)
			scorer := model.NewRaceScorer(l)
			part := race.NewSums(len(l.Scored()))
			for _, d := range out {
				scorer.Add(part, so, m, d.Features, d.Label)
			}
			add(part)
		}
	}
	each(func(part *race.Sums) {
		for i := range part.By {
			part.By[i].Confidence = race.Histogram{}
		}
		want.Add(part)
		so.Fold(l.Fingerprint(), part)
	})
	each(func(part *race.Sums) { // again, by the tempers of all of them
		for i := range part.By {
			all := race.NewSums(len(l.Scored()))
			all.By[i].Confidence = part.By[i].Confidence
			want.Add(all)
		}
	})
	m := learned(t, s, docs)
	before := modeltest.Dump(m)
	if diff := cmp.Diff(want, score(t, m, docs)); diff != "" {
		t.Errorf("from scratch -, as it was found +:\n%s", diff)
	}
	if modeltest.Dump(m) != before {
		t.Error("the model is another one afterwards")
	}
}

// score returns the sums of a sample of all documents.
func score(t *testing.T, m *model.Model, docs []document) *race.Sums {
	t.Helper()
	sample := choice.NewSample(0)
	seen := map[digest.Sum]bool{}
	for _, d := range docs {
		if seen[d.key] {
			sample.Replace()
		}
		seen[d.key] = true
		if sample.Learn(d.key) {
			sample.Add(d.key, d.Label, d.Weight, d.Features)
		}
	}
	sums, err := sample.Score(m, race.Of(m.Spec()))
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// Which documents are scored depends neither on their order, nor on those that later ones replace.
func TestSampleIsOfTheKeys(t *testing.T) {
	s := parse(t, "scoring: {}\ntext: {stem: false}")
	docs := documents(17_000)
	for i := range docs[14_000:] { // late ones that weigh more than all before
		docs[14_000+i].Weight = 100
	}
	m := learned(t, s, docs)
	want := score(t, m, docs)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	if diff := cmp.Diff(want, score(t, m, docs)); diff != "" {
		t.Errorf("in order -, shuffled +:\n%s", diff)
	}
	var replaced []document
	for _, d := range docs {
		d.Label = "b"
		replaced = append(replaced, d)
	}
	if diff := cmp.Diff(want, score(t, m, append(replaced, docs...))); diff != "" {
		t.Errorf("once -, replaced +:\n%s", diff)
	}
}

// One in seven of many documents is scored, and not more than choice.Most.
func TestHowManyAreScored(t *testing.T) {
	s := parse(t, "scoring: {}")
	docs := documents(36_000)
	for _, c := range []struct{ documents, weight, want int64 }{
		{100, 1, 100}, {2000, 1, 2000}, {6000, 1, 2000}, {12_000, 1, 2000}, {12_000, 3, 2000}, {24_000, 1, 3428}, {36_000, 1, choice.Most},
	} {
		some := slices.Clone(docs[:c.documents])
		for i := range some {
			some[i].Weight = c.weight
		}
		if got := score(t, learned(t, s, some), some).Scored; got != c.want {
			t.Errorf("of %d documents that count %d times %d are scored, want %d", c.documents, c.weight, got, c.want)
		}
	}
}

// A frozen vocabulary is the same afterwards.
func TestFrozenVocabulary(t *testing.T) {
	s := parse(t, "scoring: {}\nlimits: {terms: 30}")
	docs := documents(300)
	m := learned(t, s, docs)
	if !m.Text().Frozen() {
		t.Fatal("the vocabulary is not frozen")
	}
	before := modeltest.Dump(m)
	if got := score(t, m, docs).Scored; got != 300 {
		t.Errorf("%d documents are scored, want 300", got)
	}
	if modeltest.Dump(m) != before {
		t.Error("the model is another one afterwards")
	}
}
