package choice

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/testing/modeltest"
)

// redundant returns n documents of two classes. One word tells most of them apart, and eight words
// that say the same tell less: to naive Bayes they are eight witnesses.
func redundant(rng *rand.Rand, n int) (out []document) {
	lexicon := bow.NewLexicon()
	for i := range n {
		class := rng.IntN(2)
		cue := class
		if rng.IntN(3) == 0 {
			cue = 1 - class
		}
		f := &model.Features{}
		f.Bag.Use(lexicon)
		for k := range 8 {
			f.Bag.Add(fmt.Appendf(nil, "cue%d%d", cue, k))
		}
		if rng.IntN(10) > 0 {
			f.Bag.Add(fmt.Appendf(nil, "key%d%d", class, rng.IntN(20)))
		}
		out = append(out, document{key: Key("", false, i), label: string(rune('a' + class)), weight: 1, features: f})
	}
	return out
}

// corrected returns a model of documents whose sample has raced, the race, and the sample.
func corrected(t *testing.T, docs []document) (*model.Model, *race.State, *Sample) {
	t.Helper()
	m := model.New(modeltest.Spec(t, "text: {corrections: true}"))
	b := model.NewBuilder(m.Spec())
	s := NewSample(m.Spec(), 0)
	for _, d := range docs {
		b.Observe(d.label, d.weight, d.features)
		if s.Learn(d.key) {
			s.Add(d.key, d.label, d.weight, d.features)
		}
	}
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	r := race.NewState(race.Of(m.Spec()))
	if err := s.Choose(m, r); err != nil {
		t.Fatal(err)
	}
	return m, r, s
}

// Rounds save errors where many words are repeated together. The documents that are held out race again.
func TestRoundsPay(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	docs := redundant(rng, 2500)
	m, r, _ := corrected(t, docs)
	if got := r.Sums().Scored; got != 500 {
		t.Errorf("%d documents race last, want the 500 that are held out", got)
	}
	errors := 0
	scorer := model.NewScorer()
	var d model.Decision
	for _, x := range redundant(rng, 1000) {
		scorer.Decide(&d, m, x.features, "", model.Options{Evidence: -1})
		if d.Label != x.label {
			errors++
		}
	}
	if errors > 40 { // 28; without rounds 48
		t.Errorf("%d errors in 1,000 documents", errors)
	}
}

// Rounds that are taken back leave nothing.
func TestRoundsAreTakenBack(t *testing.T) {
	docs := redundant(rand.New(rand.NewPCG(9, 10)), 600)
	m, r, s := corrected(t, docs) // so few have no rounds
	before := modeltest.Dump(m)
	c := newCorrector(m)
	if err := c.rounds(s.documents); err != nil {
		t.Fatal(err)
	}
	if modeltest.Dump(m) == before {
		t.Fatal("the rounds correct nothing")
	}
	if err := c.takeBack(r); err != nil {
		t.Fatal(err)
	}
	if got := modeltest.Dump(m); got != before {
		t.Errorf("behind the rounds:\n%s\nbefore:\n%s", got, before)
	}
}

// Of documents with few terms 20,000 correct, of others 10,000.
func TestHowManyCorrect(t *testing.T) {
	s := modeltest.Spec(t, "text: {corrections: true, characters: true}")
	x, err := model.NewExtractor(s)
	if err != nil {
		t.Fatal(err)
	}
	lexicon := bow.NewLexicon()
	for _, c := range []struct{ terms, characters, want int }{
		{1, 0, 20_000}, {60, 0, 16_666}, {200, 0, 10_000}, {1, 1250, 8025}, {1, 1700, 5896},
	} {
		f := &model.Features{}
		var text []byte
		for k := range c.characters {
			text = utf8.AppendRune(text, rune('Ā'+k))
		}
		x.Extract(f, &model.Input{Whole: text})
		f.Bag.Use(lexicon)
		for k := range c.terms {
			f.Bag.Add(fmt.Appendf(nil, "word%d", k))
		}
		sample := NewSample(s, 0)
		for i := range 30_000 {
			if key := Key("", false, i); sample.Learn(key) {
				sample.Add(key, "a", 1, f)
			}
		}
		sample.shrink(2000)
		if got := len(sample.documents); got != c.want {
			t.Errorf("%d documents of %d terms and %d characters correct, want %d", got, c.terms, c.characters, c.want)
		}
	}
}
