package console

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
)

// hashedState returns a model whose terms are hashed, and that has learned two documents.
func hashedState(t *testing.T, key *spec.TermsKey) *fold.State {
	t.Helper()
	s := modeltest.Spec(t, "text: {terms: hmac, language: none, stem: false}")
	keyed, err := s.WithKey(key)
	if err != nil {
		t.Fatal(err)
	}
	extract, err := model.NewExtractor(keyed)
	if err != nil {
		t.Fatal(err)
	}
	state := fold.Offline(keyed)
	b := model.NewBuilder(keyed)
	for label, text := range map[string]string{"ham": "lunch on friday", "spam": "a prize"} {
		var f model.Features
		extract.Extract(&f, wordsInput(text))
		b.Observe(label, 1, &f)
	}
	if err := state.Model().Add(b.Delta(), nil); err != nil {
		t.Fatal(err)
	}
	state.Model().Prepare()
	return state
}

func wordsInput(text string) *model.Input {
	return &model.Input{Segments: []model.Segment{{Text: []byte(text)}}}
}

// With the key of hashed terms the words are marked where they stand; without it the text is shown
// as it is, and nothing is said of its words.
func TestHashedTerms(t *testing.T) {
	key, err := spec.NewTermsKey([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	state := hashedState(t, key)
	c := alone(t, func(o *Options) { o.Key = key })
	l, err := c.newLens(state.Spec())
	if err != nil {
		t.Fatal(err)
	}
	v := l.look(state, wordsInput("a prize"), "m1", contrast{})
	pieces := v.Segments[0].Pieces
	if l.hashed || v.Hashed || v.Decision.Label != "spam" || len(pieces) != 3 || pieces[2].Text != "prize" || !v.Terms[pieces[2].Terms[0]].Known {
		t.Errorf("with the key: %+v", v)
	}
	first := v.Values[slices.IndexFunc(v.Values, func(v valueJSON) bool { return v.Block == "first" })]
	if *first.Value != "a" || !slices.Contains(first.Counts, classCountJSON{Class: "spam", Count: 1}) {
		t.Errorf("with the key: %+v, want the first word of the spam", first)
	}
	if l, err = alone(t, nil).newLens(state.Spec()); err != nil || !l.hashed {
		t.Fatalf("without the key: %v", err)
	}
	v = plainView(l, wordsInput("a prize"))
	if !v.Hashed || len(v.Terms) != 0 || len(v.Segments[0].Pieces) != 1 || v.Segments[0].Pieces[0].Text != "a prize" {
		t.Errorf("without the key: %+v", v)
	}
}

// A text that is one word of 100 KB, and one with characters that turn the line around, are shown,
// within the bounds.
func TestOddTexts(t *testing.T) {
	s := spec.Default()
	state := fold.Offline(s)
	b := model.NewBuilder(s)
	for _, label := range []string{"ham", "spam"} {
		b.AddDocuments(label, 1)
	}
	if err := state.Model().Add(b.Delta(), nil); err != nil {
		t.Fatal(err)
	}
	state.Model().Prepare()
	l, err := alone(t, nil).newLens(s)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é", 50_000)
	for _, text := range []string{long, "<script>alert(1)</script> \u202egnp.exe\u202c", "", "\n\n", strings.Repeat("a b c d ", 10_000)} {
		v := l.look(state, wordsInput(text), "m1", contrast{})
		shown := ""
		for _, p := range v.Segments[0].Pieces {
			shown += p.Text
		}
		if len(shown)+v.Segments[0].Cut != len(text) || !strings.HasPrefix(text, shown) || len([]rune(shown)) > mostRunes {
			t.Errorf("of %d bytes %d are shown and %d cut", len(text), len(shown), v.Segments[0].Cut)
		}
		if snippet := snippetOf(wordsInput(text)); len([]rune(snippet)) > snippetRunes+1 || strings.ContainsAny(snippet, "\n\u202e\u202c") {
			t.Errorf("the snippet is %q", snippet)
		}
	}
}

// A decision without evidence, as those in headers are, gets that of the model of this moment,
// however many pages ask at once.
func TestEvidenceByTheModelNow(t *testing.T) {
	key, err := spec.NewTermsKey([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	state := hashedState(t, key)
	c := alone(t, func(o *Options) { o.Key = key })
	c.replica = modellog.New(nil, "model", state, modellog.Observer{}, c.log)
	l, err := c.lens()
	if err != nil {
		t.Fatal(err)
	}
	e := decision(1, "", "spam", "", 0.9)
	e.source = &wire.Ref{Topic: "documents"}
	c.memory.add([]*entry{e})
	rec := &stream.Record{Topic: "documents", Value: []byte(`{"id":"m1","text":"a prize"}`)}
	var pages sync.WaitGroup
	for range 4 {
		pages.Go(func() { c.describeBy(l, e, rec) })
	}
	pages.Wait()
	d := e.decisionJSON
	if nameOf(d.Snippet) != "a prize" || nameOf(d.EvidenceBy) != "now" || len(d.Evidence) != 3 || d.Evidence[0].Weight == nil {
		t.Errorf("the decision is %+v", d)
	}
}
