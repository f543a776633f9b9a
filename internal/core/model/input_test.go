package model_test

import (
	"reflect"
	"slices"
	"testing"

	"bayestream/internal/core/model"
)

// A copy has all fields, whatever they will be, and no memory of the original.
func TestCopyOfInput(t *testing.T) {
	in := model.Input{
		Segments:   []model.Segment{{Mark: "hidden:", Text: []byte("seen by none"), Lines: true, Apart: true}, {}},
		Whole:      []byte("Subject: a"),
		Numbers:    []model.Number{{Value: 3, Present: true}},
		Categories: []model.Category{{Value: []byte("red"), Present: true}, {}},
	}
	for _, x := range []any{in, in.Segments[0], in.Numbers[0], in.Categories[0]} {
		for i, v := 0, reflect.ValueOf(x); i < v.NumField(); i++ {
			if v.Field(i).IsZero() {
				t.Fatalf("the document of this test has no %s.%s", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
	var got model.Input
	got.Copy(&in, slices.Clone)
	if !reflect.DeepEqual(got, in) {
		t.Errorf("got %+v, want %+v", got, in)
	}
	got.Segments[0].Text[0] = 'X'
	got.Whole[0] = 'X'
	got.Numbers[0].Value = 0
	got.Categories[0].Value[0] = 'X'
	if in.Segments[0].Text[0] == 'X' || in.Whole[0] == 'X' || in.Numbers[0].Value == 0 ||
		in.Categories[0].Value[0] == 'X' {
		t.Error("the copy shares memory")
	}
}
