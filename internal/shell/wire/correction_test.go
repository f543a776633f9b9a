package wire

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"

	"pgregory.net/rapid"
)

func TestReadCorrection(t *testing.T) {
	place := &Ref{Topic: "documents", Partition: 1, Offset: 42}
	for body, want := range map[string]*Correction{
		`{"id":"m-1","label":"spam"}`:    {ID: "m-1", Label: "spam"},
		`{"id":"m-1","label":" spam\t"}`: {ID: "m-1", Label: "spam"},
		`{"id":7,"label":null}`:          {ID: "7", Forget: true},
		`{"source":{"topic":"documents","partition":1,"offset":42},"label":"spam"}`: {Source: place, Label: "spam"},
		`{"source":"documents/1/42","id":"m-1","label":"spam"}`:                     {ID: "m-1", Source: place, Label: "spam"},
		`{"id":null,"source":"documents/1/42","label":"a b"}`:                       {Source: place, Label: "a b"},
		`{"id":"m-1","label":"spam","label":"ham"}`:                                 {ID: "m-1", Label: "spam"},
		`{"id":"m-1","label":"spam","by":"anna "}`:                                  {ID: "m-1", Label: "spam", By: "anna"},
	} {
		got, err := ReadCorrection([]byte(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v", body, got, err)
		}
	}
}

// What cannot be a name is refused with a reason.
func TestBadName(t *testing.T) {
	for _, name := range []string{`7`, `""`, `"a\u0000"`, `"` + strings.Repeat("x", 257) + `"`} {
		var reject *Reject
		c, err := ReadCorrection([]byte(`{"id":"m-1","label":"spam","by":` + name + `}`))
		if !errors.As(err, &reject) || reject.Reason != BadCorrection {
			t.Errorf("by %.20s: %+v, %v, want a bad correction", name, c, err)
		}
	}
}

// TestLearnRecord: an object with other fields is a whole training record, which has a document.
func TestLearnRecord(t *testing.T) {
	d := mustDecoder(Schema{HasText: true, Relabels: true})
	for body, want := range map[string]Reason{
		`{"id":"m-1","text":"a b","label":"spam"}`:                                         "",
		`{"text":"a b","label":"spam"}`:                                                    "",
		`{"id":"m-1","lable":null,"label":"spam"}`:                                         BadCorrection,
		`{"id":"m-1","text":"a b"}`:                                                        NoLabel,
		`{"id":"m-1","label":null,"why":"me"}`:                                             BadCorrection,
		`{"id":"m-1","ref":{"topic":"documents","partition":1,"offset":4},"label":"spam"}`: BadCorrection,
	} {
		c, err := ReadCorrection([]byte(body))
		if err != nil || c.Record == nil {
			t.Errorf("%s is read as %+v, %v", body, c, err)
			continue
		}
		rec, err := d.LearnRecord(c)
		var reject *Reject
		switch {
		case want == "" && (err != nil || string(rec.Value) != body):
			t.Errorf("%s: %v", body, err)
		case want != "" && (!errors.As(err, &reject) || reject.Reason != want):
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
	if rec, _ := d.LearnRecord(&Correction{Record: []byte(`{"id":7,"text":"a","label":"b"}`)}); string(rec.Key) != "7" {
		t.Errorf("the key is %q, want the id", rec.Key)
	}
}

// TestCorrectionRecord: what is written is read as what was meant, whatever the settings of the
// records are.
func TestCorrectionRecord(t *testing.T) {
	text := &stream.Record{Topic: "documents", Partition: 1, Offset: 42, Value: []byte("the document")}
	for name, schema := range map[string]Schema{
		"plain":         {ByField: "by"},
		"paths":         {LabelField: "meta.labels.0", IDField: `meta.a\.b`},
		"headers":       {LabelHeader: "l", IDHeader: "i", ByHeader: "b"},
		"label header":  {LabelHeader: "l"},
		"key":           {IDFromKey: true},
		"text and key":  {Format: FormatText, LabelHeader: "l", IDFromKey: true},
		"text, headers": {Format: FormatText, LabelHeader: "l", IDHeader: "i"},
	} {
		schema.HasText = true
		schema.Relabels = true
		d := mustDecoder(schema)
		rapid.Check(t, func(t *rapid.T) {
			id := rapid.StringMatching(`[ -~é]{1,40}`).Draw(t, "id")
			c := &Correction{Forget: rapid.Bool().Draw(t, "forget")}
			if !c.Forget {
				c.Label = rapid.StringMatching(`[!-~é]{1,20}`).Draw(t, "label")
				c.By = rapid.StringMatching(`([!-~é]{1,20})?`).Draw(t, "by")
			}
			from := text
			if rapid.Bool().Draw(t, "known") && !d.IsWhole() {
				from = nil
			}
			rec, err := d.CorrectionRecord(id, c, from)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var got Training
			if err := d.Training(&rec, &got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if (schema.ByField+schema.ByHeader != "") != (got.By == c.By) && c.By != "" {
				t.Fatalf("%s: by %q, want %q", name, got.By, c.By)
			}
			isRef := got.Ref != nil && *got.Ref == Ref{Topic: "documents", Partition: 1, Offset: 42}
			switch {
			case c.Forget:
				if got.Kind != Forget || got.ID != id {
					t.Fatalf("%s: %+v", name, got)
				}
			case got.ID != id || got.Label != c.Label || !got.Explicit || string(rec.Key) != id:
				t.Fatalf("%s: %+v", name, got)
			case d.IsWhole():
				if string(got.Input.Segments[0].Text) != "the document" {
					t.Fatalf("%s: the text is %q", name, got.Input.Segments[0].Text)
				}
			case (from != nil) != isRef || (from == nil) != (got.Kind == Relabel):
				t.Fatalf("%s: %+v", name, got)
			}
		})
	}
}

// TestCorrectionRecordRefuses: nothing is written that ingest would read as something else.
func TestCorrectionRecordRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		schema Schema
		id     string
		Correction
		reason Reason
	}{
		"a label inside the id": {Schema{LabelField: "id.label"}, "m-1", Correction{Label: "spam"}, NoLabel},
		"one field of both":     {Schema{IDField: "label"}, "m-1", Correction{Label: "spam"}, BadCorrection},
		"a long id":             {Schema{}, string(make([]byte, 513)), Correction{Label: "spam"}, BadID},
		"an empty label":        {Schema{}, "m-1", Correction{}, BadLabel},
		"another class":         {Schema{Classes: []string{"ham"}}, "m-1", Correction{Label: "spam"}, UnknownClass},
		"a text that is gone":   {Schema{Format: FormatText, HasText: true, LabelHeader: "l", IDFromKey: true}, "m-1", Correction{Label: "spam"}, BadCorrection},
	} {
		c.schema.Relabels = true
		d := mustDecoder(c.schema)
		_, err := d.CorrectionRecord(c.id, &c.Correction, nil)
		var reject *Reject
		if !errors.As(err, &reject) || reject.Reason != c.reason && reject.Reason != BadCorrection || d.IsWhole() && strings.Contains(err.Error(), "one field") {
			t.Errorf("%s: got %v, want %s", name, err, c.reason)
		}
	}
}

// TestLabelAlone: a record relabels if it says nothing but a label. One whose fields are not found
// is a dead letter, and not a correction.
func TestLabelAlone(t *testing.T) {
	for value, want := range map[string]Reason{
		`{"id":"a","label":"spam"}`:                                "",
		`{"id":"a","label":"spam","weight":2,"amount":null}`:       "",
		`{"id":"a","label":"spam","total":7}`:                      NothingFound,
		`{"id":"a","label":"spam","payload":{"amount":7}}`:         NothingFound,
		`{"id":"a","label":"spam","amount":"seven"}`:               BadNumber,
		`{"label":"spam"}`:                                         NothingFound,
		`{"id":"a","label":"spam","numbers":{"total":7},"ref":{}}`: BadRef,
	} {
		d := mustDecoder(Schema{NumberFields: []string{"amount"}, Digits: 9, Relabels: true})
		var got Training
		err := d.Training(&stream.Record{Value: []byte(value)}, &got)
		var reject *Reject
		switch {
		case want == "" && (err != nil || got.Kind != Relabel):
			t.Errorf("%s: %v, %+v: want a relabel", value, err, got)
		case want != "" && (!errors.As(err, &reject) || reject.Reason != want):
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
}

func TestParsePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Ref{rapid.StringMatching(`[a-zA-Z0-9._-]{1,249}`).Draw(t, "topic"), int(rapid.Int32Min(0).Draw(t, "partition")), rapid.Int64Min(0).Draw(t, "offset")}
		if got := ParsePlace(want.String()); got == nil || *got != want {
			t.Fatalf("%v is read as %v", want, got)
		}
	})
	for _, s := range []string{"", "m-1", "a/1", "a/b/c", "/1/2", "a/-1/2", "a/1/-2", "a/1/2/3", "a/1/99999999999999999999"} {
		if got := ParsePlace(s); got != nil {
			t.Errorf("%q is read as %v", s, got)
		}
	}
}
