package wire

import (
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sameDocument compares all that is exported; nil and empty are one here.
var sameDocument = cmp.Options{cmpopts.IgnoreUnexported(Document{}), cmpopts.EquateEmpty()}

func TestDocument(t *testing.T) {
	d := mustDecoder(fullSchema())
	in := model.Input{Segments: []model.Segment{{Text: []byte("a\n")}}, Numbers: make([]model.Number, 3), Categories: make([]model.Category, 2)}
	for _, c := range []struct {
		name string
		rec  *stream.Record
		want Document
	}{
		{"no id", recordOf(`{"text":"a\n"}`), Document{ID: "documents/3/42", Input: in}},
		{"id", recordOf(`{"id":"m\u0031","text":"a\n"}`), Document{ID: "m1", Explicit: true, Input: in}},
		{"integer id", recordOf(`{"id":-7,"text":"a\n"}`), Document{ID: "-7", Explicit: true, Input: in}},
		{"id header", recordOf(`{"id":"m1","text":"a\n"}`, header("id", "h")), Document{ID: "h", Explicit: true, Input: in}},
		{"label, weight and ref are ignored", recordOf(`{"text":"a\n","label":1,"weight":"x","ref":2}`), Document{ID: "documents/3/42", Input: in}},
		{"null value", &stream.Record{Topic: "d", Partition: 1, Offset: 2}, Document{ID: "d/1/2", Null: true}},
		{"null value with id", &stream.Record{Headers: []stream.Header{header("id", "h")}}, Document{ID: "h", Explicit: true, Null: true}},
	} {
		var got Document
		if err := d.Document(c.rec, &got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got, sameDocument); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", c.name, diff)
		}
	}
}

func TestDocumentRejects(t *testing.T) {
	d := mustDecoder(fullSchema())
	for _, c := range []struct {
		value string
		want  Reason
	}{
		{strings.Repeat(" ", 2001), TooLarge}, {"\xff", InvalidUTF8}, {"", NotJSON}, {"[]", NotJSON}, {"null", NotJSON},
		{`{"text":"a","id":[]}`, BadID}, {`{}`, NoText}, {`{"text":1}`, NoText},
		{`{"text":"a","numbers":{"length":"1"}}`, BadNumber}, {`{"text":"a","numbers":{"length":1e20}}`, NumberRange},
		{`{"text":"a","categories":{"country":1}}`, BadCategory},
	} {
		var dst Document
		wantReject(t, d.Document(recordOf(c.value), &dst), c.want)
		wantReject(t, d.Body([]byte(c.value), &dst), c.want)
	}
}

func TestBody(t *testing.T) {
	d := mustDecoder(fullSchema())
	var dst Document
	if err := d.Body([]byte(`{"text":"a"}`), &dst); err != nil || dst.ID != "" || dst.Explicit || dst.Null || text(dst.Input) != "a" {
		t.Errorf("got %+v, %v", dst, err)
	}
	if err := d.Body([]byte(`{"id":"x","text":"a"}`), &dst); err != nil || dst.ID != "x" || !dst.Explicit {
		t.Errorf("got %+v, %v", dst, err)
	}
	wantReject(t, d.Body(nil, &dst), NotJSON)
	d = mustDecoder(Schema{Format: FormatText, HasText: true})
	if err := d.Body(nil, &dst); err != nil || dst.Null || len(dst.Input.Segments) != 1 {
		t.Errorf("an empty body is an empty text: got %+v, %v", dst, err)
	}
}

// TestDocumentAllocations: in steady state a document costs no allocation, with
// escapes in it or without.
func TestDocumentAllocations(t *testing.T) {
	d := mustDecoder(fullSchema())
	recs := []*stream.Record{
		recordOf(`{"text":"plain words","numbers":{"length":12.5,"a.b":1,"weird*key":2},"categories":{"country":"FR","x|y":"z"}}`),
		recordOf(`{"id":"m1","text":"with \"escapes\"\n\u00e9","numbers":{"le\u006egth":12.5},"categories":{"country":"F\u0052"}}`),
		recordOf(`{"text":"x","id":5}`, header("id", "h")),
	}
	var dst Document
	for _, rec := range recs {
		allocations := testing.AllocsPerRun(100, func() {
			if err := d.Document(rec, &dst); err != nil {
				t.Fatal(err)
			}
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations", rec.Value, allocations)
		}
	}
}

// TestTrainingAllocations: a training record costs the copy of its id alone.
func TestTrainingAllocations(t *testing.T) {
	d := mustDecoder(fullSchema())
	rec := recordOf(`{"id":"m1","text":"with \"escapes\"","label":"spam","weight":3,"numbers":{"length":12.5},"categories":{"country":"FR"}}`)
	var dst Training
	allocations := testing.AllocsPerRun(100, func() {
		if err := d.Training(rec, &dst); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 1 {
		t.Errorf("%v allocations, want at most 1", allocations)
	}
}
