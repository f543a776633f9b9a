package model_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

const ofCharacters = `
prior: {ham: 0.5, spam: 0.5}
decision: {min_documents: 0}
scoring: {candidates: [{likelihood: %s, alpha: 1, corrections: 0.8}]}
text: {corrections: true, characters: true}
`

// plainRuns returns the runs of a text, one character after the other.
func plainRuns(text string) (runs []string) {
	var characters []string
	for _, c := range text[:min(len(text), model.MaxWhole)] {
		if unicode.IsControl(c) {
			c = ' '
		}
		characters = append(characters, string(c))
	}
	for i := range max(0, len(characters)-4) {
		if run := strings.Join(characters[i:i+5], ""); !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	return runs
}

func extracted(t interface{ Fatal(...any) }, s *spec.Spec, whole []byte, segments ...string) *model.Features {
	x, err := model.NewExtractor(s)
	if err != nil {
		t.Fatal(err)
	}
	in := model.Input{Whole: whole}
	for _, text := range segments {
		in.Segments = append(in.Segments, model.Segment{Text: []byte(text)})
	}
	var before, f model.Features
	x.Extract(&before, &model.Input{Segments: []model.Segment{{Text: []byte("another document of before")}}})
	x.Extract(&f, &in)
	return &f
}

func FuzzRuns(f *testing.F) {
	for _, text := range []string{
		"", "free", "money money", "naïve 東京都庁舎", "\xff\x00\n\u0085tab\tab\tab", strings.Repeat("free money ", 800),
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	s := modeltest.Spec(f, fmt.Sprintf(ofCharacters, "multinomial"))
	f.Fuzz(func(t *testing.T, text string, isWhole bool) {
		got := extracted(t, s, nil, text)
		if isWhole {
			got = extracted(t, s, []byte(text), "what is shown")
		}
		var runs []string
		for i := range got.Runs.Len() {
			run := got.Runs.Term(i)
			runs = append(runs, string(run))
			if len(run) > spec.MaxRunBytes || utf8.RuneCount(run) != 5 || got.Runs.Hash(i) != bow.Hash(run) {
				t.Fatalf("run %q", run)
			}
		}
		want := plainRuns(text)
		if want = want[:min(len(want), s.Limits.TermsPerDocument)]; !slices.Equal(runs, want) {
			t.Fatalf("runs %q, want %q", runs, want)
		}
	})
}

// Runs of several fields are those of all of them, with a blank between; a document has as many as
// terms_per_document allows.
func TestRunsOfFields(t *testing.T) {
	s := modeltest.Spec(t, fmt.Sprintf(ofCharacters, "multinomial")+"limits: {terms_per_document: 3}\n")
	f := extracted(t, s, nil, "abcd", "efgh")
	if f.Runs.Len() != 3 || string(f.Runs.Term(0)) != "abcd " || string(f.Runs.Term(2)) != "cd ef" {
		t.Errorf("%d runs, the first is %q", f.Runs.Len(), f.Runs.Term(0))
	}
	if other := extracted(t, s, nil, "abcd", "efgx"); other.Checksum() == f.Clone().Checksum() {
		t.Error("texts of other runs have one checksum")
	}
	if none := extracted(t, modeltest.Spec(t, ""), nil, "abcdefgh"); none.Runs.Len() != 0 {
		t.Error("a spec without corrections of characters reads runs")
	}
}

// corrects has a document counted and correct what it has to.
func corrects(t *rapid.T, m *model.Model, label string, f *model.Features) (ahead string) {
	b := model.NewBuilder(m.Spec())
	b.Observe(label, 1, f)
	ahead = model.NewJudge().Correct(m, b, label, 1, f, 0)
	size := b.Size()
	d := b.Delta()
	if size.Corrections < len(d.Corrections.Class) || size.Terms < d.Text.Len()+d.Corrections.Len() {
		t.Fatalf("the size %+v is no bound of %d corrections", size, d.Corrections.Len())
	}
	if err := m.Apply(d); err != nil {
		t.Fatal(err)
	}
	return ahead
}

// What characters say is one block of evidence, which adds up with the others to the margin; the race
// scores as decisions do; and nothing is left of documents that are taken out.
func TestCorrectionsOfCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		likelihood := rapid.SampledFrom([]string{"multinomial", "complement", "one_vs_all"}).Draw(t, "likelihood")
		text := fmt.Sprintf(ofCharacters, likelihood)
		if likelihood != "multinomial" {
			text = strings.Replace(text, "prior: {ham: 0.5, spam: 0.5}", "", 1)
		}
		s := modeltest.Spec(t, text)
		m := model.New(s)
		type said struct {
			label, ahead string
			f            *model.Features
		}
		var all []said
		for range rapid.IntRange(2, 12).Draw(t, "documents") {
			d := said{label: rapid.SampledFrom([]string{"ham", "spam"}).Draw(t, "label")}
			texts := []string{"free money", "free lunch", "lunch on friday", "money"}
			d.f = extracted(t, s, nil, rapid.SampledFrom(texts).Draw(t, "text"))
			d.ahead = corrects(t, m, d.label, d.f)
			all = append(all, d)
		}
		probe := extracted(t, s, nil, "free lunch on friday")
		d := modeltest.Decide(m, probe)
		if len(d.Classes) == 2 && d.Labelled {
			if sum := addedUp(d); math.Abs(sum-d.Margin) > 1e-9 {
				t.Fatalf("evidence adds up to %v, want %v", sum, d.Margin)
			}
			l := race.Of(s)
			sums := race.NewSums(1)
			model.NewRaceScorer(l).Add(sums, race.NewState(l), m, probe, d.Label)
			at := slices.Index(race.Tempers(), race.NewState(l).Leader().Temper)
			want := d.LogLoss(d.Label) * race.Unit
			if got := float64(sums.By[0].Loss[at]); math.Abs(got-want) > 20 || sums.By[0].Errors != 0 {
				t.Fatalf("the race has a loss of %v, want %v", got, want)
			}
		}
		b := model.NewBuilder(s)
		for _, d := range all {
			b.Observe(d.label, -1, d.f)
			if d.ahead != "" {
				b.Correct(d.label, d.ahead, -1, d.f)
			}
		}
		if err := m.Apply(b.Delta()); err != nil || m.Digest() != model.New(s).Digest() || m.Corrections().Digest() != 0 {
			t.Fatalf("documents that are taken out leave something: %v", err)
		}
	})
}

// Characters judge by themselves, and also against a class that is expected and has no document: the
// first spams of a stream correct.
func TestCharactersJudgeThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := modeltest.Spec(t, fmt.Sprintf(ofCharacters, "multinomial"))
		m := model.New(s)
		spam := extracted(t, s, nil, "free money for all of you, and for your friends")
		var got []string
		for _, label := range []string{"spam", "spam", "spam", "ham"} {
			got = append(got, corrects(t, m, label, spam))
		}
		if want := []string{"", "ham", "", "spam"}; !slices.Equal(got, want) {
			t.Fatalf("against %q, want %q", got, want)
		}
	})
}

// Characters weigh little in a model of few documents.
func TestCharactersOfFewDocuments(t *testing.T) {
	s := modeltest.Spec(t, fmt.Sprintf(ofCharacters, "multinomial"))
	said := func(documents int64) float64 {
		m, b := model.New(s), model.NewBuilder(s)
		f := extracted(t, s, nil, "free money")
		b.Observe("spam", documents, f)
		b.Observe("ham", documents, f)
		b.Correct("spam", "ham", 3, f)
		if err := m.Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
		for _, e := range modeltest.Decide(m, f).Evidence {
			if e.Block == model.RunsBlock {
				return e.Weight
			}
		}
		t.Fatal("no evidence of characters")
		return 0
	}
	if few, many := said(15), said(150000); few > 0.02*many || many < 1 {
		t.Errorf("characters weigh %v of 30 documents, and %v of 300,000", few, many)
	}
}

// Where terms are hashed, runs are.
func TestHashedRuns(t *testing.T) {
	plain := modeltest.Spec(t, fmt.Sprintf(ofCharacters, "multinomial"))
	key, err := spec.NewTermsKey([]byte("a secret of thirty-two characters"))
	if err != nil {
		t.Fatal(err)
	}
	const more = "characters: true, terms: hmac"
	text := strings.Replace(fmt.Sprintf(ofCharacters, "multinomial"), "characters: true", more, 1)
	hashed, err := modeltest.Spec(t, text).WithKey(key)
	if err != nil {
		t.Fatal(err)
	}
	want, got := extracted(t, plain, nil, "free money, free money"), extracted(t, hashed, nil, "free money, free money")
	if got.Runs.Len() != want.Runs.Len() {
		t.Fatalf("%d runs, want %d", got.Runs.Len(), want.Runs.Len())
	}
	for i := range got.Runs.Len() {
		mask := key.Hasher().AppendTerm(nil, want.Runs.Term(i))
		if string(got.Runs.Term(i)) != string(mask) || len(mask) > spec.MaxRunBytes || got.Runs.Hash(i) != bow.Hash(mask) {
			t.Errorf("run %q is counted as %q, want %q", want.Runs.Term(i), got.Runs.Term(i), mask)
		}
	}
}
