package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// of returns a document with values of categories; an empty one is missing.
func of(values ...string) *model.Features {
	f := &model.Features{}
	for _, v := range values {
		f.Categories = append(f.Categories, model.Category{Value: []byte(v), Present: v != ""})
	}
	return f
}

// twoTables is a spec of categories x and y with alpha 0.
const twoTables = "categories: [{field: x, alpha: 0}, {field: y, alpha: 0}]\n"

// tables returns a model that has learned documents.
func tables(t interface {
	Helper()
	Fatal(args ...any)
}, s *spec.Spec, docs ...modeltest.Document) *model.Model {
	m := model.New(s)
	modeltest.Learn(t, m, 1, docs...)
	return m
}

// product returns P(class) times the shares of the values among the documents of the class, as a
// textbook does it.
func product(docs []modeltest.Document, class string, probe *model.Features) float64 {
	share := func(keeps, counts func(d *modeltest.Document) bool) float64 {
		n, k := 0.0, 0.0
		for i := range docs {
			if keeps(&docs[i]) {
				n++
				if counts(&docs[i]) {
					k++
				}
			}
		}
		return k / n
	}
	p := share(func(*modeltest.Document) bool { return true }, func(d *modeltest.Document) bool { return d.Label == class })
	for i := range probe.Categories {
		want := string(probe.Categories[i].Value)
		p *= share(func(d *modeltest.Document) bool { return d.Label == class }, func(d *modeltest.Document) bool { return string(d.Features.Categories[i].Value) == want })
	}
	return p
}

// withoutNaN fails the test for a number that is not, other than the infinite ones of a class that
// is ruled out.
func withoutNaN(t interface {
	Fatalf(format string, args ...any)
}, d *model.Decision) {
	numbers := []float64{d.Margin, d.Rest}
	for _, c := range d.Classes {
		numbers = append(numbers, c.Posterior, c.LogPosterior, c.LogPrior, c.Risk)
	}
	for _, e := range d.Evidence {
		numbers = append(numbers, e.Weight)
	}
	for _, x := range numbers {
		if math.IsNaN(x) {
			t.Fatalf("NaN in %+v", d)
		}
	}
}

// With alpha 0 the posteriors are those of the products of the table, whatever classes a value
// rules out.
func TestTablesWithoutSmoothing(t *testing.T) {
	for _, losses := range []string{"", "decision: {loss: {a: {b: 0, c: 0}}, reject: 0.1}"} {
		s := modeltest.Spec(t, twoTables+losses)
		rapid.Check(t, func(t *rapid.T) {
			letter := rapid.SampledFrom([]string{"p", "q", "r"})
			var docs []modeltest.Document
			for i := range rapid.IntRange(3, 12).Draw(t, "documents") {
				label := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "label")
				docs = append(docs, modeltest.Document{Label: label, Weight: 1, Features: of(letter.Draw(t, fmt.Sprint("x", i)), letter.Draw(t, fmt.Sprint("y", i)))})
			}
			m := tables(t, s, docs...)
			used := rapid.SampledFrom(docs)
			probe := of(string(used.Draw(t, "x").Features.Categories[0].Value), string(used.Draw(t, "y").Features.Categories[1].Value))
			var d model.Decision
			model.NewScorer().Decide(&d, m, probe, "", model.Options{Evidence: rapid.IntRange(-1, 2).Draw(t, "evidence")})
			withoutNaN(t, &d)
			sum := 0.0
			for _, c := range d.Classes {
				sum += product(docs, c.Name, probe)
			}
			if possible := sum > 0; possible != d.Labelled || possible == (d.Status == model.StatusImpossible) {
				t.Fatalf("the products add up to %v: got %+v", sum, d)
			}
			for _, c := range d.Classes {
				p := product(docs, c.Name, probe)
				if p == 0 && (c.Posterior != 0 || !math.IsInf(c.LogPosterior, -1)) || p > 0 && math.Abs(c.Posterior-p/sum) > 1e-12 {
					t.Fatalf("class %s: got %v, want %v of %v", c.Name, c, p, sum)
				}
			}
		})
	}
}

// A class that is ruled out is infinitely far behind, by the value that does it; a document that
// all classes rule out has no label.
func TestImpossible(t *testing.T) {
	m := tables(t, modeltest.Spec(t, twoTables),
		modeltest.Document{Label: "a", Weight: 1, Features: of("p", "u")}, modeltest.Document{Label: "a", Weight: 1, Features: of("p", "v")},
		modeltest.Document{Label: "b", Weight: 1, Features: of("p", "v")}, modeltest.Document{Label: "b", Weight: 1, Features: of("q", "v")})
	d := modeltest.Decide(m, of("p", "u"))
	if d.Label != "a" || d.Classes[0].Posterior != 1 || !math.IsInf(d.Margin, 1) || d.Rest != 0 || len(d.Evidence) != 2 || d.Evidence[0].Fields[0] != "y" || !math.IsInf(d.Evidence[0].Weight, 1) {
		t.Errorf("b never had u: got %+v", d)
	}
	d = modeltest.Decide(m, of("q", "u"))
	if d.Labelled || d.Label != "" || d.Status != model.StatusImpossible || d.Confidence() != 0 || len(d.Classes) != 2 || d.HasMargin {
		t.Errorf("a never had q, and b never u: got %+v", d)
	}
}

// Of a class in which no document has the field the table says nothing: the field does not vote,
// and is a problem.
func TestTableWithoutDocuments(t *testing.T) {
	m := tables(t, modeltest.Spec(t, twoTables),
		modeltest.Document{Label: "a", Weight: 1, Features: of("p", "u")}, modeltest.Document{Label: "b", Weight: 1, Features: of("", "u")})
	d := modeltest.Decide(m, of("p", "u"))
	withoutNaN(t, d)
	if d.Classes[0].Posterior != 0.5 || len(d.Evidence) != 1 || d.Evidence[0].Fields[0] != "y" {
		t.Errorf("got %+v", d)
	}
	if got := strings.Join(m.Problems(), "\n"); got != `categories[0] (x) cannot be evaluated for class "b": no document of it has the field, and alpha is 0` {
		t.Errorf("got %s", got)
	}
}
