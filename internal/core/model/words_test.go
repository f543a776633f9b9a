package model_test

import (
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"

	"github.com/google/go-cmp/cmp"
)

// explained returns the decision on a document of a model that knows its words in one class.
func explained(t *testing.T, yaml string, in *model.Input) (*model.Extractor, *model.Decision) {
	t.Helper()
	s := modeltest.Spec(t, yaml)
	x, err := model.NewExtractor(s)
	if err != nil {
		t.Fatal(err)
	}
	m := model.New(s)
	var f, other model.Features
	other.Bag.Add([]byte("other"))
	x.Extract(&f, in)
	modeltest.Learn(t, m, 1, modeltest.Document{Label: "a", Weight: 1, Features: &f}, modeltest.Document{Label: "b", Weight: 1, Features: &other})
	var d model.Decision
	model.NewScorer().Decide(&d, m, &f, "", model.Options{})
	return x, &d
}

// Evidence names the words of a term as they stand in the document, all of them once one differs in
// more than case.
func TestWords(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, c := range []struct {
		yaml     string
		segments []model.Segment
		want     map[string][]string
	}{
		{"", []model.Segment{{Text: []byte("Football, football, the FOOTBALLS prize Run runs")}}, map[string][]string{
			"footbal": {"Football", "FOOTBALLS"}, "the": nil, "prize": nil, "run": {"Run", "runs"},
		}},
		{"", []model.Segment{{Mark: "subject:", Text: []byte("Prizes")}, {Text: []byte("Prize of FREE ＦＲＥＥ")}}, map[string][]string{
			"subject:prize": {"Prizes"}, "prize": nil, "of": nil, "free": {"FREE", "ＦＲＥＥ"},
		}},
		{"", []model.Segment{{Text: []byte("runs running runner's runners runs' Runned RUNNING")}}, map[string][]string{
			"run": {"runs", "running", "Runned"}, "runner": {"runner's", "runners"},
		}},
		{"text: {stem: false, ngrams: 2}", []model.Segment{{Text: []byte("free\n  pills free pills")}}, map[string][]string{
			"free": nil, "pills": nil, "free pills": nil, "pills free": nil,
		}},
		{"text: {stem: false}", []model.Segment{{Text: []byte(long + " http://Win.example/x")}}, map[string][]string{
			strings.Repeat("x", 64): {strings.Repeat("x", 64) + "…"}, "<url>": {"http://Win.example/x"}, "win.example": nil,
		}},
	} {
		in := &model.Input{Segments: c.segments}
		x, d := explained(t, c.yaml, in)
		x.SetWords(d, in)
		x.SetSpans(d, in) // which changes no word
		got := map[string][]string{}
		for _, e := range d.Evidence {
			if e.Term != "" { // else the shape of the text
				got[e.Term] = e.As
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v:\n%s", c.segments, diff)
		}
	}
}

// Spans count characters in the segments as they were read.
func TestSpans(t *testing.T) {
	prefix := strings.Repeat("ä ", 100)
	in := &model.Input{Segments: []model.Segment{{Mark: "subject:", Text: []byte("No")}, {Text: []byte(prefix + "<b>Houses</b> &amp; house")}}}
	x, d := explained(t, "text: {html: true}", in)
	x.SetSpans(d, in)
	if got := string(d.Segments[1].Text); got != prefix+"Houses & house" || d.Segments[0].Mark != "subject:" {
		t.Errorf("segments %+v", d.Segments)
	}
	for _, e := range d.Evidence {
		want, known := map[string][]model.Span{
			"subject:no": {{Segment: 0, Start: 0, End: 2}}, "hous": {{Segment: 1, Start: 200, End: 206}, {Segment: 1, Start: 209, End: 214}},
		}[e.Term]
		if known && !cmp.Equal(e.Spans, want) || e.Term == "ä" && len(e.Spans) != 100 {
			t.Errorf("%s: %v, want %v", e.Term, e.Spans, want)
		}
	}
}

// A naive block's weight is the sum of those of its fields; a missing field has 0.
func TestFieldWeights(t *testing.T) {
	for likelihood, has := range map[string]bool{"gaussian": true, "lda": false} {
		m := model.New(modeltest.Spec(t, "text: null\nnumbers: [{fields: [x, y, z], likelihood: "+likelihood+"}]"))
		row := func(x, y, z int64) *model.Features {
			return &model.Features{Numbers: []model.Number{{Value: x * 1e9, Present: true}, {Value: y * 1e9, Present: true}, {Value: z * 1e9, Present: z != 0}}}
		}
		var docs []modeltest.Document
		for i := range int64(8) {
			docs = append(docs, modeltest.Document{Label: "a", Weight: 1, Features: row(i, i*i%5, 1+i%3)}, modeltest.Document{Label: "b", Weight: 1, Features: row(3+i%4, i%3, 2+i)})
		}
		modeltest.Learn(t, m, 1, docs...)
		for _, z := range []int64{4, 0} {
			d := modeltest.Decide(m, row(2, 3, z))
			if len(d.Evidence) == 0 && likelihood == "lda" && z == 0 {
				continue // it needs all fields
			}
			e := d.Evidence[0]
			if (len(e.FieldWeights) > 0) != has {
				t.Fatalf("%s: %+v", likelihood, e)
			}
			if !has {
				continue
			}
			sum := e.FieldWeights[0] + e.FieldWeights[1] + e.FieldWeights[2]
			if diff := sum - e.Weight; max(diff, -diff) > 1e-12 || (e.FieldWeights[2] == 0) != (z == 0) {
				t.Errorf("z = %d: the fields have %v, the block %v", z, e.FieldWeights, e.Weight)
			}
		}
	}
}
