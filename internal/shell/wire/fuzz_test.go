package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/testing/alloctest"

	"github.com/google/go-cmp/cmp"
)

// seeds are values that meet most of the code.
var seeds = []string{
	`{"id":"m1","text":"win a prize","label":"spam","numbers":{"length":120.5,"a.b":-1e-9,"weird*key":3},"categories":{"country":"FR","x|y":""},"weight":7}`,
	`{"text":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800","label":"b","text":"again"}`, `{"id":"m1","label":null}`,
	`{"label":"b","ref":{"topic":"t","partition":0,"offset":12}}`, `{"id":-7,"t\u0065xt":"","x":[{"y":[1,2,"}"]},true,false,null]}`,
	` { "text" : "a" , "a" : { "text" : "b" } } `, `{"text":{"text":"a"}}`, `[]`, `{`, `""`, "\xff", `{"numbers":{"length":1e999},"text":"a","label":"b"}`,
}

// oracle is the members of a JSON object by encoding/json, the first of each
// name; nil when it is not valid by the rules of docs/formats.md.
func oracle(value []byte) map[string]json.RawMessage {
	if !utf8.Valid(value) || !json.Valid(value) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	members := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var member json.RawMessage
		if err := dec.Decode(&member); err != nil {
			return nil
		}
		if _, twice := members[key.(string)]; !twice {
			members[key.(string)] = member
		}
	}
	return members
}

// stringMember is a string member of an object, by encoding/json.
func stringMember(members map[string]json.RawMessage, name string) (string, bool) {
	var s *string
	if raw, found := members[name]; !found || json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// checkError checks that an error is a Reject with a reason that is listed and a
// sentence that is text.
func checkError(t *testing.T, err error) {
	t.Helper()
	var reject *Reject
	if !errors.As(err, &reject) {
		t.Fatalf("not a Reject: %v", err)
	}
	if reject.Reason.Summary() == string(reject.Reason) || reject.Detail == "" || !utf8.ValidString(err.Error()) || len(err.Error()) > 500 {
		t.Fatalf("reason %q, sentence %q", reject.Reason, err)
	}
}

// checkInput checks what a model may rely on.
func checkInput(t *testing.T, in model.Input) {
	t.Helper()
	for _, s := range in.Segments {
		if !utf8.Valid(s.Text) {
			t.Fatalf("segment %q is not UTF-8: %q", s.Mark, s.Text)
		}
	}
	for _, c := range in.Categories {
		if !utf8.Valid(c.Value) || len(c.Value) > maxCategoryBytes || !c.Present && c.Value != nil {
			t.Fatalf("category %+v", c)
		}
	}
	for _, n := range in.Numbers {
		if !n.Present && n.Value != 0 {
			t.Fatalf("number %+v", n)
		}
	}
}

// FuzzTraining compares the decoder with encoding/json, and a used Training with
// a fresh one.
func FuzzTraining(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), "", false)
		f.Add([]byte(s), "h", true)
		f.Add([]byte(s), "\u00a0h\v", true)
	}
	d := mustDecoder(Schema{HasText: true, NumberFields: []string{"length", "a.b"}, CategoryFields: []string{"country"}, Digits: 9, LabelHeader: "label", IDFromKey: true})
	var used Training
	f.Fuzz(func(t *testing.T, value []byte, labelHeader string, keyed bool) {
		rec := recordOf(string(value))
		if labelHeader != "" {
			rec.Headers = []stream.Header{header("label", labelHeader)}
		}
		if keyed {
			rec.Key = []byte("k")
		}
		var got Training
		var err error
		alloctest.Bound(t, len(value), func() { err = d.Training(rec, &got) })
		errUsed := d.Training(rec, &used)
		if fmt.Sprint(err) != fmt.Sprint(errUsed) {
			t.Fatalf("fresh %v, used %v", err, errUsed)
		}
		if err != nil {
			checkError(t, err)
			return
		}
		if diff := cmp.Diff(got, used, sameTraining); diff != "" {
			t.Fatalf("fresh -, used +:\n%s", diff)
		}
		checkTraining(t, value, labelHeader, keyed, &got)
	})
}

// checkTraining checks an accepted training record against encoding/json.
func checkTraining(t *testing.T, value []byte, labelHeader string, keyed bool, got *Training) {
	t.Helper()
	checkInput(t, got.Input)
	members := oracle(value)
	if members == nil {
		t.Fatal("accepted, but not a JSON object")
	}
	label, _ := stringMember(members, "label")
	if labelHeader != "" {
		label = labelHeader
	}
	id, explicit := stringMember(members, "id")
	if keyed {
		id, explicit = "k", true
	}
	label = strings.TrimSpace(label)
	if got.Label != label || explicit && (got.ID != id || !got.Explicit) {
		t.Fatalf("got label %q and id %q, want %q and %q", got.Label, got.ID, label, id)
	}
	if got.ID == "" || !utf8.ValidString(got.ID) || len(got.ID) > maxIDBytes || !utf8.ValidString(got.Label) || got.Weight < 1 || got.Weight > MaxWeight {
		t.Fatalf("got %+v", got)
	}
	switch want, hasText := stringMember(members, "text"); {
	case got.Kind == Forget:
		if !got.Explicit || len(got.Input.Segments) > 0 {
			t.Fatalf("forget: %+v", got)
		}
	case got.Ref != nil:
		if hasText || got.Ref.Topic == "" || got.Ref.Partition < 0 || got.Ref.Offset < 0 {
			t.Fatalf("ref: %+v", got.Ref)
		}
	default:
		if !hasText || text(got.Input) != want {
			t.Fatalf("got text %q, want %q", text(got.Input), want)
		}
	}
}

// FuzzDocument compares the decoder with encoding/json, both ways: what it
// rejects as JSON is not, what it accepts is.
func FuzzDocument(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	d := mustDecoder(Schema{HasText: true, IDField: "a.id"})
	f.Fuzz(func(t *testing.T, value []byte) {
		var got Document
		var err error
		rec := recordOf(string(value))
		alloctest.Bound(t, len(value), func() { err = d.Document(rec, &got) })
		members := oracle(value)
		if err != nil {
			checkError(t, err)
			var reject *Reject
			if errors.As(err, &reject) && (reject.Reason == NotJSON || reject.Reason == InvalidUTF8) && members != nil {
				t.Fatalf("rejected, but a JSON object: %v", err)
			}
			return
		}
		checkInput(t, got.Input)
		if want, ok := stringMember(members, "text"); !ok || text(got.Input) != want {
			t.Fatalf("got text %q, want %q", text(got.Input), want)
		}
		var body Document
		if err := d.Body(value, &body); err != nil || text(body.Input) != text(got.Input) || body.Explicit != got.Explicit {
			t.Fatalf("as a body: %+v, %v", body, err)
		}
	})
}

// FuzzBody checks that any body gives a document or a Reject, and a prior of positive numbers or a
// Reject.
func FuzzBody(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add([]byte(`{"text":"a","prior":{"spam":0.2,"ham":1e-300,"ham":2}}`))
	f.Add([]byte(`{"text":"a","prior":{}}`))
	d := mustDecoder(Schema{HasText: true})
	f.Fuzz(func(t *testing.T, body []byte) {
		var doc Document
		var prior map[string]float64
		var err error
		alloctest.Bound(t, len(body), func() {
			err = d.Body(body, &doc)
			if err == nil {
				prior, err = BodyPrior(body)
			}
		})
		if err != nil {
			checkError(t, err)
			return
		}
		for class, p := range prior {
			if !(p > 0) || !utf8.ValidString(class) {
				t.Fatalf("the prior of %q is %v", class, p)
			}
		}
		if err := CheckPrior(prior, []string{"spam"}); err != nil {
			checkError(t, err)
		}
	})
}

// FuzzLines checks that lines come as bytes.Split would cut them, packed or not.
func FuzzLines(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s + "\n\r\n" + s))
	}
	f.Add(packed(f, "a\nb"))
	f.Fuzz(func(t *testing.T, file []byte) {
		const limit = 50
		var got []string
		read := func() { got = drain(t, file, limit) }
		switch unpack.Packing(bufio.NewReader(bytes.NewReader(file))) {
		case "gzip":
			alloctest.Bound(t, len(file), read)
			return // read to its end without a panic or a loop
		case "":
			alloctest.Bound(t, len(file), read)
		default: // its dictionary is bounded, but larger
			read()
			return
		}
		var want []string
		for _, line := range bytes.Split(bytes.TrimPrefix(file, []byte("\uFEFF")), []byte("\n")) {
			if len(bytes.TrimRight(line, "\r")) > limit {
				want = append(want, "too large")
			} else if line = bytes.TrimSpace(line); len(line) > 0 {
				want = append(want, string(line))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("want -, got +:\n%s", diff)
		}
		if diff := cmp.Diff(want, drain(t, packed(t, string(file)), limit)); diff != "" {
			t.Fatalf("packed: want -, got +:\n%s", diff)
		}
	})
}

// drain reads all lines; each error that is not the end is a *LineError.
func drain(t *testing.T, file []byte, limit int) []string {
	t.Helper()
	in, err := unpack.Text(bytes.NewReader(file))
	if err != nil {
		return nil // damaged in its first bytes
	}
	lines := NewLines("f", in, limit)
	var got []string
	for err == nil {
		var line []byte
		line, err = lines.Next()
		var lineErr *LineError
		var reject *Reject
		switch {
		case err == nil:
			got = append(got, string(line))
		case err == io.EOF:
		case !errors.As(err, &lineErr):
			t.Fatalf("not a LineError: %v", err)
		case errors.As(err, &reject):
			got, err = append(got, "too large"), nil
		}
	}
	return got
}

// FuzzParseDecision checks that what is accepted writes and reads back the same.
func FuzzParseDecision(f *testing.F) {
	f.Add(appendDecision(nil, "documents/0/42", Source{Topic: "documents", Offset: 42}, twoClasses()))
	f.Add(appendDecision(nil, "", Source{}, &model.Decision{ModelInfo: model.ModelInfo{Offset: -1}}))
	small := DecisionEncoder{Form: Form{Classes: 1, Digits: 3}}
	f.Add(small.Append(nil, "i", Source{}, manyClasses(4, 1)))
	f.Fuzz(func(t *testing.T, value []byte) {
		var p *Decision
		var err error
		alloctest.Bound(t, len(value), func() { p, err = ParseDecision(value) })
		if err != nil {
			return
		}
		written := appendDecision(nil, p.ID, p.Source, &p.Decision)
		again, err := ParseDecision(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if rewritten := appendDecision(nil, again.ID, again.Source, &again.Decision); !bytes.Equal(written, rewritten) {
			t.Fatalf("wrote %s, then %s", written, rewritten)
		}
		small.prepare(&p.Decision, p.Others)
		written = small.append(nil, p.ID, p.Source, &p.Decision)
		if again, err = ParseDecision(written); err != nil || again.Decision.RunnerUp != p.Decision.RunnerUp {
			t.Fatalf("%s in short is %s: %v, %+v", value, written, err, again)
		}
	})
}
