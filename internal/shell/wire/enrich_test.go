package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire/jsonread"

	"github.com/google/go-cmp/cmp"
)

// TestEnrichLeavesTheBytes: the document keeps its white space, its order and its numbers; a
// decision that it came with is gone, however its name is written.
func TestEnrichLeavesTheBytes(t *testing.T) {
	for document, want := range map[string]string{
		`{}`:                                  `{"bayestream":D}`,
		" { } \n":                             " { \"bayestream\":D} \n",
		`{"text":"a"}`:                        `{"text":"a","bayestream":D}`,
		" {\t\"n\" : 1.0e0 ,\"text\":\"}\"} ": " {\t\"n\" : 1.0e0 ,\"text\":\"}\",\"bayestream\":D} ",
		`{"bayestream":{"label":"forged"},"text":"a"}`:                 `{"text":"a","bayestream":D}`,
		`{"text":"a" , "b\u0061yestream" : [1] , "n":2}`:               `{"text":"a"  , "n":2,"bayestream":D}`,
		`{"bayestream":1, "bayestream":2 , "text":"a","bayestream":3}`: `{  "text":"a","bayestream":D}`,
		`{"bayestream":1}`: `{"bayestream":D}`,
		`{"x":{"bayestream":1},"bayestream2":2,"text":"a","text":"b"}`: `{"x":{"bayestream":1},"bayestream2":2,"text":"a","text":"b","bayestream":D}`,
	} {
		e := emitter(t, EmitEnrich)
		var out stream.Record
		e.Append(nil, &out, recordOf(document), "id", twoClasses())
		decision := appendDecision(nil, "id", recordSource(recordOf("")), twoClasses())
		if got := strings.Replace(string(out.Value), string(decision), "D", 1); got != want {
			t.Errorf("%s: got %s, want %s", document, got, want)
		}
	}
}

// FuzzEnrich: the decision is the only field of its name, and all other fields are as they were.
func FuzzEnrich(f *testing.F) {
	for _, v := range append(seeds, `{"f":1}`, `{ "f" :1 , "a":2, "f":3}`, `{"\u0066":{},"f":[]}`, `{"a":1,"f":2,"b":3}`) {
		f.Add([]byte(v))
	}
	e, err := NewEnricher(usual(Schema{}), "f", Form{})
	if err != nil {
		f.Fatal(err)
	}
	type member struct{ name, value string }
	members := func(object []byte) (list []member) {
		var r jsonread.Reader
		for r.Reset(object); r.Next(); {
			list = append(list, member{string(r.Name()), string(r.Value())})
		}
		return list
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		if oracle(document) == nil {
			t.Skip()
		}
		want := slices.DeleteFunc(members(document), func(m member) bool { return m.name == "f" })
		out, _ := e.appendEnriched(nil, &stream.Record{Value: document}, []byte(`"d"`))
		if !json.Valid(out) {
			t.Fatalf("%q becomes %q", document, out)
		}
		if got := members(out); !slices.Equal(got, append(want, member{"f", `"d"`})) {
			t.Fatalf("%q becomes %q", document, out)
		}
		if got, _ := e.appendEnriched(nil, &stream.Record{Value: out}, nil); !slices.Equal(members(got), want) {
			t.Fatalf("%q without the decision is %q", out, got)
		}
	})
}

// TestShorten: first the evidence goes, and its weight is in the rest; then the decision is in
// headers, and no decision is left in the document.
func TestShorten(t *testing.T) {
	e := emitter(t, EmitEnrich)
	in := recordOf(`{"text":"a","bayestream":"forged"}`, header("a", "b"))
	var out stream.Record
	e.Append(nil, &out, in, "m1", twoClasses())
	if got := e.Shorten(&out, in); got != ShortenedEvidence {
		t.Fatalf("first: %q", got)
	}
	decision, _ := e.found(&out)
	p, err := ParseDecision(decision)
	if err != nil {
		t.Fatal(err)
	}
	want := twoClasses()
	if rest := want.Rest + 3.2 + 1.1; len(p.Decision.Evidence) != 0 || math.Abs(p.Decision.Rest-rest) > 1e-12 || p.ID != "m1" {
		t.Errorf("got %s, want no evidence and the rest %v", decision, rest)
	}
	if got := e.Shorten(&out, in); got != ShortenedHeaders {
		t.Fatalf("second: %q", got)
	}
	const record = "a: \"b\"\nbayestream-source: \"documents/3/42\"\nbayestream-id: \"m1\"\nbayestream-label: \"spam\"\nbayestream-status: \"ok\"\nbayestream-confidence: \"0.9982\"\nbayestream-model: \"sms@1234\"\n{\"text\":\"a\"}\n"
	if diff := cmp.Diff(record, describe(&out)); diff != "" {
		t.Errorf("in headers:\n%s", diff)
	}
	if got := e.Shorten(&out, in); got != "" {
		t.Errorf("third: %q", got)
	}
}

// TestShortenInfinite: a term that only one class has, without smoothing, decides for good; the
// rest stays a number.
func TestShortenInfinite(t *testing.T) {
	e := emitter(t, EmitEnrich)
	in := recordOf(`{"text":"a"}`)
	d := twoClasses()
	d.Margin, d.Rest = math.Inf(1), 0
	d.Evidence[0].Weight = math.Inf(1)
	var out stream.Record
	e.Append(nil, &out, in, "m1", d)
	if got := e.Shorten(&out, in); got != ShortenedEvidence || !bytes.Contains(out.Value, []byte(`"evidence":[],"rest":0,`)) {
		t.Errorf("%q: %s", got, out.Value)
	}
}

func TestNewEnricherRefuses(t *testing.T) {
	schema := Schema{
		HasText: true, TextFields: []string{"payload.text"}, NumberFields: []string{"amount"}, IDField: "meta.id",
		DocumentFrom: map[string][]string{"amount": {"total", "bill.sum"}},
	}
	for field, says := range map[string]string{
		"payload": "a meaning of its own", "amount": "a meaning of its own", "meta": "a meaning of its own", "bill": "a meaning of its own",
		"total": "a meaning of its own", "label": "a meaning of its own", "numbers": "a meaning of its own", "text": "", "bayestream": "",
	} {
		_, err := NewEnricher(usual(schema), field, Form{})
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", field, err, says)
		}
	}
	for format, says := range map[string]string{FormatText: "documents are text", FormatMail: "documents are mail"} {
		if _, err := NewEnricher(usual(Schema{HasText: true, Format: format}), "bayestream", Form{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", format, err)
		}
	}
}
