package model_test

import (
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
)

// TestApartHasNoShape: what a reader does not see counts, and changes neither the sizes of a text nor
// the words at its ends.
func TestApartHasNoShape(t *testing.T) {
	extract, err := model.NewExtractor(modeltest.Spec(t, "text: {field: text}"))
	if err != nil {
		t.Fatal(err)
	}
	var shown, all model.Features
	segments := []model.Segment{{Text: []byte("a short text")}}
	extract.Extract(&shown, &model.Input{Segments: segments})
	segments = append(segments, model.Segment{Mark: "hidden:", Text: []byte("<text>"), Lines: true, Apart: true},
		model.Segment{Mark: "hidden:", Text: []byte("incomprehensibilities 4711 4712 filler"), Apart: true})
	extract.Extract(&all, &model.Input{Segments: segments})
	want, got := &shown.Bag, &all.Bag
	if got.Total() != want.Total()+5 {
		t.Errorf("%d terms count, want %d", got.Total(), want.Total()+5)
	}
	gotFirst, gotLast := got.Edges()
	wantFirst, wantLast := want.Edges()
	if got.Length() != want.Length() || got.Longest() != want.Longest() || got.Nonwords() != want.Nonwords() ||
		gotFirst != wantFirst || gotLast != wantLast {
		t.Errorf("length %d, longest %d, nonwords %d, from term %d to term %d; want those of what is shown", got.Length(),
			got.Longest(), got.Nonwords(), gotFirst, gotLast)
	}
}
