package model_test

import (
	"slices"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
)

// Before the first document nothing is missing; afterwards the fields that no document had, and
// those of the text if no document had a word.
func TestUnseen(t *testing.T) {
	spec := modeltest.Spec(t, "text: {fields: [subject, body]}\nnumbers: [{fields: [x, y]}]\ncategories: [{field: c}]\n")
	x, err := model.NewExtractor(spec)
	if err != nil {
		t.Fatal(err)
	}
	m := model.New(spec)
	for i, c := range []struct {
		in   *model.Input
		want []string
	}{
		{nil, nil},
		{&model.Input{Segments: []model.Segment{{}, {Text: []byte("?!")}}, Numbers: []model.Number{{Value: 1, Present: true}, {}}, Categories: make([]model.Category, 1)}, []string{"subject", "body", "y", "c"}},
		{&model.Input{Segments: []model.Segment{{}, {Text: []byte("lunch")}}, Numbers: make([]model.Number, 2), Categories: []model.Category{{Value: []byte("v"), Present: true}}}, []string{"y"}},
	} {
		if c.in != nil {
			b, f := model.NewBuilder(spec), &model.Features{}
			x.Extract(f, c.in)
			b.Observe("a", 1, f)
			if err := m.Apply(b.Delta()); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.Unseen(); !slices.Equal(got, c.want) {
			t.Errorf("step %d: unseen are %q, want %q", i, got, c.want)
		}
	}
}
