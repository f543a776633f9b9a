package wire

import (
	"encoding/base64"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
)

// structured is the header of a CloudEvent in structured mode.
var structured = header("content-type", "application/cloudevents+json; charset=UTF-8")

// TestCloudEvents reads documents from both content modes.
func TestCloudEvents(t *testing.T) {
	packed := func(document string) string {
		return `{"id":"e1","data_base64":"` + base64.StdEncoding.EncodeToString([]byte(document)) + `"}`
	}
	for _, c := range []struct {
		format, value string
		headers       []stream.Header
		id, text      string
		reject        Reason
	}{
		{FormatJSON, `{"specversion":"1.0","id":"e1","data":{"id":"d1","text":"a"},"text":"not this"}`, []stream.Header{structured}, "e1", "a", ""},
		{FormatJSON, `{"id":"e1","data":{"text":"a"}}`, []stream.Header{header("Content-Type", "APPLICATION/cloudevents+JSON")}, "e1", "a", ""},
		{FormatJSON, `{"data":{"id":"d1","text":"a"}}`, []stream.Header{structured}, "d1", "a", ""},
		{FormatJSON, packed(`{"text":"a\"b"}`), []stream.Header{structured}, "e1", `a"b`, ""},
		{FormatText, packed("a text"), []stream.Header{structured}, "e1", "a text", ""},
		{FormatText, `{"id":"e1","data":"a\ntext"}`, []stream.Header{structured}, "e1", "a\ntext", ""},
		{FormatMail, `{"id":"e1","data":"Subject: s\n\na text"}`, []stream.Header{structured}, "e1", "a text", ""},
		{FormatJSON, `{"id":"d1","text":"a"}`, []stream.Header{header("ce_id", "e1"), header("ce_specversion", "1.0")}, "e1", "a", ""},
		{FormatJSON, `{"id":"d1","text":"a","data":{"text":"b"}}`, []stream.Header{header("content-type", "application/json")}, "d1", "a", ""},
		// the last one counts
		{FormatJSON, `{"id":"d1","text":"a"}`, []stream.Header{structured, header("content-type", "application/json")}, "d1", "a", ""},
		{FormatJSON, `{"id":"e1"}`, []stream.Header{structured}, "", "", BadEvent},
		{FormatJSON, `{"id":"e1","data":null}`, []stream.Header{structured}, "", "", BadEvent},
		{FormatJSON, `{"id":"e1","data_base64":"%"}`, []stream.Header{structured}, "", "", BadEvent},
		{FormatJSON, `{"id":"e1","data":"{}"}`, []stream.Header{structured}, "", "", NotJSON},
		{FormatJSON, `[{"data":{"text":"a"}}]`, []stream.Header{structured}, "", "", NotJSON},
		{FormatJSON, packed("[]"), []stream.Header{structured}, "", "", NotJSON},
		{FormatJSON, `{"id":7,"data":{"text":"a"}}`, []stream.Header{structured}, "", "", BadID},
		{FormatJSON, `{"text":"a"}`, []stream.Header{header("ce_id", "")}, "", "", BadID},
		{FormatJSON, "{\"x\":\"\xff\",\"data\":{\"text\":\"a\"}}", []stream.Header{structured}, "", "", InvalidUTF8},
	} {
		d := mustDecoder(Schema{Format: c.format, HasText: true, IDFromEvent: true, LabelHeader: "label"})
		var document Document
		err := d.Document(recordOf(c.value, c.headers...), &document)
		var training Training
		learn := d.Training(recordOf(c.value, append(c.headers, header("label", "l"))...), &training)
		if c.reject != "" {
			wantReject(t, err, c.reject)
			wantReject(t, learn, c.reject)
			continue
		}
		if err != nil || learn != nil || document.ID != c.id || training.ID != c.id || text(document.Input) != c.text || text(training.Input) != c.text {
			t.Errorf("%s: id %q and %q, text %q and %q, %v, %v; want %q, %q", c.value, document.ID, training.ID, text(document.Input), text(training.Input), err, learn, c.id, c.text)
		}
	}
}

// TestCloudEventIDs: an id is that of the event only if it is asked for, and one event leaves
// nothing for the next record.
func TestCloudEventIDs(t *testing.T) {
	event := recordOf(`{"id":"e1","data":{"text":"a"}}`, structured)
	var dst Document
	for _, c := range []struct {
		schema Schema
		id     string
	}{
		{Schema{HasText: true}, "documents/3/42"}, {Schema{HasText: true, IDFromEvent: true}, "e1"}, {Schema{HasText: true, IDFromEvent: true, IDFromKey: true}, "k"},
	} {
		d := mustDecoder(c.schema)
		event.Key = []byte("k")
		if err := d.Document(event, &dst); err != nil || dst.ID != c.id {
			t.Errorf("%+v: id %q, %v; want %q", c.schema, dst.ID, err, c.id)
		}
		if err := d.Document(recordOf(`{"text":"a"}`), &dst); err != nil || dst.Explicit {
			t.Errorf("the next record has the id %q, %v", dst.ID, err)
		}
	}
	d := mustDecoder(Schema{HasText: true, IDFromEvent: true})
	var forget Training
	if err := d.Training(&stream.Record{Headers: []stream.Header{header("ce_id", "e1")}}, &forget); err != nil || forget.Kind != Forget || forget.ID != "e1" {
		t.Errorf("a null value: %+v, %v", forget, err)
	}
}

// TestEmitOfCloudEvents: the decision is not described as the event that it is about, and an
// enriched event stays one.
func TestEmitOfCloudEvents(t *testing.T) {
	var out stream.Record
	for _, in := range []*stream.Record{
		recordOf(`{"text":"a"}`, header("ce_specversion", "1.0"), header("ce_id", "e1"), header("ce_type", "t"), header("traceparent", "00-1"), header("content-type", "application/json")),
		recordOf(`{"id":"e1","data":{"text":"a"}}`, header("traceparent", "00-1"), structured),
	} {
		emitter(t, EmitEvent).Append(nil, &out, in, "id", twoClasses())
		if got := describe(&out); !strings.HasPrefix(got, "traceparent: \"00-1\"\nbayestream-source: \"documents/3/42\"\nbayestream-id: \"id\"\n{\"id\":\"id\"") {
			t.Errorf("a decision about an event:\n%s", got)
		}
	}
	e := emitter(t, EmitEnrich)
	for value, want := range map[string]string{
		`{"bayestream":1,"data": {"text":"a","bayestream":2} ,"id":"e1"}`: `{"bayestream":1,"data": {"text":"a","bayestream":D} ,"id":"e1"}`,
		`{"id":"e1","data_base64":"e30="}`:                                `{"id":"e1","data_base64":"e30="}`,
	} {
		in := recordOf(value, structured)
		e.Append(nil, &out, in, "id", twoClasses())
		decision := appendDecision(nil, "id", recordSource(in), twoClasses())
		if got := strings.Replace(string(out.Value), string(decision), "D", 1); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
		_, inHeaders := lastHeader(out.Headers, "bayestream-status")
		if inHeaders == strings.Contains(want, "D") {
			t.Errorf("%s: the decision is in headers: %t", value, inHeaders)
		}
	}
	in := recordOf(`{"data":{"text":"a","bayestream":2}}`, structured)
	e.Append(nil, &out, in, "id", twoClasses())
	for _, want := range []string{ShortenedEvidence, ShortenedHeaders, ""} {
		if got := e.Shorten(&out, in); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := string(out.Value); got != `{"data":{"text":"a"}}` {
		t.Errorf("in the end: %s", got)
	}
}

// TestCloudEventAllocations: an envelope costs no memory.
func TestCloudEventAllocations(t *testing.T) {
	d := mustDecoder(Schema{HasText: true, IDFromEvent: true})
	in := recordOf(`{"id":"e\u0031","data":{"text":"a \"b\""}}`, structured)
	var dst Document
	if n := testing.AllocsPerRun(100, func() {
		if err := d.Document(in, &dst); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
