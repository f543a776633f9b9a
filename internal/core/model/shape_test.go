package model_test

import (
	"math"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
)

func document(label, words string) modeltest.Document {
	f := &model.Features{}
	for w := range strings.FieldsSeq(words) {
		f.Bag.Add([]byte(w))
		modeltest.EndWith(&f.Bag, w)
	}
	return modeltest.Document{Label: label, Weight: 1, Features: f}
}

// With shape: true the number of tokens, the longest one and those that are no words vote, also
// where no word is known or there is none, and stand in the evidence.
func TestShapeDecides(t *testing.T) {
	documents := []modeltest.Document{
		document("ham", "a"), document("ham", "b"), document("ham", "a b c d"), document("ham", ""),
		document("spam", "a b c e f"), document("spam", "c d a b"), document("spam", "a a a 7777"), document("spam", "b"),
	}
	// By class, of three lengths, three longest tokens and two numbers of those that are no words;
	// longer ones do not vote.
	one := map[string]float64{"length 1": math.Log((2.0 + 1) / (1 + 1)), "nonwords 0": math.Log((4.0 + 1) / (3 + 1))}
	none := map[string]float64{"length 0": math.Log((1.0 + 1) / (0 + 1)), "longest 0": math.Log((1.0 + 1) / (0 + 1)), "nonwords 0": math.Log((4.0 + 1) / (3 + 1))}
	four := map[string]float64{"length 1": one["length 1"], "longest 4-5": math.Log((0.0 + 1) / (1 + 1)), "nonwords 1": math.Log((0.0 + 1) / (1 + 1))}
	for yaml, votes := range map[string]bool{
		"text: {shape: true}": true, "text: {shape: true, likelihood: bernoulli, alpha: 1e9}": true, "text: {shape: true, likelihood: one_vs_all}": true, "text: {shape: false}": false,
	} {
		m := model.New(modeltest.Spec(t, yaml+"\ndecision: {min_documents: 0}"))
		modeltest.Learn(t, m, 1, documents...)
		for text, want := range map[string]map[string]float64{"unheard": one, "": none, "8888": four} {
			d := modeltest.Decide(m, document("", text).Features)
			if !votes {
				want = nil
			}
			sign := 1.0
			if d.Label == "spam" {
				sign = -1
			}
			found := map[string]float64{}
			for _, e := range d.Evidence {
				found[e.Block+" "+e.Value] = sign * e.Weight
			}
			sum := 0.0
			for value, weight := range want {
				sum += weight
				if got, ok := found[value]; !ok || math.Abs(got-weight) > 1e-12 {
					t.Errorf("%s: %q: %s weighs %v, want %v", yaml, text, value, got, weight)
				}
			}
			if d.Status != model.StatusEmpty || d.Known != 0 || len(found) != len(want) || math.Abs(sign*d.Margin-sum-sign*d.Rest) > 1e-12 {
				t.Errorf("%s: %q: %+v, want no word to be known and the evidence %v", yaml, text, d, want)
			}
		}
	}
}

// With edges: true the first and the last word vote, each by the documents that have it there, and
// stand in the evidence with what they are.
func TestEdgesDecide(t *testing.T) {
	documents := []modeltest.Document{
		document("ham", "i like it"), document("ham", "i go"), document("ham", ""), document("spam", "go i"), document("spam", "like i"), document("spam", "i"),
	}
	for yaml, edges := range map[string]bool{
		"text: {edges: true}\ndecision: {min_documents: 0}":                         true,
		"text: {edges: true, likelihood: bernoulli}\ndecision: {min_documents: 0}":  true,
		"text: {edges: true, likelihood: complement}\ndecision: {min_documents: 0}": true,
		"text: {edges: true, shape: true}\ndecision: {min_documents: 0}":            true,
		"text: {shape: true}\ndecision: {min_documents: 0}":                         false,
	} {
		m := model.New(modeltest.Spec(t, yaml))
		modeltest.Learn(t, m, 1, documents...)
		found := map[string]model.Evidence{}
		d := modeltest.Decide(m, document("", "i never like unheard").Features)
		sum := 0.0
		for _, e := range d.Evidence {
			sum += e.Weight
			if e.Block != "" {
				found[e.Block+" "+e.Value] = e
			}
		}
		// Two hams and a spam of two hams and three spams with a text begin with i, of the three words
		// that a text begins with.
		sign := 1.0
		if d.Label == "spam" {
			sign = -1
		}
		want := sign * math.Log((2.0+1)/(2+3)/((1.0+1)/(3+3)))
		first, ok := found["first i"]
		if ok != edges || edges && math.Abs(first.Weight-want) > 1e-12 {
			t.Errorf("%s: %+v, want the first word to weigh %v: %v", yaml, d.Evidence, want, edges)
		}
		if _, ok := found["last unheard"]; ok {
			t.Errorf("%s: a word that no text ends with votes: %+v", yaml, d.Evidence)
		}
		prior := d.Classes[0].LogPrior - d.Classes[1].LogPrior
		if math.Abs(d.Margin-sign*prior-sum-d.Rest) > 1e-12 {
			t.Errorf("%s: the margin is %v, and its parts add up to %v", yaml, d.Margin, sign*prior+sum+d.Rest)
		}
		for _, e := range modeltest.Decide(m, &model.Features{}).Evidence {
			if !model.IsShape(e.Block) {
				t.Errorf("%s: a text of no token begins with a word: %+v", yaml, e)
			}
		}
	}
}

// Where the tables of the ends are full, what they did not admit can be taken out.
func TestEdgesOfAFullTable(t *testing.T) {
	m := model.New(modeltest.Spec(t, "limits: {terms: 1}\nscoring: {}"))
	documents := []modeltest.Document{document("ham", "a b"), document("spam", "c d"), document("ham", "a e")}
	for _, sign := range []int64{1, -1} {
		modeltest.Learn(t, m, sign, documents...)
	}
	if n := m.ValuesOf("first").Vocabulary() + m.ValuesOf("last").Vocabulary(); n != 0 {
		t.Errorf("%d words are left", n)
	}
}

// The shape of a text is taken out with its document.
func TestShapeIsUnlearned(t *testing.T) {
	s := modeltest.Spec(t, "text: {shape: true}")
	m := model.New(s)
	kept := []modeltest.Document{document("ham", "a b"), document("spam", "c")}
	gone := []modeltest.Document{document("ham", "a b c d e f g 80"), document("spam", "c")}
	want := model.New(s)
	modeltest.Learn(t, m, 1, kept...)
	modeltest.Learn(t, m, 1, gone...)
	modeltest.Learn(t, m, -1, gone...)
	modeltest.Learn(t, want, 1, kept...)
	left := [...]int{m.ValuesOf("length").Vocabulary(), m.ValuesOf("longest").Vocabulary(), m.ValuesOf("nonwords").Vocabulary()}
	if m.Digest() != want.Digest() || left != [...]int{2, 1, 1} {
		t.Errorf("%d sizes are left, want 2, 1 and 1; digest %v, want %v", left, m.Digest(), want.Digest())
	}
}

// What is counted of a text beside its terms has no bounds, and is taken out as it was put in.
func TestShapeHasNoBounds(t *testing.T) {
	s := modeltest.Spec(t, "text: {cap: 1, shape: true, edges: true, language: none, stem: false}\nlimits: {terms_per_document: 2}")
	x, err := model.NewExtractor(s)
	if err != nil {
		t.Fatal(err)
	}
	f := &model.Features{}
	x.Extract(f, &model.Input{Segments: []model.Segment{{Text: []byte("a 50 50 longest mail to a@b.example")}}})
	m := model.New(s)
	for i, want := range []string{"2", "8-11", "4-5", "a", "<mail>"} {
		if read, counted := m.Value(f, i); read != want || string(counted) != want || !f.Bag.Cut() {
			t.Errorf("the text is %q, and counts as %q, want %q", read, counted, want)
		}
	}
	document := modeltest.Document{Label: "ham", Weight: 3, Features: f}
	modeltest.Learn(t, m, 1, document)
	if n := m.ValuesOf("last").Total(0); n != 3 {
		t.Errorf("%d last words are counted, want 3", n)
	}
	modeltest.Learn(t, m, -1, document)
	if m.Digest() != model.New(s).Digest() {
		t.Error("something of it is left")
	}
}

// Sublinear, a word that comes four times weighs 1 + ln 4.
func TestSublinearEvidence(t *testing.T) {
	m := model.New(modeltest.Spec(t, "text: {sublinear: true}"))
	modeltest.Learn(t, m, 1, document("a", "x x y"), document("b", "y z"))
	d := modeltest.Decide(m, document("", "x x x x").Features)
	want := (1 + math.Log(4)) * math.Log((2.0+1)/(3+3)/(1.0/(2+3)))
	if len(d.Evidence) != 1 || d.Evidence[0].Count != 4 || math.Abs(d.Evidence[0].Weight-want) > 1e-12 || math.Abs(d.Margin-want) > 1e-12 {
		t.Errorf("%+v, want a weight and a margin of %v", d.Evidence, want)
	}
}

// The first word and the last one are counted apart: who begins as ham does and ends as ham does is
// ham, by both.
func TestFirstIsNotLast(t *testing.T) {
	m := model.New(modeltest.Spec(t, "text: {edges: true}\ndecision: {min_documents: 0}"))
	documents := []modeltest.Document{document("ham", "a c b"), document("ham", "a d b"), document("spam", "b c a"), document("spam", "b d a")}
	modeltest.Learn(t, m, 1, documents...)
	for text, want := range map[string]string{"a b": "ham", "b a": "spam"} {
		d := modeltest.Decide(m, document("", text).Features)
		ends := map[string]float64{}
		for _, e := range d.Evidence {
			if e.Block != "" {
				ends[e.Block+" "+e.Value] = e.Weight
			}
		}
		first, last, _ := strings.Cut(text, " ")
		weight := math.Log((2.0 + 1) / (0 + 1))
		if d.Label != want || len(ends) != 2 || math.Abs(ends["first "+first]-weight) > 1e-12 || math.Abs(ends["last "+last]-weight) > 1e-12 {
			t.Errorf("%q is %s by %v, want %s and %v for each end", text, d.Label, ends, want, weight)
		}
	}
}
