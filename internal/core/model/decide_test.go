package model_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

// sameValue returns a model of documents that all have one value of one category: whatever the
// class, it is certain, so that the posterior is the prior and a decision can be worked out by
// hand.
func sameValue(t *testing.T, scoring string, documents map[string]int64) (*model.Model, *model.Features) {
	t.Helper()
	m := model.New(modeltest.Spec(t, "categories: [{field: k}]\n"+scoring))
	f := &model.Features{Categories: []model.Category{{Value: []byte("v"), Present: true}}}
	for label, n := range documents {
		modeltest.Learn(t, m, 1, modeltest.Document{Label: label, Weight: n, Features: f})
	}
	return m, f
}

func many(labels ...string) map[string]int64 {
	out := map[string]int64{}
	for _, l := range labels {
		out[l] = 100
	}
	return out
}

const belief = "prior: {a: 0.5, b: 0.3, c: 0.2}\n"

// TestRiskOfEachAction: the risk of deciding k is sum P(c) loss[c][k], unlisted losses being 1 and
// those of the truth 0, and the least of them decides, be it that of an unlikely class. Without
// loss and reject nobody asks.
func TestRiskOfEachAction(t *testing.T) {
	for _, c := range []struct {
		decision string
		risks    [3]float64
		label    string
		runnerUp string
		has      bool
	}{
		{"{}", [3]float64{}, "a", "b", false},
		{"{reject: 0.9}", [3]float64{0.5, 0.7, 0.8}, "a", "b", true},
		{"{loss: {}}", [3]float64{}, "a", "b", false},
		{"{loss: {a: {b: 1}}}", [3]float64{0.5, 0.7, 0.8}, "a", "b", true},
		{"{loss: {b: {a: 10}}}", [3]float64{3.2, 0.7, 0.8}, "b", "a", true},
		{"{loss: {a: {c: 0.1}, b: {c: 0.2}}}", [3]float64{0.5, 0.7, 0.11}, "c", "a", true},
		{"{loss: {a: {a: 2, b: 4}, b: {a: 0, c: 0.5}, c: {b: 3, c: 0.25}}}", [3]float64{0.5*2 + 0 + 0.2, 0.5*4 + 0 + 0.2*3, 0.5 + 0.3*0.5 + 0.2*0.25}, "c", "a", true},
		{"{loss: {nobody: {a: 100}, a: {nobody: 100}}}", [3]float64{0.5, 0.7, 0.8}, "a", "b", true},
	} {
		m, f := sameValue(t, belief+"decision: "+c.decision, many("a", "b", "c"))
		d := modeltest.Decide(m, f)
		for i, want := range c.risks {
			if got := d.Classes[i].Risk; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: the risk of %s is %v, want %v", c.decision, d.Classes[i].Name, got, want)
			}
		}
		if d.Label != c.label || d.RunnerUp != c.runnerUp || d.HasRisk != c.has || d.Status != model.StatusOK {
			t.Errorf("%s: got %s before %s, has risks %v, status %s; want %s before %s, %v, ok", c.decision, d.Label, d.RunnerUp, d.HasRisk, d.Status, c.label, c.runnerUp, c.has)
		}
		posterior := map[string]float64{"a": 0.5, "b": 0.3, "c": 0.2}
		if want := math.Log(posterior[c.label] / posterior[c.runnerUp]); math.Abs(d.Margin-want) > 1e-12 {
			t.Errorf("%s: the margin is %v, want %v: it compares posteriors, whatever mistakes cost", c.decision, d.Margin, want)
		}
	}
}

// TestRejectOption: a decision that costs more than none is unsure, and still names its label.
func TestRejectOption(t *testing.T) {
	for _, c := range []struct {
		decision, label, status string
	}{
		{"{}", "a", model.StatusOK},
		{"{reject: 0.6}", "a", model.StatusOK},
		{"{reject: 0.4}", "a", model.StatusUnsure},
		{"{reject: 0}", "a", model.StatusUnsure},
		{"{reject: 0.6, loss: {b: {a: 10}}}", "b", model.StatusUnsure},
		{"{reject: 0.8, loss: {b: {a: 10}}}", "b", model.StatusOK},
	} {
		m, f := sameValue(t, belief+"decision: "+c.decision, many("a", "b", "c"))
		if d := modeltest.Decide(m, f); d.Label != c.label || d.Status != c.status {
			t.Errorf("%s: got %s, %s; want %s, %s", c.decision, d.Label, d.Status, c.label, c.status)
		}
	}
}

// TestRejectingNothingCertain: with one class there is no risk, and a reject option of 0 rejects
// nothing.
func TestRejectingNothingCertain(t *testing.T) {
	m, f := sameValue(t, "decision: {reject: 0}", many("only"))
	d := modeltest.Decide(m, f)
	if d.Status != model.StatusOK || d.Label != "only" || d.HasMargin || d.RunnerUp != "" || d.Classes[0].Posterior != 1 || d.Classes[0].Risk != 0 {
		t.Errorf("got %+v", d)
	}
}

// TestTiesFirst: of classes that are equally good the first by name is decided for, in whatever
// order they were learned.
func TestTiesFirst(t *testing.T) {
	for _, c := range []struct{ scoring, label string }{
		{"prior: uniform", "a"},
		{"prior: {a: 0.2, b: 0.4, c: 0.4}", "b"},
		{"prior: uniform\ndecision: {loss: {b: {a: 3}, c: {a: 3}}}", "b"},
		{"prior: uniform\ndecision: {loss: {a: {b: 2, c: 2}, b: {a: 2}, c: {a: 2}}}", "b"},
	} {
		m, f := sameValue(t, c.scoring, many("c", "b", "a"))
		if d := modeltest.Decide(m, f); d.Label != c.label {
			t.Errorf("%s: got %s, want %s", c.scoring, d.Label, c.label)
		}
	}
}

// TestTiesAtRandom: the id draws, the same each time, and all tied classes get their share.
func TestTiesAtRandom(t *testing.T) {
	m, f := sameValue(t, "prior: {a: 0.3, b: 0.3, c: 0.3, d: 0.1}\ndecision: {ties: random}", many("a", "b", "c", "d"))
	one, other := model.NewScorer(), model.NewScorer()
	count := map[string]int{}
	var d, again model.Decision
	const n = 3000
	for i := range n {
		id := fmt.Sprintf("documents/0/%d", i)
		one.Decide(&d, m, f, id, model.Options{})
		other.Decide(&again, m, f, id, model.Options{})
		if d.Label != again.Label {
			t.Fatalf("%s: %s once, %s the next time", id, d.Label, again.Label)
		}
		count[d.Label]++
	}
	for _, c := range []string{"a", "b", "c"} {
		if math.Abs(float64(count[c])-n/3) > 0.1*n/3 {
			t.Errorf("of %d ties %s won %d, want about a third", n, c, count[c])
		}
	}
	if count["d"] > 0 {
		t.Errorf("d won %d times, which is less likely", count["d"])
	}
	// These draws are pinned: replicas of two versions must agree.
	for id, want := range map[string]string{"": "c", "documents/0/0": "c", "documents/0/1": "c", "an id": "b"} {
		if one.Decide(&d, m, f, id, model.Options{}); d.Label != want {
			t.Errorf("id %q draws %s, want %s", id, d.Label, want)
		}
	}
}

// TestStatusesInOrder: the first that holds is given.
func TestStatusesInOrder(t *testing.T) {
	known := []model.Category{{Value: []byte("v"), Present: true}}
	unknown := []model.Category{{Value: []byte("never seen"), Present: true}}
	for _, c := range []struct {
		name       string
		documents  map[string]int64
		reject     float64
		categories []model.Category
		want       string
	}{
		{"no class", nil, 0, known, model.StatusEmpty},
		{"nothing known, young, too risky", map[string]int64{"a": 1, "b": 1}, 0, unknown, model.StatusEmpty},
		{"a missing value", many("a", "b"), 1, []model.Category{{}}, model.StatusEmpty},
		{"young and too risky", map[string]int64{"a": 100, "b": 19}, 0, known, model.StatusCold},
		{"a young runner-up", map[string]int64{"a": 100, "b": 19}, 1, known, model.StatusCold},
		{"a young label", map[string]int64{"a": 19, "b": 1}, 1, known, model.StatusCold},
		{"old enough, too risky", map[string]int64{"a": 100, "b": 20}, 0, known, model.StatusUnsure},
		{"a young third", map[string]int64{"a": 100, "b": 20, "c": 1}, 1, known, model.StatusOK},
		{"one young class", map[string]int64{"a": 19}, 1, known, model.StatusCold},
		{"one class", map[string]int64{"a": 20}, 1, known, model.StatusOK},
	} {
		m, _ := sameValue(t, fmt.Sprintf("decision: {reject: %v}", c.reject), c.documents)
		if d := modeltest.Decide(m, &model.Features{Categories: c.categories}); d.Status != c.want {
			t.Errorf("%s: got %s, want %s", c.name, d.Status, c.want)
		}
	}
}

// TestPriors gives what each kind of prior says of the classes that are there.
func TestPriors(t *testing.T) {
	documents := map[string]int64{"a": 60, "b": 30, "c": 10}
	all := func(a, b, c float64) map[string]float64 { return map[string]float64{"a": a, "b": b, "c": c} }
	for _, c := range []struct {
		spec      string
		documents map[string]int64
		override  map[string]float64
		want      map[string]float64
	}{
		{"empirical", documents, nil, all(0.6, 0.3, 0.1)},
		{"uniform", documents, nil, all(1./3, 1./3, 1./3)},
		{"{a: 0.5, b: 0.3, c: 0.2}", documents, nil, all(0.5, 0.3, 0.2)},
		{"{a: 5, b: 3, c: 2}", documents, nil, all(0.5, 0.3, 0.2)},
		{"{a: 0.5, b: 0.3, c: 0.2}", map[string]int64{"a": 1, "b": 9}, nil, map[string]float64{"a": 5. / 8, "b": 3. / 8}},
		{"{a: 0.6, b: 0.2}", documents, nil, all(0.6, 0.2, 0.2)}, // c gets the smallest that is named
		{"{a: 0.6, elsewhere: 0.2}", documents, nil, all(0.6, 0.2, 0.2)},
		{"{pseudo: {a: 10, b: 20, c: 70}}", documents, nil, all(0.35, 0.25, 0.4)},
		{"{pseudo: {a: 0.5}}", documents, nil, all(60.5/100.5, 30/100.5, 10/100.5)},
		{"empirical", documents, all(0.5, 0.3, 0.2), all(0.5, 0.3, 0.2)},
		{"{a: 0.5, b: 0.3, c: 0.2}", documents, all(2, 2, 4), all(0.25, 0.25, 0.5)},
		{"uniform", documents, map[string]float64{"a": 0.6, "b": 0.2, "elsewhere": 7}, all(0.6, 0.2, 0.2)},
		{"{a: 1e308, b: 1e308, c: 1e308}", documents, nil, all(1./3, 1./3, 1./3)}, // their sum is no float
		{"uniform", documents, all(1.5e308, 1.5e308, 5e-324), all(0.5, 0.5, 0)},
	} {
		m, f := sameValue(t, "prior: "+c.spec, c.documents)
		var d model.Decision
		model.NewScorer().Decide(&d, m, f, "", model.Options{Prior: c.override})
		if len(d.Classes) != len(c.want) {
			t.Errorf("%s: %d classes, want %d", c.spec, len(d.Classes), len(c.want))
		}
		for _, class := range d.Classes {
			if got, want := math.Exp(class.LogPrior), c.want[class.Name]; !(math.Abs(got-want) < 1e-12) || math.IsInf(class.LogPrior, 0) {
				t.Errorf("%s, %v: P(%s) is %v, want %v", c.spec, c.override, class.Name, got, want)
			}
			if got, want := class.Posterior, c.want[class.Name]; !(math.Abs(got-want) < 1e-12) {
				t.Errorf("%s, %v: P(%s|x) is %v, want %v: nothing else speaks", c.spec, c.override, class.Name, got, want)
			}
		}
	}
}

// Where one class has documents, the others that the prior names take part without: their terms are
// as likely as smoothing makes them.
func TestExpectedClassTakesPart(t *testing.T) {
	spams := []modeltest.Document{document("spam", "free prize"), document("spam", "free money"), document("spam", "free")}
	text := document("", "free prize unknown").Features
	ham := document("ham", "money")
	for _, f := range []*model.Features{spams[0].Features, spams[1].Features, spams[2].Features, text, ham.Features} {
		f.Numbers = make([]model.Number, 1) // absent
		f.Categories = make([]model.Category, 1)
	}
	for _, c := range []struct {
		spec string
		want float64 // odds of spam against ham
	}{
		// Of 5 tokens of spam 3 are free and 1 is prize; there are 3 terms.
		{"prior: {ham: 1, spam: 1}\ntext: {alpha: 1}", (4. / 8 * 2. / 8) / (1. / 3 * 1. / 3)},
		{"prior: {ham: 1, spam: 1}\ntext: {alpha: 1}\ndecision: {min_documents: 0}", (4. / 8 * 2. / 8) / (1. / 3 * 1. / 3)},
		{"prior: {ham: 1, spam: 3}\ntext: {alpha: 1}", (4. / 8 * 2. / 8) / (1. / 3 * 1. / 3) * 3},
		{"prior: {pseudo: {ham: 2, spam: 1}}\ntext: {alpha: 1}", (4. / 8 * 2. / 8) / (1. / 3 * 1. / 3) * 4 / 2},
		{"prior: uniform\nclasses: [ham, spam]\ntext: {alpha: 0.5}", (3.5 / 6.5 * 1.5 / 6.5) / (1. / 3 * 1. / 3)},
		// no text was of three tokens
		{"prior: {ham: 1, spam: 1}\ntext: {alpha: 1, shape: true}", (4. / 8 * 2. / 8) / (1. / 3 * 1. / 3)},
		{"prior: {ham: 1, spam: 1}\ntext: {alpha: 1, likelihood: bernoulli}", (4. / 5 * 2. / 5 * 3. / 5) / (1. / 8)},
		{"prior: {ham: 1, spam: 1}\nscoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: multinomial, alpha: 0.1}]}", math.Pow((4./8*2./8)/(1./3*1./3), 0.707125/math.Sqrt2)}, // of two known tokens
		{"prior: {ham: 1, spam: 1}\ncategories: [{field: k, alpha: 1}]\ntext: {alpha: 1}", (4. / 8 * 2. / 8) / (1. / 3 * 1. / 3)},
		{"prior: uniform\ntext: {alpha: 1}", 0},
		{"prior: {ham: 1, spam: 1}\nnumbers: [{fields: [x]}]\ntext: {alpha: 1}", 0},
		{"prior: {ham: 1, spam: 1}\ncategories: [{field: k, alpha: 0}]\ntext: {alpha: 1}", 0},
	} {
		m := model.New(modeltest.Spec(t, c.spec))
		if m.ClassNames() == nil { // in JSON it would be null
			t.Errorf("%s: there is no list of classes", c.spec)
		}
		if d := modeltest.Decide(m, text); d.Labelled || len(d.Classes) > 0 {
			t.Errorf("%s: %+v of a model that has learned nothing", c.spec, d)
		}
		modeltest.Learn(t, m, 1, spams...)
		d := modeltest.Decide(m, text)
		if len(m.ClassNames()) != max(1, len(d.Classes)) {
			t.Errorf("%s: the classes have the names %q, and %d are decided among", c.spec, m.ClassNames(), len(d.Classes))
		}
		if d.Status != model.StatusCold || d.Label != "spam" {
			t.Errorf("%s: the decision is %s, %s, want spam, cold", c.spec, d.Label, d.Status)
		}
		switch {
		case c.want == 0 && (len(d.Classes) != 1 || d.Classes[0].Posterior != 1):
			t.Errorf("%s: the classes are %+v, want spam alone", c.spec, d.Classes)
		case c.want > 0 && (len(d.Classes) != 2 || d.RunnerUp != "ham" || math.Abs(d.Margin-math.Log(c.want)) > 1e-12):
			t.Errorf("%s: %+v with the margin %v over %q, want %v over ham", c.spec, d.Classes, d.Margin, d.RunnerUp, math.Log(c.want))
		}
		if dump := modeltest.Dump(m); strings.Contains(dump, "ham") {
			t.Errorf("%s: ham is counted:\n%s", c.spec, dump)
		}
		modeltest.Learn(t, m, 1, ham)
		if d := modeltest.Decide(m, text); len(d.Classes) != 2 {
			t.Errorf("%s: with ham the classes are %+v", c.spec, d.Classes)
		}
		modeltest.Learn(t, m, -1, ham)
		if again := modeltest.Decide(m, text); again.Margin != d.Margin || len(again.Classes) != len(d.Classes) {
			t.Errorf("%s: after ham is forgotten the margin is %v, before %v", c.spec, again.Margin, d.Margin)
		}
	}
}

// TestPriorOfOneDecision: the prior given for one decision is gone in the next.
func TestPriorOfOneDecision(t *testing.T) {
	m, f := sameValue(t, "", map[string]int64{"a": 75, "b": 25})
	s := model.NewScorer()
	var d model.Decision
	s.Decide(&d, m, f, "", model.Options{Prior: map[string]float64{"a": 0.1, "b": 0.9}})
	if d.Label != "b" || math.Abs(d.Classes[1].Posterior-0.9) > 1e-12 {
		t.Errorf("with the prior of an earlier step: got %+v", d.Classes)
	}
	s.Decide(&d, m, f, "", model.Options{})
	if d.Label != "a" || math.Abs(d.Classes[0].Posterior-0.75) > 1e-12 {
		t.Errorf("without it: got %+v", d.Classes)
	}
}

// TestScoreHasNoPrior: neither the spec's nor the decision's enters a score that is no likelihood.
func TestScoreHasNoPrior(t *testing.T) {
	for _, likelihood := range []string{spec.Complement, spec.OneVsAll} {
		t.Run(likelihood, func(t *testing.T) { scoreHasNoPrior(t, likelihood) })
	}
}

func scoreHasNoPrior(t *testing.T, likelihood string) {
	m := model.New(modeltest.Spec(t, "text: {likelihood: "+likelihood+"}\nprior: {a: 0.9, b: 0.1}"))
	for label, word := range map[string]string{"a": "x", "b": "y"} {
		modeltest.Learn(t, m, 1, modeltest.Document{Label: label, Weight: 1, Features: words(word)})
	}
	var d model.Decision
	model.NewScorer().Decide(&d, m, words("x", "y"), "", model.Options{Prior: map[string]float64{"a": 0.001, "b": 0.999}})
	for _, c := range d.Classes {
		if c.LogPrior != 0 || c.Posterior != 0.5 {
			t.Errorf("class %s: log prior %v, posterior %v; want 0 and 0.5", c.Name, c.LogPrior, c.Posterior)
		}
	}
}

func words(list ...string) *model.Features {
	f := &model.Features{}
	for _, w := range list {
		f.Bag.Add([]byte(w))
	}
	return f
}

// A row is a document of two numbers, NaN being a missing one, and of one category, "" being none.
type row struct {
	x, y float64
	k    string
}

// features returns the row in the order in which the spec names its fields.
func (r row) features(s *spec.Spec) *model.Features {
	f := &model.Features{Categories: []model.Category{{Value: []byte(r.k), Present: r.k != ""}}}
	for _, field := range s.NumberFields() {
		v := map[string]float64{"x": r.x, "y": r.y}[field]
		n := model.Number{Present: !math.IsNaN(v)}
		if n.Present {
			n.Value = int64(math.Round(v * 1e9))
		}
		f.Numbers = append(f.Numbers, n)
	}
	return f
}

func learnFields(t *testing.T, s string) *model.Model {
	t.Helper()
	m := model.New(modeltest.Spec(t, s))
	for i, r := range []row{
		{1, 2, "FR"}, {2, 1, "DE"}, {3, 5, "FR"}, {1.5, 2, ""}, {6, 4, "IT"}, {7, 9, "DE"}, {5, 6, "IT"}, {8, 3, "IT"},
	} {
		label := []string{"a", "b"}[i/4]
		modeltest.Learn(t, m, 1, modeltest.Document{Label: label, Weight: 1, Features: r.features(m.Spec())})
	}
	return m
}

func decideRow(t *testing.T, s string, r row) *model.Decision {
	t.Helper()
	m := learnFields(t, s)
	return modeltest.Decide(m, r.features(m.Spec()))
}

// TestMissingValuesLeaveOut: a missing number leaves out its factor in a naive block and the whole
// of a full one; a missing category or number of a histogram leaves out that. What is left decides
// as if the spec had nothing else.
func TestMissingValuesLeaveOut(t *testing.T) {
	missing := math.NaN()
	const histogram = "histograms: [{field: y, from: 0, to: 10, bins: 4}]"
	for _, c := range []struct {
		name, spec string
		probe      row
		alone      string // the spec that is left; "": the prior alone
		blocks     []string
	}{
		{"a number of a naive block", "numbers: [{fields: [x, y]}]", row{missing, 4, ""}, "numbers: [{fields: [y]}]", []string{"numbers[0]"}},
		{"all of a naive block", "numbers: [{fields: [x, y]}]", row{missing, missing, ""}, "", nil},
		{"a number of LDA", "numbers: [{fields: [x, y], likelihood: lda}]", row{missing, 4, ""}, "", nil},
		{"a number of QDA", "numbers: [{fields: [x, y], likelihood: qda}]", row{4, missing, ""}, "", nil},
		{"one of two blocks", "numbers: [{fields: [x]}, {fields: [y]}]", row{missing, 4, ""}, "numbers: [{fields: [y]}]", []string{"numbers[1]"}},
		{"the category", "numbers: [{fields: [y]}]\ncategories: [{field: k}]", row{1, 4, ""}, "numbers: [{fields: [y]}]", []string{"numbers[0]"}},
		{"a category that nobody has", "numbers: [{fields: [y]}]\ncategories: [{field: k}]", row{1, 4, "ES"}, "numbers: [{fields: [y]}]", []string{"numbers[0]"}},
		{"the number", "numbers: [{fields: [y]}]\ncategories: [{field: k}]", row{1, missing, "IT"}, "categories: [{field: k}]", []string{"categories[0]"}},
		{"the number of a histogram", histogram + "\ncategories: [{field: k}]", row{1, missing, "IT"}, "categories: [{field: k}]", []string{"categories[0]"}},
		{"nothing", histogram + "\ncategories: [{field: k}]", row{1, 4, "IT"}, histogram + "\ncategories: [{field: k}]", []string{"categories[0]", "histograms[0]"}},
	} {
		got := decideRow(t, c.spec, c.probe)
		want := []float64{0.5, 0.5}
		if c.alone != "" {
			for i, class := range decideRow(t, c.alone, c.probe).Classes {
				want[i] = class.Posterior
			}
		}
		for i, class := range got.Classes {
			if math.Abs(class.Posterior-want[i]) > 1e-12 {
				t.Errorf("%s is missing: P(%s|x) is %v, want %v", c.name, class.Name, class.Posterior, want[i])
			}
		}
		var blocks []string
		for _, e := range got.Evidence {
			blocks = append(blocks, e.Block)
		}
		if slices.Sort(blocks); !slices.Equal(blocks, c.blocks) {
			t.Errorf("%s is missing: %v are evidence, want %v", c.name, blocks, c.blocks)
		}
		if empty := got.Status == model.StatusEmpty; empty != (c.alone == "") {
			t.Errorf("%s is missing: status %s", c.name, got.Status)
		}
	}
}

// TestForgottenClassTakesNoPart: a class whose documents are gone is as if it had never been there.
func TestForgottenClassTakesNoPart(t *testing.T) {
	sp := "numbers: [{fields: [x, y], likelihood: qda}]\ncategories: [{field: k}]"
	m := learnFields(t, sp)
	between := row{4, 4, "ES"}.features(m.Spec())
	extra := []modeltest.Document{
		{Label: "gone", Weight: 2, Features: between}, {Label: "gone", Weight: 1, Features: row{4, 5, "ES"}.features(m.Spec())},
	}
	modeltest.Learn(t, m, 1, extra...)
	s := model.NewScorer()
	var d model.Decision
	if s.Decide(&d, m, between, "", model.Options{}); len(d.Classes) != 3 || !slices.Equal(s.Abstained(), []int{0}) {
		t.Errorf("with a class of three rows in a line: %d classes, abstained %v; want 3 and the block of numbers", len(d.Classes), s.Abstained())
	}
	if len(m.Problems()) != 1 {
		t.Errorf("problems %q, want one: that of the class", m.Problems())
	}
	modeltest.Learn(t, m, -1, extra...)
	s.Decide(&d, m, between, "", model.Options{})
	want := decideRow(t, sp, row{4, 4, "ES"})
	if fmt.Sprint(d.Classes) != fmt.Sprint(want.Classes) || len(s.Abstained()) != 0 || len(m.Problems()) != 0 {
		t.Errorf("after it was forgotten: got %v, abstained %v, problems %q; want %v", d.Classes, s.Abstained(), m.Problems(), want.Classes)
	}
}
