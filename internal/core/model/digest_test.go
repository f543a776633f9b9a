package model_test

import (
	"testing"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// digested are specs with every kind of block; the vocabulary of the second freezes soon.
var digested = []string{
	"text: {}\nnumbers: [{fields: [x, y]}]\ncategories: [{field: c}]",
	"text: {likelihood: bernoulli}\nlimits: {terms: 3}\ncategories: [{field: c}]",
	"numbers: [{fields: [x, y], likelihood: lda}, {fields: [x]}]\nhistograms: [{field: y, from: -1000, to: 1000, bins: 7}]",
}

// mustHaveDigest compares the digest that a model kept with the one that its counts have.
func mustHaveDigest(t *rapid.T, m *model.Model) {
	t.Helper()
	if got, want := m.Digest(), modeltest.PlainDigest(m); got != want {
		t.Fatalf("the digest is %x, that of the counts %x:\n%s", got, want, modeltest.Dump(m))
	}
}

// apply adds documents with the sign, cut into deltas anywhere.
func apply(t *rapid.T, m *model.Model, sign int64, docs []modeltest.Document) {
	t.Helper()
	b := model.NewBuilder(m.Spec())
	flush := func() {
		if err := m.Add(b.Delta(), nil); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		mustHaveDigest(t, m)
	}
	for _, d := range docs {
		b.Observe(d.Label, sign*d.Weight, d.Features)
		if rapid.Bool().Draw(t, "cut") {
			flush()
		}
	}
	flush()
}

func eachDigested(t *testing.T, f func(t *rapid.T, s *spec.Spec, docs []modeltest.Document)) {
	for _, yaml := range digested {
		s := modeltest.Spec(t, yaml)
		rapid.Check(t, func(t *rapid.T) {
			docs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) modeltest.Document {
				return drawDocument(t, []string{"a", "b", "c"})
			}), 0, 8).Draw(t, "documents")
			f(t, s, docs)
		})
	}
}

// Whatever is learned and taken out again, cut anyhow and in any order, the digest is that of the
// counts; nothing has the digest of nothing.
func TestDigestIsThatOfTheCounts(t *testing.T) {
	eachDigested(t, func(t *rapid.T, s *spec.Spec, docs []modeltest.Document) {
		m := model.New(s)
		apply(t, m, 1, docs)
		m.Prepare()
		mustHaveDigest(t, m)
		if again := model.New(s); m.Text() == nil || !m.Text().Frozen() {
			apply(t, again, 1, rapid.Permutation(docs).Draw(t, "order"))
			if again.Digest() != m.Digest() {
				t.Fatalf("in another order the digest is %x, not %x", again.Digest(), m.Digest())
			}
		}
		kept := rapid.IntRange(0, len(docs)).Draw(t, "kept")
		apply(t, m, -1, rapid.Permutation(docs[kept:]).Draw(t, "order"))
		apply(t, m, -1, docs[:kept])
		if m.Digest() != 0 {
			t.Fatalf("nothing has the digest %x:\n%s", m.Digest(), modeltest.Dump(m))
		}
	})
}

// digestOf returns the digest of a model of documents.
func digestOf(t *rapid.T, s *spec.Spec, docs []modeltest.Document) digest.Sum {
	m := model.New(s)
	apply(t, m, 1, docs)
	return m.Digest()
}

// The digest of two models that are added is the sum of theirs, and what a class adds to it depends
// on its name by a factor alone.
func TestDigestAddsUp(t *testing.T) {
	eachDigested(t, func(t *rapid.T, s *spec.Spec, docs []modeltest.Document) {
		if s.Limits.Terms < 10 {
			return // what a frozen vocabulary leaves out depends on the order
		}
		all := digestOf(t, s, docs)
		half := rapid.IntRange(0, len(docs)).Draw(t, "half")
		if got := digestOf(t, s, docs[:half]).Plus(digestOf(t, s, docs[half:])); got != all {
			t.Fatalf("the digests of two models add up to %x, that of both is %x", got, all)
		}
		var renamed, moving []modeltest.Document
		for _, d := range docs {
			if d.Label == "a" {
				moving = append(moving, d)
				d.Label = "b"
			}
			renamed = append(renamed, d)
		}
		before := digestOf(t, s, moving)
		moved := digestOf(t, s, renamed).Minus(all.Minus(before))
		if moved.Times(digest.HashString("a")) != before.Times(digest.HashString("b")) {
			t.Fatal("a class that becomes another one does not keep its digest but for the name")
		}
	})
}

// Every count shows in the digest.
func TestDigestTellsCounts(t *testing.T) {
	eachDigested(t, func(t *rapid.T, s *spec.Spec, docs []modeltest.Document) {
		a, b := model.New(s), model.New(s)
		apply(t, a, 1, docs)
		apply(t, b, 1, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) modeltest.Document {
			return drawDocument(t, []string{"a", "b", "c"})
		}), 0, 8).Draw(t, "others"))
		equal := modeltest.Dump(a) == modeltest.Dump(b)
		if equal != (a.Digest() == b.Digest()) {
			t.Fatalf("digests %x and %x of\n%sand\n%s", a.Digest(), b.Digest(), modeltest.Dump(a), modeltest.Dump(b))
		}
	})
}
