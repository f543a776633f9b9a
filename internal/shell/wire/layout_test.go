package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire/jsonread"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// flatSchema reads a text, two numbers and two categories.
func flatSchema() Schema {
	return Schema{
		HasText: true, TextFields: []string{"payload.body"}, NumberFields: []string{"amount", "a.b"}, CategoryFields: []string{"country", "weight"},
		LabelField: "team", Digits: 2,
	}
}

// TestFlat: a number or a category is looked for in its object, and else in the member of its name.
func TestFlat(t *testing.T) {
	d := mustDecoder(flatSchema())
	want := model.Input{
		Segments:   []model.Segment{{Text: []byte("hi")}},
		Numbers:    []model.Number{{Value: 10050, Present: true}, {Value: -100, Present: true}},
		Categories: []model.Category{{Value: []byte("HU"), Present: true}, {}},
	}
	for _, c := range []string{
		`"amount":100.5,"a.b":-1,"country":"HU"`,
		`"numbers":{"amount":100.5,"a.b":-1},"categories":{"country":"HU"}`,
		`"numbers":{"amount":100.5},"a.b":-1,"country":"HU"`,
		`"amount":100.5,"a.b":-1,"country":" HU\t"`, // space around a category is no part of it, as with labels
		`"amount":7,"numbers":{"amount":100.5,"a.b":-1},"categories":{"country":"HU"},"country":"FR"`,
		`"amount":100.5,"numbers":{"amount":null},"a.b":-1,"categories":null,"country":"HU"`,
		`"\u0061mount":100.5,"amount":"second","a.b":-1,"a":{"b":5},"country":"HU"`,
		`"weight":1,"amount":100.5,"a.b":-1,"country":"HU"`, // the weight of a record is no category
	} {
		var got Training
		if err := d.Training(recordOf(`{"payload":{"body":"hi"},"team":"x",`+c+`}`), &got); err != nil {
			t.Errorf("%s: %v", c, err)
			continue
		}
		if diff := cmp.Diff(want, got.Input, sameTraining); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", c, diff)
		}
	}
}

func TestFlatRejects(t *testing.T) {
	d := mustDecoder(flatSchema())
	for _, c := range []struct {
		value string
		want  Reason
		says  string
	}{
		{`"payload":{"body":"hi"},"amount":"7"`, BadNumber, `field "amount" is "7", a string; want a number`},
		{`"payload":{"body":"hi"},"amount":1e20`, NumberRange, `field "amount" is 1e20: want a number from -9.2e+16 to 9.2e+16, or a coarser numbers[].scale in the spec, now 0.01`},
		{`"payload":{"body":"hi"},"country":true`, BadCategory, `field "country" is true, a boolean; want a string`},
		{`"payload":{"body":"hi"},"country":"a\u0000b"`, BadCategory, `field "country" `},
		{`"amount":1`, NoText, `field "payload.body" is missing`},
		{`"ref":{"topic":"t","partition":0,"offset":1},"amount":1`, BadRef, `a ref and field "amount"`},
	} {
		var got Training
		if says := wantReject(t, d.Training(recordOf(`{"team":"x",`+c.value+`}`), &got), c.want); !strings.Contains(says, c.says) {
			t.Errorf("%s: got %q, want %q in it", c.value, says, c.says)
		}
	}
}

// TestNothingFound: a record that has no field of the spec is refused, with what it has instead.
func TestNothingFound(t *testing.T) {
	several := Schema{HasText: true, TextFields: []string{"subject", "body"}}
	numbers := Schema{NumberFields: []string{"b", "a"}, CategoryFields: []string{"c"}, Digits: 2}
	mixed := Schema{HasText: true, TextFields: []string{"subject", "body"}, NumberFields: []string{"a"}, Digits: 2}
	for _, c := range []struct {
		schema Schema
		value  string
		want   Reason // "": it is a document
		says   string
	}{
		{numbers, `{"label":"x","numbers":{"z":1},"A":1}`, NothingFound, `nothing found: the record has none of the fields "a", "b", "c"; it has "label", "numbers", "A"`},
		{numbers, `{"label":"x","numbers":{},"categories":{},"a":null}`, NothingFound, `the record has no value in the fields "a", "b", "c": null stands in "a"`},
		{numbers, `{"label":"x","c":""}`, "", ""},
		{numbers, `{"label":"x","numbers":{"a":0}}`, "", ""},
		{several, `{"label":"x","text":"a"}`, NothingFound, `none of the fields "body", "subject"; it has "label", "text"`},
		{several, `{"label":"x","body":""}`, "", ""},
		{several, `{"label":"x","subject":""}`, "", ""},
		{several, `{"label":"x","subject":1,"body":"a"}`, NoText, `field "subject" is 1, a number`},
		{mixed, `{"label":"x"}`, NothingFound, `none of the fields "a", "body", "subject"`},
		{mixed, `{"label":"x","a":1}`, NoText, `none of the fields "subject", "body" is there`},
		{mixed, `{"label":"x","a":"1"}`, NoText, `none of the fields "subject", "body" is there`},
		{Schema{HasText: true}, `{"label":"x","body":"a"}`, NoText, `field "text" is missing`},
	} {
		d := mustDecoder(c.schema)
		var dst Training
		err := d.Training(recordOf(c.value), &dst)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.value, err)
			}
			continue
		}
		if says := wantReject(t, err, c.want); !strings.Contains(says, c.says) {
			t.Errorf("%s: got %q, want %q in it", c.value, says, c.says)
		}
		var doc Document
		wantReject(t, d.Document(recordOf(c.value), &doc), c.want)
	}
}

// TestTextOfSeveralFields: each field that is there is a segment, with its mark if the spec asks
// for it.
func TestTextOfSeveralFields(t *testing.T) {
	s := Schema{HasText: true, TextFields: []string{"subject", "mail.body"}}
	marked := s
	marked.TextMarks = []string{"subject:", "mail.body:"}
	for _, c := range []struct {
		schema Schema
		value  string
		want   []model.Segment
	}{
		{s, `{"mail":{"body":"b"},"subject":"s"}`, []model.Segment{{Text: []byte("s")}, {Text: []byte("b")}}},
		{s, `{"mail":{"body":"b"},"subject":null}`, []model.Segment{{}, {Text: []byte("b")}}},
		{marked, `{"mail":{"body":"b"},"subject":"s"}`, []model.Segment{{Mark: "subject:", Text: []byte("s")}, {Mark: "mail.body:", Text: []byte("b")}}},
		{marked, `{"mail":{"body":"b"}}`, []model.Segment{{Mark: "subject:"}, {Mark: "mail.body:", Text: []byte("b")}}},
	} {
		var got Document
		if err := mustDecoder(c.schema).Document(recordOf(c.value), &got); err != nil {
			t.Errorf("%s: %v", c.value, err)
		}
		if diff := cmp.Diff(c.want, got.Input.Segments); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", c.value, diff)
		}
	}
}

// TestFrom: what a record does not have under its name is looked for elsewhere, in order; in
// training records and documents apart.
func TestFrom(t *testing.T) {
	s := flatSchema()
	s.TrainingFrom = map[string][]string{"amount": {"sum", "payload.sum"}, "country": {"geo.0.land"}, "payload.body": {"text"}}
	s.DocumentFrom = map[string][]string{"amount": {"total"}, "country": {"amount"}}
	d := mustDecoder(s)
	for _, c := range []struct {
		value   string
		amount  int64
		country string
	}{
		{`{"text":"hi","amount":1,"sum":2,"payload":{"sum":3},"geo":[{"land":"A"}]}`, 100, "A"},
		{`{"text":"hi","sum":2,"payload":{"sum":3},"geo":[{"land":"A"}],"country":"B"}`, 200, "B"},
		{`{"payload":{"sum":3,"body":"hi"},"text":5,"sum":null,"total":9,"categories":{"country":"C"},"geo":[{"land":1}]}`, 300, "C"},
	} {
		rec := recordOf(strings.Replace(c.value, "{", `{"team":"x",`, 1))
		var got Training
		if err := d.Training(rec, &got); err != nil {
			t.Fatalf("%s: %v", c.value, err)
		}
		var again Document
		if err := d.Learned(rec, &again); err != nil {
			t.Fatalf("%s: %v", c.value, err)
		}
		for _, in := range []model.Input{got.Input, again.Input} {
			if text(in) != "hi" || in.Numbers[0] != (model.Number{Value: c.amount, Present: true}) || string(in.Categories[0].Value) != c.country {
				t.Errorf("%s: got %+v", c.value, in)
			}
		}
	}
	var doc Document
	if err := d.Document(recordOf(`{"payload":{"body":"hi","sum":4},"sum":5,"total":6,"text":5}`), &doc); err != nil || doc.Input.Numbers[0].Value != 600 {
		t.Errorf("got %+v, %v", doc.Input, err)
	}
	says := wantReject(t, d.Document(recordOf(`{"payload":{"body":"hi"},"amount":6}`), &doc), BadCategory)
	if !strings.Contains(says, `field "amount" is 6, a number`) {
		t.Errorf("got %q", says)
	}
}

// TestFlatAllocations: neither the flat form nor a path of names costs an allocation.
func TestFlatAllocations(t *testing.T) {
	s := flatSchema()
	s.DocumentFrom = map[string][]string{"a.b": {"payload.deep.sum"}}
	d := mustDecoder(s)
	rec := recordOf(`{"amount":12.5,"payload":{"body":"with \"escapes\"","deep":{"other":[1,2],"sum":1}},"country":"HU","more":{"x":1}}`)
	var dst Document
	if n := testing.AllocsPerRun(100, func() {
		if err := d.Document(rec, &dst); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if !dst.Input.Numbers[1].Present {
		t.Errorf("got %+v", dst.Input)
	}
}

// TestPathsAgree: a path finds what a plain walk finds.
func TestPathsAgree(t *testing.T) {
	var r jsonread.Reader
	name := rapid.SampledFrom([]string{"a", "b", "é", "a1", "0", "1", ""})
	rapid.Check(t, func(t *rapid.T) {
		object := drawObject(t, name, 3)
		names := rapid.SliceOfN(name, 1, 4).Draw(t, "path")
		path := strings.Join(names, ".")
		if got, want := jsonread.NewPath(path).Find(&r, []byte(object)), walk(t, []byte(object), names); string(got) != string(want) {
			t.Fatalf("%q in %s: got %q, want %q", path, object, got, want)
		}
	})
}

// walk returns the value at a path of names, with encoding/json; nil: there is none.
func walk(t *rapid.T, value json.RawMessage, names []string) json.RawMessage {
	if len(names) == 0 {
		return value
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	open, err := decoder.Token()
	if err != nil {
		t.Fatal(err)
	}
	if open != json.Delim('{') && open != json.Delim('[') {
		return nil
	}
	for i := 0; decoder.More(); i++ {
		name := any(strconv.Itoa(i))
		if open == json.Delim('{') {
			if name, err = decoder.Token(); err != nil {
				t.Fatal(err)
			}
		}
		var inner json.RawMessage
		if err := decoder.Decode(&inner); err != nil {
			t.Fatal(err)
		}
		if name == names[0] {
			return walk(t, inner, names[1:])
		}
	}
	return nil
}

// drawObject returns an object that nests to a depth, in which names may stand twice.
func drawObject(t *rapid.T, name *rapid.Generator[string], depth int) string {
	var members []string
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		value := rapid.SampledFrom([]string{"1", `"x\"}"`, "null", "[ 1, {\"a\":2},[3] ]", "[]", "{}"}).Draw(t, "value")
		if depth > 0 && rapid.Bool().Draw(t, "nested") {
			value = drawObject(t, name, depth-1)
			if rapid.Bool().Draw(t, "array") {
				value = "[ " + value + " , [" + value + "]]"
			}
		}
		members = append(members, `"`+name.Draw(t, "name")+`" : `+value)
	}
	return "{ " + strings.Join(members, " , ") + "}"
}
