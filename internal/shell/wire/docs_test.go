package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
)

// formats returns the text of docs/formats.md.
func formats(t *testing.T) string {
	t.Helper()
	doc := filetest.Read(t, "../../../docs/formats.md")
	return string(doc)
}

// TestDocExamples checks that every JSON example in docs/formats.md is accepted as what the page
// says it is.
func TestDocExamples(t *testing.T) {
	d := mustDecoder(Schema{HasText: true, NumberFields: []string{"length", "digits"}, CategoryFields: []string{"country"}, Digits: 9, Relabels: true})
	blocks := strings.Split(formats(t), "```json\n")[1:]
	decisions := 0
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		for dec := json.NewDecoder(strings.NewReader(block)); dec.More(); {
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				t.Fatalf("%v in:\n%s", err, block)
			}
			switch {
			case bytes.Contains(value, []byte("log_posterior")):
				var line bytes.Buffer
				if err := json.Compact(&line, value); err != nil {
					t.Fatal(err)
				}
				p, err := ParseDecision(line.Bytes())
				if err != nil {
					t.Fatalf("%v in %s", err, line.Bytes())
				}
				e := DecisionEncoder{Form: Form{Classes: DefaultClasses}}
				e.prepare(&p.Decision, p.Others)
				want := e.append(nil, p.ID, p.Source, &p.Decision)
				if decisions == 0 {
					want = e.Append(nil, "documents/0/42", Source{Topic: "documents", Offset: 42}, twoClasses())
				}
				if !bytes.Equal(line.Bytes(), want) {
					t.Errorf("the example differs from what is written:\n%s\n%s", line.Bytes(), want)
				}
				checkSum(t, want, &p.Decision, len(p.Decision.Classes)+p.Others.Classes)
				decisions++
			case bytes.Contains(value, []byte(`"label"`)):
				var dst Training
				if err := d.Training(&stream.Record{Value: value}, &dst); err != nil {
					t.Errorf("%s: %v", value, err)
				}
			default:
				var dst Document
				if err := d.Document(&stream.Record{Value: value}, &dst); err != nil {
					t.Errorf("%s: %v", value, err)
				}
			}
		}
	}
	if decisions != 2 {
		t.Errorf("found %d decisions, want two", decisions)
	}
}

// TestDocHeaders checks that docs/formats.md names every header that Bayestream writes.
func TestDocHeaders(t *testing.T) {
	doc := formats(t)
	documented := func(rec *stream.Record) {
		for _, h := range rec.Headers {
			if !strings.Contains(doc, "`"+h.Key+"`") {
				t.Errorf("header %s is not in docs/formats.md", h.Key)
			}
		}
	}
	for _, mode := range modes {
		e := emitter(t, mode)
		in, out := incoming(), stream.Record{}
		in.Headers = nil
		e.Append(nil, &out, in, "id", twoClasses())
		documented(&out)
	}
	rec := stream.Record{Key: make([]byte, 1000), Value: make([]byte, 1000), Headers: []stream.Header{{Key: "traceparent"}}}
	letter := DeadLetter(&rec, "decode", errors.New("x"), 1)
	documented(&letter)
}
