package model_test

import (
	"reflect"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// Few pieces of evidence are the first of all of them, also where many are of one size, and all are
// in order.
func TestFewEvidenceIsTheStartOfAll(t *testing.T) {
	for _, spec := range []string{
		"numbers: [{fields: [x]}, {fields: [y]}]\ncategories: [{field: c}]",
		"text: {likelihood: bernoulli}\ncategories: [{field: c}]",
		"text: {likelihood: complement}",
		"text: {likelihood: one_vs_all}",
	} {
		m := modeltest.Spec(t, spec)
		rapid.Check(t, func(t *rapid.T) {
			labels := []string{"a", "b", "c"}
			trained := model.New(m)
			docs := make([]modeltest.Document, rapid.IntRange(2, 10).Draw(t, "documents"))
			for i := range docs {
				docs[i] = drawDocument(t, labels)
			}
			modeltest.Learn(t, trained, 1, docs...)
			probe := drawDocument(t, labels).Features
			for _, w := range rapid.SliceOfN(rapid.StringMatching(`[a-z]`), 0, 60).Draw(t, "more words") {
				probe.Bag.Add([]byte(w))
			}
			all := modeltest.Decide(trained, probe).Evidence
			for i := 1; i < len(all); i++ {
				if !inOrder(all[i-1], all[i]) {
					t.Fatalf("evidence %d, %+v, is before %+v", i-1, all[i-1], all[i])
				}
			}
			limit := rapid.IntRange(1, 40).Draw(t, "limit")
			var few model.Decision
			model.NewScorer().Decide(&few, trained, probe, "id", model.Options{Evidence: limit})
			want := all[:min(limit, len(all))]
			if len(few.Evidence)+len(want) > 0 && !reflect.DeepEqual(few.Evidence, want) {
				t.Fatalf("limit %d: got %+v, want %+v", limit, few.Evidence, want)
			}
		})
	}
}

// A scorer may serve a model without text after one with text.
func TestScorerOfModelsWithAndWithoutText(t *testing.T) {
	s := model.NewScorer()
	for _, spec := range []string{"text: {alpha: 1}", "numbers: [{fields: [x]}]\ntext: null"} {
		m := model.New(modeltest.Spec(t, spec))
		var f model.Features
		for i, label := range []string{"a", "b", "a", "b"} {
			f = model.Features{Numbers: []model.Number{{Value: int64(i * i), Present: true}}}
			f.Bag.Add([]byte(label))
			modeltest.Learn(t, m, 1, modeltest.Document{Label: label, Weight: 1, Features: &f})
		}
		var d model.Decision
		s.Decide(&d, m, &f, "", model.Options{Evidence: 3})
		if len(d.Evidence) != 1 || (d.Evidence[0].Block == "") != (m.Text() != nil) {
			t.Errorf("spec %q: evidence %+v", spec, d.Evidence)
		}
	}
}

// inOrder reports whether x may come before y: the larger first, of one size terms by name, then
// blocks.
func inOrder(x, y model.Evidence) bool {
	sizeX, sizeY := max(x.Weight, -x.Weight), max(y.Weight, -y.Weight)
	if sizeX != sizeY {
		return sizeX > sizeY
	}
	if (x.Block == "") != (y.Block == "") {
		return x.Block == ""
	}
	return x.Term < y.Term || x.Block < y.Block
}
