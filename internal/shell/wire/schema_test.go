package wire

import (
	"strings"
	"testing"
)

func TestNewDecoderRefuses(t *testing.T) {
	for _, c := range []struct {
		schema Schema
		want   string
	}{
		{Schema{Format: "xml"}, `format "xml": want json, text or mail`},
		{Schema{Format: FormatText}, "no text block"},
		{Schema{Format: FormatMail}, "no text block"},
		{Schema{MaxRecordBytes: -1}, "record limit of -1 bytes"},
		{Schema{Digits: -1}, "-1 decimal places"},
		{Schema{Digits: 99}, "99 decimal places"},
		{Schema{NumberFields: []string{"a", "b", "a"}}, `number field "a" is named twice`},
		{Schema{CategoryFields: []string{"c", "c"}}, `category field "c" is named twice`},
	} {
		if _, err := NewDecoder(c.schema); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want an error with %q", c.schema, err, c.want)
		}
	}
}

func TestSchemaDefaults(t *testing.T) {
	d := mustDecoder(t, Schema{HasText: true})
	var tr Training
	if err := d.Training(recordOf(`{"id":"a","text":"b","label":"c"}`), &tr); err != nil {
		t.Fatal(err)
	}
	if tr.ID != "a" || tr.Label != "c" || text(tr.Input) != "b" {
		t.Errorf("got %+v", tr)
	}
	long := `{"id":"a","label":"c","text":"` + strings.Repeat("x", defaultMaxRecordBytes) + `"}`
	wantReject(t, d.Training(recordOf(long), &tr), TooLarge)
}
