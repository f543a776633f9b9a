package wire

import (
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire/jsonread"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sameTraining compares all that is exported; nil and empty are one here.
var sameTraining = cmp.Options{cmpopts.IgnoreUnexported(Training{}), cmpopts.EquateEmpty()}

// here is the id of a record that names none.
const here = "documents/3/42"

// words is the input of a text without features, by fullSchema.
func words(s string) model.Input {
	return model.Input{Segments: []model.Segment{{Text: []byte(s)}}, Numbers: noNumbers, Categories: noCategories}
}

var (
	noNumbers    = make([]model.Number, 3)
	noCategories = make([]model.Category, 2)
)

// goodTraining are training records and what they decode to, by fullSchema.
var goodTraining = []struct {
	name string
	rec  *stream.Record
	want Training
}{
	{"all fields", recordOf(`{"id":"m1","text":"win a prize","label":"spam","numbers":{"length":120.5,"a.b":-1e-9,"weird*key":3,"other":"x"},"categories":{"country":"FR","x|y":"","z":1},"weight":7}`),
		Training{Label: "spam", Weight: 7, ID: "m1", Explicit: true, Input: model.Input{
			Segments:   []model.Segment{{Text: []byte("win a prize")}},
			Numbers:    []model.Number{{Value: 120500000000, Present: true}, {Value: -1, Present: true}, {Value: 3e9, Present: true}},
			Categories: []model.Category{{Value: []byte("FR"), Present: true}, {Value: []byte{}, Present: true}}}}},
	{"no id", recordOf(`{"text":"a","label":"b"}`), Training{Label: "b", Weight: 1, ID: here, Input: words("a")}},
	{"null id", recordOf(`{"id":null,"text":"a","label":"b"}`), Training{Label: "b", Weight: 1, ID: here, Input: words("a")}},
	{"integer id", recordOf(`{"id":12345678901234567890,"text":"a","label":"b"}`), Training{Label: "b", Weight: 1, ID: "12345678901234567890", Explicit: true, Input: words("a")}},
	{"empty text", recordOf(`{"text":"","label":"b"}`), Training{Label: "b", Weight: 1, ID: here, Input: words("")}},
	{"white space", recordOf(" \n{ \"label\" :\t\"b\" , \"text\" : \"a\" , \"numbers\" : { } , \"weight\" : 1.0 } \r\n"), Training{Label: "b", Weight: 1, ID: here, Input: words("a")}},
	{"escapes", recordOf(`{"te\u0078t":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","label":"\u0062"}`), Training{Label: "b", Weight: 1, ID: here, Input: words("\"\\/\b\f\n\r\té😀")}},
	{"lone surrogates", recordOf(`{"text":"\ud800|\udc00|\ud800\u0041|\ud83d\ud83d\ude00","label":"b"}`), Training{Label: "b", Weight: 1, ID: here, Input: words("\uFFFD|\uFFFD|\uFFFDA|\uFFFD😀")}},
	{"first of two keys", recordOf(`{"text":"a","label":"b","text":"c","label":"d","numbers":{"length":1,"length":2},"numbers":{"length":3}}`),
		Training{Label: "b", Weight: 1, ID: here, Input: model.Input{Segments: []model.Segment{{Text: []byte("a")}}, Numbers: []model.Number{{Value: 1e9, Present: true}, {}, {}}, Categories: noCategories}}},
	{"first of two is null", recordOf(`{"text":"a","label":"b","numbers":{"length":null,"length":2},"categories":{"country":null,"country":"FR"}}`), Training{Label: "b", Weight: 1, ID: here, Input: words("a")}},
	{"nulls are missing", recordOf(`{"text":"a","label":"b","numbers":null,"categories":null,"weight":null,"ref":null}`), Training{Label: "b", Weight: 1, ID: here, Input: words("a")}},
	{"html stays", recordOf(`{"text":"<b>a</b>","label":"b"}`), Training{Label: "b", Weight: 1, ID: here, Input: words("<b>a</b>")}},
	{"label header wins", recordOf(`{"text":"a","label":1}`, header("label", "x"), header("label", "spam")), Training{Label: "spam", Weight: 1, ID: here, Input: words("a")}},
	{"id header wins", recordOf(`{"id":{},"text":"a","label":"b"}`, header("id", "h1")), Training{Label: "b", Weight: 1, ID: "h1", Explicit: true, Input: words("a")}},
	{"null label forgets", recordOf(`{"id":"m1","label":null}`), Training{Kind: Forget, Weight: 1, ID: "m1", Explicit: true}},
	{"forgetting asks for nothing else", recordOf(`{"id":"m1","label":null,"weight":-1,"text":7,"ref":8}`), Training{Kind: Forget, Weight: 1, ID: "m1", Explicit: true}},
	{"null value forgets", &stream.Record{Topic: "documents", Headers: []stream.Header{header("id", "m1")}}, Training{Kind: Forget, Weight: 1, ID: "m1", Explicit: true}},
	{"ref", recordOf(`{"id":"m1","label":"b","ref":{"offset":9223372036854775807,"partition":2147483647,"topic":"mails","x":[]},"weight":2,"text":null}`),
		Training{Label: "b", Weight: 2, ID: "m1", Explicit: true, Ref: &Ref{Topic: "mails", Partition: 2147483647, Offset: 9223372036854775807}}},
}

// What is no name names nobody, and a weight is bounded by the name.
func TestTrainingNames(t *testing.T) {
	d := mustDecoder(Schema{HasText: true, ByField: "by.name", ByHeader: "by", Teachers: map[string]spec.Teacher{"llm": {Weight: 2}}})
	long := strings.Repeat("x", 257)
	for value, want := range map[string]Training{
		`{"text":"a","label":"b","by":{"name":" llm "}}`:           {By: "llm", Weight: 1},
		`{"text":"a","label":"b","by":{"name":"llm"},"weight":9}`:  {By: "llm", Weight: 2},
		`{"text":"a","label":"b","by":{"name":"anna"},"weight":9}`: {By: "anna", Weight: 9},
		`{"text":"a","label":"b","by":{"name":7},"weight":9}`:      {Weight: 9},
		`{"text":"a","label":"b","by":{"name":""}}`:                {Weight: 1},
		`{"text":"a","label":"b","by":{"name":"a\u0000"}}`:         {Weight: 1},
		`{"text":"a","label":"b","by":{"name":"` + long + `"}}`:    {Weight: 1},
		`{"text":"a","label":"b","by":"anna"}`:                     {Weight: 1},
	} {
		var dst Training
		if err := d.Training(recordOf(value), &dst); err != nil || dst.By != want.By || dst.Weight != want.Weight {
			t.Errorf("%.80s: by %q with weight %d, %v; want %q, %d", value, dst.By, dst.Weight, err, want.By, want.Weight)
		}
	}
	var dst Training
	rec := recordOf(`{"text":"a","label":"b","by":{"name":"anna"}}`, header("by", "dora"))
	if err := d.Training(rec, &dst); err != nil || dst.By != "dora" {
		t.Errorf("with a header: by %q, %v", dst.By, err)
	}
}

// A label that the spec calls a spelling of another is that one, wherever it stands.
func TestTrainingSpellings(t *testing.T) {
	d := mustDecoder(Schema{HasText: true, LabelHeader: "team", Labels: map[string]string{"Spam": "spam"}, Classes: []string{"spam", "ham"}})
	for _, rec := range []*stream.Record{
		recordOf(`{"text":"a","label":" Spam "}`), recordOf(`{"text":"a","label":"spam"}`),
		{Value: []byte(`{"text":"a"}`), Headers: []stream.Header{{Key: "team", Value: []byte("Spam")}}},
	} {
		var dst Training
		if err := d.Training(rec, &dst); err != nil || dst.Label != "spam" {
			t.Errorf("%s: label %q, %v", rec.Value, dst.Label, err)
		}
	}
}

func TestTraining(t *testing.T) {
	for _, c := range goodTraining {
		t.Run(c.name, func(t *testing.T) {
			var got Training
			if err := mustDecoder(fullSchema()).Training(c.rec, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, sameTraining); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// long is longer than any id, label, category or topic may be.
var long = strings.Repeat("x", 600)

// badTraining are records that fullSchema rejects, with the classes b and spam.
var badTraining = []struct {
	name string
	rec  *stream.Record
	want Reason
	says string
}{
	{"too large", recordOf(strings.Repeat(" ", 2001)), TooLarge, "the value has 2001 bytes, the limit is 2000"},
	{"not UTF-8", recordOf("{\"text\":\"a\xff\",\"label\":\"b\"}"), InvalidUTF8, "byte 0xff at offset 10"},
	{"not UTF-8 in a field nobody reads", recordOf("{\"text\":\"a\",\"label\":\"b\",\"x\":\"\xc0\xaf\"}"), InvalidUTF8, "offset 29"},
	{"surrogate in UTF-8", recordOf("{\"text\":\"\xed\xa0\x80\",\"label\":\"b\"}"), InvalidUTF8, "0xed"},
	{"empty value", recordOf(""), NotJSON, `the value "" is not valid JSON`},
	{"no JSON", recordOf("hello"), NotJSON, `"hello"`},
	{"a frame", recordOf("\x00\x00\x00\x00\x07{}"), NotJSON, `a zero byte and the id 7 of a schema: name the registry`},
	{"cut off", recordOf(`{"text":"a"`), NotJSON, "not valid JSON"},
	{"trailing comma", recordOf(`{"text":"a",}`), NotJSON, "not valid JSON"},
	{"two objects", recordOf(`{"text":"a"}{}`), NotJSON, "not valid JSON"},
	{"NaN", recordOf(`{"text":"a","label":"b","numbers":{"length":NaN}}`), NotJSON, "not valid JSON"},
	{"control character", recordOf("{\"text\":\"a\nb\"}"), NotJSON, "not valid JSON"},
	{"byte order mark", recordOf("\uFEFF{}"), NotJSON, "not valid JSON"},
	{"array", recordOf(` ["a"] `), NotJSON, `the value ["a"] is an array`},
	{"string", recordOf(`"a"`), NotJSON, "is a string"},
	{"null", recordOf(`null`), NotJSON, "is null"},
	{"true", recordOf(`true`), NotJSON, "is a boolean"},

	{"no label", recordOf(`{"text":"a"}`), NoLabel, `header "label" and field "label" are missing`},
	{"number as label", recordOf(`{"text":"a","label":1}`), BadLabel, `field "label" is 1, a number; want a string, such as "1"`},
	{"boolean as label", recordOf(`{"text":"a","label":true}`), BadLabel, `field "label" is true, a boolean; want a string, such as "true"`},
	{"array as label", recordOf(`{"text":"a","label":["x"]}`), BadLabel, `an array; want a string, such as "spam"`},
	{"object as label", recordOf(`{"text":"a","label":{}}`), BadLabel, "an object"},
	{"empty label", recordOf(`{"text":"a","label":""}`), BadLabel, "is empty"},
	{"long label", recordOf(`{"text":"a","label":"` + long + `"}`), BadLabel, "has 600 bytes, the limit is 256"},
	{"label of two lines", recordOf(`{"text":"a","label":"b\nc"}`), BadLabel, `field "label" is "b\nc", with the control character U+000A`},
	{"label with DEL in a header", recordOf(`{"text":"a","label":"b"}`, header("label", "b\u007f")), BadLabel, "with the control character U+007F"},
	{"empty label header", recordOf(`{"text":"a","label":"b"}`, header("label", "")), BadLabel, `header "label" is empty`},
	{"null label header", recordOf(`{"text":"a","label":"b"}`, stream.Header{Key: "label"}), BadLabel, `header "label" is empty`},
	{"label header not UTF-8", recordOf(`{"text":"a"}`, header("label", "\xff")), InvalidUTF8, `header "label" is "\xff"`},
	{"unknown class", recordOf(`{"text":"a","label":"eggs"}`), UnknownClass, `field "label" is "eggs", which is not among the spec's classes`},

	{"null label without id", recordOf(`{"text":"a","label":null}`), BadID, "no id of its own"},
	{"null value without id", &stream.Record{Key: []byte("k")}, BadID, "nothing names it"},
	{"fraction as id", recordOf(`{"id":1.5,"text":"a","label":"b"}`), BadID, `field "id" is 1.5, a number`},
	{"exponent as id", recordOf(`{"id":1e3,"text":"a","label":"b"}`), BadID, "want a string or an integer"},
	{"boolean as id", recordOf(`{"id":false,"text":"a","label":"b"}`), BadID, "a boolean"},
	{"object as id", recordOf(`{"id":{"a":1},"text":"a","label":"b"}`), BadID, "an object"},
	{"empty id", recordOf(`{"id":"","text":"a","label":"b"}`), BadID, `field "id" is empty`},
	{"long id", recordOf(`{"id":"` + long + `","text":"a","label":"b"}`), BadID, "has 600 bytes, the limit is 512"},
	{"empty id header", recordOf(`{"text":"a","label":"b"}`, header("id", "")), BadID, `header "id" is empty`},
	{"id header not UTF-8", recordOf(`{"text":"a","label":"b"}`, header("id", "\xff")), InvalidUTF8, `header "id"`},

	{"weight 0", recordOf(`{"text":"a","label":"b","weight":0}`), BadWeight, `field "weight" is 0, a number; want an integer from 1 to 1000`},
	{"weight 1001", recordOf(`{"text":"a","label":"b","weight":1001}`), BadWeight, "1001"},
	{"weight -1", recordOf(`{"text":"a","label":"b","weight":-1}`), BadWeight, "-1"},
	{"weight 1.5", recordOf(`{"text":"a","label":"b","weight":1.5}`), BadWeight, "1.5"},
	{"weight 1e2", recordOf(`{"text":"a","label":"b","weight":1e2}`), BadWeight, "1e2"},
	{"weight of 30 digits", recordOf(`{"text":"a","label":"b","weight":100000000000000000000000000000}`), BadWeight, "integer"},
	{"string as weight", recordOf(`{"text":"a","label":"b","weight":"2"}`), BadWeight, "a string"},
	{"boolean as weight", recordOf(`{"text":"a","label":"b","weight":true}`), BadWeight, "a boolean"},

	{"no text", recordOf(`{"label":"b"}`), NoText, `field "text" is missing`},
	{"null text", recordOf(`{"text":null,"label":"b"}`), NoText, `field "text" is null`},
	{"number as text", recordOf(`{"text":5,"label":"b"}`), NoText, `field "text" is 5, a number`},
	{"array as text", recordOf(`{"text":["a"],"label":"b"}`), NoText, "an array"},

	{"ref and text", recordOf(`{"ref":{"topic":"t","partition":0,"offset":0},"text":"","label":"b"}`), BadRef, `a ref and field "text"`},
	{"ref and numbers", recordOf(`{"ref":{"topic":"t","partition":0,"offset":0},"numbers":{},"label":"b"}`), BadRef, `a ref and field "numbers"`},
	{"ref not an object", recordOf(`{"ref":"t/0/0","label":"b"}`), BadRef, "want an object"},
	{"ref without topic", recordOf(`{"ref":{"partition":0,"offset":0},"label":"b"}`), BadRef, `"topic" is missing`},
	{"ref with empty topic", recordOf(`{"ref":{"topic":"","partition":0,"offset":0},"label":"b"}`), BadRef, "want 1 to 249 bytes"},
	{"ref with long topic", recordOf(`{"ref":{"topic":"` + long + `","partition":0,"offset":0},"label":"b"}`), BadRef, "want 1 to 249 bytes"},
	{"ref without partition", recordOf(`{"ref":{"topic":"t","offset":0},"label":"b"}`), BadRef, `"partition" is missing`},
	{"ref with partition -1", recordOf(`{"ref":{"topic":"t","partition":-1,"offset":0},"label":"b"}`), BadRef, "an integer from 0 on"},
	{"ref with a partition of 33 bits", recordOf(`{"ref":{"topic":"t","partition":4294967296,"offset":0},"label":"b"}`), BadRef, "4294967296"},
	{"ref with offset as string", recordOf(`{"ref":{"topic":"t","partition":0,"offset":"0"},"label":"b"}`), BadRef, `"offset" is "0", a string`},
	{"ref with fraction", recordOf(`{"ref":{"topic":"t","partition":0,"offset":0.5},"label":"b"}`), BadRef, "0.5"},

	{"string as number", recordOf(`{"text":"a","label":"b","numbers":{"length":"1"}}`), BadNumber, `field "numbers", "length" is "1", a string; want a number`},
	{"boolean as number", recordOf(`{"text":"a","label":"b","numbers":{"a.b":true}}`), BadNumber, `"a.b"`},
	{"array as numbers", recordOf(`{"text":"a","label":"b","numbers":[1]}`), BadNumber, "want an object"},
	{"number out of range", recordOf(`{"text":"a","label":"b","numbers":{"weird*key":1e10}}`), NumberRange, `"weird*key" is 1e10`},
	{"number far out of range", recordOf(`{"text":"a","label":"b","numbers":{"length":-1e999999}}`), NumberRange, `"length"`},
	{"number as category", recordOf(`{"text":"a","label":"b","categories":{"country":1}}`), BadCategory, `field "categories", "country" is 1, a number; want a string`},
	{"boolean as category", recordOf(`{"text":"a","label":"b","categories":{"x|y":true}}`), BadCategory, `"x|y"`},
	{"long category", recordOf(`{"text":"a","label":"b","categories":{"country":"` + long + `"}}`), BadCategory, "600 bytes"},
	{"string as categories", recordOf(`{"text":"a","label":"b","categories":"FR"}`), BadCategory, "want an object"},
}

func TestTrainingRejects(t *testing.T) {
	for _, c := range badTraining {
		t.Run(c.name, func(t *testing.T) {
			s := fullSchema()
			s.Classes = []string{"b", "spam"}
			var dst Training
			sentence := wantReject(t, mustDecoder(s).Training(c.rec, &dst), c.want)
			if !strings.Contains(sentence, c.says) {
				t.Errorf("got %q, want it to say %q", sentence, c.says)
			}
		})
	}
}

// TestTrainingDepth: JSON may nest as deep as in encoding/json, and a megabyte of
// brackets is refused before anything recurses over it.
func TestTrainingDepth(t *testing.T) {
	d := mustDecoder(Schema{HasText: true})
	nested := func(levels int) *stream.Record {
		return recordOf(`{"text":"[[[","label":"b","x":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + "}")
	}
	var dst Training
	if err := d.Training(nested(jsonread.MaxDepth), &dst); err != nil {
		t.Errorf("%d levels: %v", jsonread.MaxDepth, err)
	}
	for _, rec := range []*stream.Record{nested(jsonread.MaxDepth + 1), recordOf(strings.Repeat("[", 1e6)), recordOf(strings.Repeat(`{"a":`, 2e5))} {
		if says := wantReject(t, d.Training(rec, &dst), NotJSON); !strings.Contains(says, "deeper than 10000") {
			t.Errorf("got %q", says)
		}
	}
	brackets := `{"label":"b","text":"` + strings.Repeat(`[\"{`, jsonread.MaxDepth) + `"}`
	if err := d.Training(recordOf(brackets), &dst); err != nil {
		t.Errorf("brackets in a string: %v", err)
	}
}

func TestTrainingIDFromKey(t *testing.T) {
	s := fullSchema()
	s.IDFromKey = true
	d := mustDecoder(s)
	value := `{"id":"field","text":"a","label":"b"}`
	for _, c := range []struct {
		name     string
		rec      stream.Record
		want     string
		explicit bool
		kind     Kind
	}{
		{"key wins over field", stream.Record{Key: []byte("key"), Value: []byte(value)}, "key", true, Learn},
		{"header wins over key", stream.Record{Key: []byte("key"), Value: []byte(value), Headers: []stream.Header{header("id", "header")}}, "header", true, Learn},
		{"null key leaves the field", stream.Record{Value: []byte(value)}, "field", true, Learn},
		{"nothing names it", stream.Record{Topic: "t", Value: []byte(`{"text":"a","label":"b"}`)}, "t/0/0", false, Learn},
		{"tombstone", stream.Record{Key: []byte("key")}, "key", true, Forget},
		{"null label under the key", stream.Record{Key: []byte("key"), Value: []byte(`{"label":null}`)}, "key", true, Forget},
	} {
		var got Training
		if err := d.Training(&c.rec, &got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got.ID != c.want || got.Explicit != c.explicit || got.Kind != c.kind {
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
	var dst Training
	wantReject(t, d.Training(&stream.Record{Key: []byte{}}, &dst), BadID)
	wantReject(t, d.Training(&stream.Record{Key: []byte("\xff"), Value: []byte(value)}, &dst), InvalidUTF8)
	wantReject(t, d.Training(&stream.Record{}, &dst), BadID)
}

func TestTrainingFieldPaths(t *testing.T) {
	d := mustDecoder(Schema{HasText: true, TextFields: []string{"payload.parts.1.text"}, LabelField: `a\.b`, IDField: "ids.0"})
	var got Training
	if err := d.Training(recordOf(`{"payload":{"parts":[{},{"text":"x\ty"}]},"a.b":"spam","ids":[7,8]}`), &got); err != nil {
		t.Fatal(err)
	}
	if text(got.Input) != "x\ty" || got.Label != "spam" || got.ID != "7" {
		t.Errorf("got %+v", got)
	}
	wantReject(t, d.Training(recordOf(`{"payload":{},"a.b":"spam"}`), &got), NoText)
}

func TestTrainingText(t *testing.T) {
	d := mustDecoder(Schema{Format: FormatText, HasText: true, LabelHeader: "class", NumberFields: []string{"n"}, IDFromKey: true, MaxRecordBytes: 100})
	rec := recordOf(`{"text": not JSON}`, header("class", "spam"))
	rec.Key = []byte("k")
	var got Training
	if err := d.Training(rec, &got); err != nil {
		t.Fatal(err)
	}
	want := Training{Label: "spam", Weight: 1, ID: "k", Explicit: true, Input: model.Input{
		Segments: []model.Segment{{Text: []byte(`{"text": not JSON}`)}}, Numbers: make([]model.Number, 1)}}
	if diff := cmp.Diff(want, got, sameTraining); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if says := wantReject(t, d.Training(recordOf("a"), &got), NoLabel); says != `no label: header "class" is missing` {
		t.Errorf("got %q", says)
	}
	wantReject(t, d.Training(recordOf("a\xff", header("class", "spam")), &got), InvalidUTF8)
	wantReject(t, d.Training(recordOf(strings.Repeat("a", 101), header("class", "spam")), &got), TooLarge)
	d = mustDecoder(Schema{Format: FormatText, HasText: true})
	if says := wantReject(t, d.Training(recordOf("a"), &got), NoLabel); !strings.Contains(says, "the spec names none in records.label.header") {
		t.Errorf("got %q", says)
	}
}

// TestTrainingWithoutText: a spec of numbers alone needs no text, and does not
// mind one.
func TestTrainingWithoutText(t *testing.T) {
	d := mustDecoder(Schema{NumberFields: []string{"n"}, Digits: 2})
	for _, value := range []string{`{"label":"b","numbers":{"n":1.005}}`, `{"label":"b","numbers":{"n":1.005},"text":7}`} {
		var got Training
		if err := d.Training(recordOf(value), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Input.Segments) != 0 || got.Input.Numbers[0] != (model.Number{Value: 100, Present: true}) {
			t.Errorf("%s: got %+v", value, got.Input)
		}
	}
}

// TestTrainingReuse: nothing of a record is left when the next one is decoded
// into the same Training, whatever went before.
func TestTrainingReuse(t *testing.T) {
	d := mustDecoder(fullSchema())
	values := []string{
		`{"id":"a","text":"x\ny","label":"spam","numbers":{"length":1,"a.b":2,"weird*key":3},"categories":{"country":"FR"},"weight":9}`,
		`{"text":"b","label":"ham"}`, `{"id":"c","label":null}`, `broken`, `{"label":"b","ref":{"topic":"t","partition":0,"offset":1}}`,
		`{"text":"c","label":7}`,
	}
	var used Training
	for _, before := range values {
		for _, value := range values {
			_ = d.Training(recordOf(before), &used)
			errUsed := d.Training(recordOf(value), &used)
			var fresh Training
			errFresh := d.Training(recordOf(value), &fresh)
			if (errUsed == nil) != (errFresh == nil) {
				t.Fatalf("%s after %s: %v, alone %v", value, before, errUsed, errFresh)
			}
			if diff := cmp.Diff(fresh, used, sameTraining); errFresh == nil && diff != "" {
				t.Errorf("%s after %s: alone -, after +:\n%s", value, before, diff)
			}
		}
	}
}

// TestTrainingKeepsIDAndLabel: both outlive the record and the Training.
func TestTrainingKeepsIDAndLabel(t *testing.T) {
	d := mustDecoder(fullSchema())
	rec := recordOf(`{"id":"first","text":"a","label":"spam"}`)
	var dst Training
	if err := d.Training(rec, &dst); err != nil {
		t.Fatal(err)
	}
	id, label := dst.ID, dst.Label
	clear(rec.Value)
	if err := d.Training(recordOf(`{"id":"other","text":"b","label":"eggs"}`), &dst); err != nil {
		t.Fatal(err)
	}
	if id != "first" || label != "spam" {
		t.Errorf("got %q and %q", id, label)
	}
}
