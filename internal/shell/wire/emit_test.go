package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"

	"github.com/google/go-cmp/cmp"
)

// incoming is a document with headers that must survive and some that must not.
func incoming() *stream.Record {
	return &stream.Record{
		Topic: "documents", Partition: 3, Offset: 42, Time: time.Date(2026, 11, 21, 4, 5, 6, 70e6, time.FixedZone("", 3600)),
		Key: []byte("k"), Value: []byte(`{"text": "a"}`),
		Headers: []stream.Header{
			header("traceparent", "00-1"), header("bayestream-label", "forged"), header("BAYESTREAM-Source", "forged"),
			header("traceparent", "00-2"), {Key: "null"}, header("bayestream", "kept"),
			header("content-type", "text/plain"), header("CE_ID", "theirs"), header("ce_subject", "kept"),
		},
	}
}

// describe writes a record's headers and value, one a line.
func describe(rec *stream.Record) string {
	var b strings.Builder
	for _, h := range rec.Headers {
		if h.Value == nil {
			fmt.Fprintf(&b, "%s: null\n", h.Key)
		} else {
			fmt.Fprintf(&b, "%s: %q\n", h.Key, h.Value)
		}
	}
	fmt.Fprintf(&b, "%s\n", rec.Value)
	return b.String()
}

// modes are all emit modes.
var modes = []string{EmitEvent, EmitHeaders, EmitEnrich, EmitCloudEvents}

// emitter returns the Emitter of a mode.
func emitter(t *testing.T, mode string) *Emitter {
	t.Helper()
	e, err := NewEmitter(mode, "", Form{})
	if mode == EmitEnrich {
		e, err = NewEnricher(usual(Schema{HasText: true}), "bayestream", Form{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEmit shows the record of each mode in testdata/emit-*.txt.
func TestEmit(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			e := emitter(t, mode)
			in, out := incoming(), stream.Record{Topic: "labels", Offset: 7}
			e.Append(nil, &out, in, "documents/3/42", twoClasses())
			if !bytes.Equal(out.Key, in.Key) || out.Partition != 3 || !out.Time.Equal(in.Time) || out.Topic != "labels" || out.Offset != 7 {
				t.Errorf("key, partition, time, topic or offset: %+v", out)
			}
			if diff := cmp.Diff(incoming(), in); diff != "" {
				t.Errorf("the document changed:\n%s", diff)
			}
			filetest.Golden(t, "testdata/emit-"+mode+".txt", describe(&out), *update)
		})
	}
}

func TestEmitHeadersLeavesTheValue(t *testing.T) {
	e, err := NewEmitter(EmitHeaders, "x-", Form{})
	if err != nil {
		t.Fatal(err)
	}
	in, out := incoming(), stream.Record{}
	in.Headers = []stream.Header{header("X-label", "forged"), header("bayestream-label", "kept: another prefix is in use")}
	e.Append(nil, &out, in, "id", &model.Decision{Status: model.StatusEmpty, ModelInfo: model.ModelInfo{Name: "m", Offset: -1}})
	want := "bayestream-label: \"kept: another prefix is in use\"\nx-source: \"documents/3/42\"\nx-id: \"id\"\nx-status: \"empty\"\nx-model: \"m\"\n{\"text\": \"a\"}\n"
	if got := describe(&out); got != want {
		t.Errorf("without a class\ngot:\n%s\nwant:\n%s", got, want)
	}
}

// TestEmitNull: a null document is a null value in every mode, and a null key stays null.
func TestEmitNull(t *testing.T) {
	for _, mode := range modes {
		e := emitter(t, mode)
		in := &stream.Record{Topic: "d", Offset: 1, Headers: []stream.Header{header("bayestream-label", "forged"), header("a", "b")}}
		out := stream.Record{Value: []byte("left from before"), Key: []byte("too"), Headers: []stream.Header{header("and", "this")}}
		e.Append(nil, &out, in, "id", nil)
		if out.Value != nil || out.Key != nil {
			t.Errorf("%s: value %q, key %q; want both null", mode, out.Value, out.Key)
		}
		if got, want := describe(&out), "a: \"b\"\nbayestream-source: \"d/0/1\"\n\n"; got != want {
			t.Errorf("%s: got:\n%s\nwant:\n%s", mode, got, want)
		}
	}
}

// TestEmitEmptyStaysEmpty: empty key and value are not null.
func TestEmitEmptyStaysEmpty(t *testing.T) {
	e, err := NewEmitter(EmitHeaders, "", Form{})
	if err != nil {
		t.Fatal(err)
	}
	var out stream.Record
	e.Append(nil, &out, &stream.Record{Key: []byte{}, Value: []byte{}}, "id", twoClasses())
	if out.Key == nil || out.Value == nil {
		t.Errorf("key %v, value %v; want both empty", out.Key, out.Value)
	}
}

// TestEmitCloudEventTime: a time that RFC 3339 cannot write is left out.
func TestEmitCloudEventTime(t *testing.T) {
	e, err := NewEmitter(EmitCloudEvents, "", Form{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		time time.Time
		want string
	}{
		{time.UnixMilli(0), "1970-01-01T00:00:00Z"},
		{time.UnixMilli(1795233906070), "2026-11-21T04:05:06.07Z"},
		{time.Time{}, ""}, {time.UnixMilli(1 << 60), ""}, {time.UnixMilli(-1 << 60), ""},
	} {
		var out stream.Record
		e.Append(nil, &out, &stream.Record{Topic: "d", Time: c.time}, "id", twoClasses())
		got, found := lastHeader(out.Headers, ceTime)
		if string(got) != c.want || found != (c.want != "") {
			t.Errorf("%v: got %q, want %q", c.time, got, c.want)
		}
	}
}

// TestEmitSharesOneBuffer: the records of a batch stay as they are while the
// buffer grows under them.
func TestEmitSharesOneBuffer(t *testing.T) {
	e, err := NewEmitter(EmitEvent, "", Form{})
	if err != nil {
		t.Fatal(err)
	}
	var buf []byte
	outs := make([]stream.Record, 100)
	for i := range outs {
		in := incoming()
		in.Offset = int64(i)
		buf = e.Append(buf, &outs[i], in, fmt.Sprint("id ", i), twoClasses())
	}
	for i := range outs {
		var value struct{ ID string }
		if err := json.Unmarshal(outs[i].Value, &value); err != nil || value.ID != fmt.Sprint("id ", i) {
			t.Fatalf("record %d: %q, %v", i, value.ID, err)
		}
		if source, _ := lastHeader(outs[i].Headers, "bayestream-source"); string(source) != fmt.Sprint("documents/3/", i) {
			t.Fatalf("record %d: source %q", i, source)
		}
	}
}

func TestEmitAllocations(t *testing.T) {
	for _, mode := range modes {
		e := emitter(t, mode)
		in, d := incoming(), twoClasses()
		var out stream.Record
		buf := e.Append(nil, &out, in, "documents/3/42", d)
		if n := testing.AllocsPerRun(100, func() { buf = e.Append(buf[:0], &out, in, "documents/3/42", d) }); n != 0 {
			t.Errorf("%s: %v allocations", mode, n)
		}
	}
}

func TestNewEmitterRefuses(t *testing.T) {
	if _, err := NewEmitter("avro", "", Form{}); err == nil || !strings.Contains(err.Error(), `"avro": want event, headers or cloudevents`) {
		t.Errorf("got %v", err)
	}
}
