package modeltest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"

	"pgregory.net/rapid"
)

// Document is a labelled document.
type Document struct {
	Label    string
	Weight   int64
	Features *model.Features
}

// Learn applies each document as one delta; with the sign -1 it unlearns them.
func Learn(t tester, m *model.Model, sign int64, docs ...Document) {
	t.Helper()
	for _, d := range docs {
		b := model.NewBuilder(m.Spec())
		b.Observe(d.Label, sign*d.Weight, d.Features)
		if err := m.Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
	}
}

// Dump returns every count as text.
func Dump(m *model.Model) string {
	var b strings.Builder
	if err := m.Dump(&b); err != nil {
		panic(err) // a strings.Builder does not fail
	}
	return b.String()
}

// Decide returns the decision on a document, with all evidence.
func Decide(m *model.Model, f *model.Features) *model.Decision {
	var d model.Decision
	model.NewScorer().Decide(&d, m, f, "id", model.Options{})
	return &d
}

// Laws checks the laws of every event model on random documents of the spec; draw returns a
// document with one of the labels.
//
//   - the order of learning does not matter, nor does the split into deltas;
//   - unlearning inverts learning, to the integer;
//   - posteriors are finite, between 0 and 1, and sum to 1;
//   - evidence adds up to the margin;
//   - renaming the classes permutes the answer;
//   - terms that no class has seen do not vote.
func Laws(t *testing.T, s *spec.Spec, draw func(t *rapid.T, labels []string) Document) {
	labels := []string{"a", "b", "c"}
	rapid.Check(t, func(t *rapid.T) {
		docs := make([]Document, rapid.IntRange(0, 12).Draw(t, "documents"))
		for i := range docs {
			docs[i] = draw(t, labels)
		}
		probe := draw(t, labels).Features
		m := learned(t, s, docs)
		lawPosterior(t, s, m, probe)
		lawUnseen(t, m, probe)
		lawRenaming(t, s, m, docs, probe)
		lawOrder(t, s, m, docs)
		lawUnlearning(t, s, m, docs)
	})
}

func learned(t *rapid.T, s *spec.Spec, docs []Document) *model.Model {
	m := model.New(s)
	Learn(t, m, 1, docs...)
	return m
}

func lawOrder(t *rapid.T, s *spec.Spec, m *model.Model, docs []Document) {
	want := Dump(m)
	if got := Dump(learned(t, s, rapid.Permutation(docs).Draw(t, "order"))); got != want {
		t.Fatalf("in another order:\n%swant\n%s", got, want)
	}
	b := model.NewBuilder(s)
	for _, d := range docs {
		b.Observe(d.Label, d.Weight, d.Features)
	}
	once := model.New(s)
	if err := once.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	if got := Dump(once); got != want {
		t.Fatalf("as one delta:\n%swant\n%s", got, want)
	}
}

// lawUnlearning takes documents out of the model, which the other laws do not change.
func lawUnlearning(t *rapid.T, s *spec.Spec, m *model.Model, docs []Document) {
	n := rapid.IntRange(0, len(docs)).Draw(t, "kept")
	Learn(t, m, -1, rapid.Permutation(docs[n:]).Draw(t, "order")...)
	want := Dump(learned(t, s, docs[:n]))
	if got := Dump(m); got != want {
		t.Fatalf("after unlearning:\n%swant as if never learned\n%s", got, want)
	}
	for _, table := range m.Tables() {
		if err := table.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := m.Digest(), PlainDigest(m); got != want {
		t.Fatalf("the digest is %x, the digest of the counts %x", got, want)
	}
}

func lawPosterior(t *rapid.T, s *spec.Spec, m *model.Model, probe *model.Features) {
	d := Decide(m, probe)
	if len(d.Classes) == 0 {
		if d.Labelled || d.Status != model.StatusEmpty {
			t.Fatalf("without classes: got %+v", d)
		}
		return
	}
	sum := 0.0
	priors := map[string]float64{}
	for _, c := range d.Classes {
		if math.IsNaN(c.LogPosterior) || math.IsInf(c.LogPosterior, 0) || c.LogPosterior > 0 || c.Posterior < 0 ||
			c.Posterior > 1 {
			t.Fatalf("class %q: log posterior %v, posterior %v", c.Name, c.LogPosterior, c.Posterior)
		}
		sum += c.Posterior
		priors[c.Name] = c.LogPrior
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Fatalf("posteriors sum to %v", sum)
	}
	evidence := d.Rest
	for _, e := range d.Evidence {
		evidence += e.Weight
	}
	if !d.HasMargin {
		return
	}
	// Log densities of very small variances are so large that their last digit is more than 1e-9.
	tolerance := 1e-9
	for _, j := range model.NewScorer().Joint(m, probe, model.Options{}) {
		tolerance = max(tolerance, 1e-12*math.Abs(j))
	}
	if got := priors[d.Label] - priors[d.RunnerUp] + evidence; math.Abs(got-d.Margin) > tolerance {
		t.Fatalf("prior and evidence add up to %v, the margin is %v", got, d.Margin)
	}
	if s.Text == nil || s.Text.Likelihood != spec.Bernoulli {
		if math.Abs(d.Rest) > tolerance {
			t.Fatalf("with all evidence shown the rest is %v, want 0", d.Rest)
		}
	}
}

func lawRenaming(t *rapid.T, s *spec.Spec, m *model.Model, docs []Document, probe *model.Features) {
	rename := map[string]string{"a": "z", "b": "y", "c": "x"}
	renamed := *s
	renamed.Classes = nil
	for _, class := range s.Classes {
		renamed.Classes = append(renamed.Classes, rename[class])
	}
	renamed.Prior.Given = map[string]float64{}
	for class, v := range s.Prior.Given {
		renamed.Prior.Given[rename[class]] = v
	}
	other := make([]Document, len(docs))
	for i, d := range docs {
		d.Label = rename[d.Label]
		other[i] = d
	}
	want := map[string]float64{}
	for _, c := range Decide(m, probe).Classes {
		want[rename[c.Name]] = c.LogPosterior
	}
	for _, c := range Decide(learned(t, &renamed, other), probe).Classes {
		if math.Abs(c.LogPosterior-want[c.Name]) > 1e-9*max(1, math.Abs(want[c.Name])) {
			t.Fatalf("class %q: got %v, want %v", c.Name, c.LogPosterior, want[c.Name])
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Fatalf("classes are missing: %v", want)
	}
}

func lawUnseen(t *rapid.T, m *model.Model, probe *model.Features) {
	want := fmt.Sprint(Decide(m, probe).Classes)
	more := *probe
	for i := range rapid.IntRange(1, 5).Draw(t, "unseen") {
		more.Bag.Add(fmt.Appendf(nil, "never-seen-%d", i))
	}
	if got := fmt.Sprint(Decide(m, &more).Classes); got != want {
		t.Fatalf("terms that no class has seen changed %s to %s", want, got)
	}
}

// EndWith lets a bag end with a word, and begin with it if it began with none. The shape of the
// document has the word, too, which is none if it has a digit.
func EndWith(b *bow.Bag, word string) {
	number := b.Lexicon().Number([]byte(word))
	b.SetEdges(number, number)
	nonwords := 0
	if strings.ContainsAny(word, "0123456789") {
		nonwords = 1
	}
	b.AddShape(len(word), nonwords)
}
