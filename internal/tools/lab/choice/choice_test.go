package choice_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/choice"

	gocmp "github.com/google/go-cmp/cmp"
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

// TestRaceIsThatOfAStream: the sums and the leader are those of a stream of the documents in the
// order of their keys, of which the last ones race, and the model counts what it counted.
func TestRaceIsThatOfAStream(t *testing.T) {
	s := modeltest.Spec(t, "scoring: {}")
	docs := documents(2300)
	m := learned(t, s, docs)
	before := modeltest.Dump(m)
	got := raced(t, m, docs)
	if modeltest.Dump(m) != before {
		t.Error("the model is another one afterwards")
	}
	slices.SortFunc(docs, func(a, b document) int { return cmp.Compare(a.key, b.key) })
	stream := learned(t, s, docs[:300])
	want := race.NewState(race.Of(s))
	scorer := model.NewRaceScorer(want.List())
	for left := docs[300:]; len(left) > 0; {
		n := min(len(left), int(race.MostAhead(stream.Classes().Total())))
		sums := race.NewSums(len(want.List().Scored()))
		for _, d := range left[:n] {
			scorer.Add(sums, want, stream, d.Features, d.Label)
		}
		for _, d := range left[:n] {
			modeltest.Learn(t, stream, 1, d.Document)
		}
		want.Fold(want.List().Fingerprint(), sums)
		left = left[n:]
	}
	if diff := gocmp.Diff(want.Table(), got.Table()); diff != "" || want.Sums().Scored != 2000 {
		t.Errorf("of %d documents, stream -, files +:\n%s", want.Sums().Scored, diff)
	}
	if lead, _ := m.Deciding(); lead.Candidate() != want.Leader().Candidate {
		t.Errorf("%v decides, want %v", lead.Candidate(), want.Leader())
	}
}

// raced returns the race of a sample of all documents.
func raced(t *testing.T, m *model.Model, docs []document) *race.State {
	t.Helper()
	sample := choice.NewSample(m.Spec(), 0)
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
	r := race.NewState(race.Of(m.Spec()))
	if err := sample.Race(m, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Which documents are scored depends neither on their order, nor on those that later ones replace.
func TestSampleIsOfTheKeys(t *testing.T) {
	s := modeltest.Spec(t, "scoring: {}\ntext: {stem: false}")
	docs := documents(17_000)
	for i := range docs[14_000:] { // late ones that weigh more than all before
		docs[14_000+i].Weight = 100
	}
	m := learned(t, s, docs)
	want := raced(t, m, docs).Sums()
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	if diff := gocmp.Diff(want, raced(t, m, docs).Sums()); diff != "" {
		t.Errorf("in order -, shuffled +:\n%s", diff)
	}
	var replaced []document
	for _, d := range docs {
		d.Label = "b"
		replaced = append(replaced, d)
	}
	if diff := gocmp.Diff(want, raced(t, m, append(replaced, docs...)).Sums()); diff != "" {
		t.Errorf("once -, replaced +:\n%s", diff)
	}
}

// One in seven of many documents is scored, and not more than choice.Most. Without documents a
// model scores nothing: where all are few, the first hundred are only learned.
func TestHowManyAreScored(t *testing.T) {
	s := modeltest.Spec(t, "scoring: {}")
	docs := documents(36_000)
	for _, c := range []struct{ documents, weight, want int64 }{
		{100, 1, 0}, {2000, 1, 1900}, {6000, 1, 2000}, {12_000, 1, 2000}, {12_000, 3, 2000}, {24_000, 1, 3428}, {36_000, 1, choice.Most},
	} {
		some := slices.Clone(docs[:c.documents])
		for i := range some {
			some[i].Weight = c.weight
		}
		if got := raced(t, learned(t, s, some), some).Sums().Scored; got != c.want {
			t.Errorf("of %d documents that count %d times %d are scored, want %d", c.documents, c.weight, got, c.want)
		}
	}
}

// A frozen vocabulary is the same afterwards.
func TestFrozenVocabulary(t *testing.T) {
	s := modeltest.Spec(t, "scoring: {}\nlimits: {terms: 30}")
	docs := documents(300)
	m := learned(t, s, docs)
	if !m.Text().Frozen() {
		t.Fatal("the vocabulary is not frozen")
	}
	before := modeltest.Dump(m)
	if got := raced(t, m, docs).Sums().Scored; got != 200 {
		t.Errorf("%d documents are scored, want 200", got)
	}
	if modeltest.Dump(m) != before {
		t.Error("the model is another one afterwards")
	}
}

// What documents of files correct does not depend on their order, and the counts stay as they are.
func TestRaceCorrects(t *testing.T) {
	s := modeltest.Spec(t, "text: {corrections: true}")
	docs := documents(2300)
	race := func() (counts, corrections string) {
		m := learned(t, s, docs)
		counts = modeltest.Dump(m)
		raced(t, m, docs)
		after := modeltest.Dump(m)
		counted, _ := strings.CutPrefix(after, counts)
		return counts, counted
	}
	counts, want := race()
	if !strings.Contains(want, "corrections \"") || strings.Contains(want, "table") {
		t.Fatalf("the race corrects %q of\n%s", want, counts)
	}
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	if _, got := race(); got != want {
		t.Error("in another order other documents correct")
	}
}
