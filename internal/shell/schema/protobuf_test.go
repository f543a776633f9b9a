package schema

import (
	"strings"
	"testing"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/jsonread"
	"bayestream/internal/testing/alloctest"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

const mailProto = `syntax = "proto3";
	package shop;
	import "google/protobuf/timestamp.proto";
	import "google/protobuf/wrappers.proto";
	import "google/protobuf/struct.proto";
	import "person.proto";
	message First { string only = 1; }
	message Mail {
		enum Team { NONE = 0; BILLING = 1; }
		message Part { string name = 1; repeated Part parts = 2; }
		string id = 1;
		optional string subject = 2;
		oneof body { string text = 3; bytes raw = 4; }
		Team team = 5;
		google.protobuf.Timestamp sent_at = 6;
		map<string, int64> sizes = 7;
		repeated double scores = 8;
		people.Person sender = 9;
		repeated Part parts = 10;
		google.protobuf.Int64Value weight = 11;
		google.protobuf.Struct extra = 12;
		uint64 large = 13;
		bool urgent = 14;
		optional int32 rank = 15;
	}`

var person = reference{Name: "person.proto", Schema: `syntax = "proto3"; package people; message Person { string name = 1; }`}

// mail returns the encoding of a Mail whose JSON is given, in the form of Protobuf.
func mail(t *testing.T, json string) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(messageOf(t, "Mail"))
	if err := protojson.Unmarshal([]byte(json), m); err != nil {
		t.Fatal(err)
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func messageOf(tb testing.TB, name protoreflect.Name) protoreflect.MessageDescriptor {
	tb.Helper()
	return compiled(tb, "PROTOBUF", mailProto, person).(protobufFormat).file.Messages().ByName(name)
}

func TestProtobufBecomesJSON(t *testing.T) {
	f := compiled(t, "PROTOBUF", mailProto, person)
	for name, c := range map[string]struct{ from, want string }{
		"all": {
			`{"id":"m1","subject":"","text":"Grüße","team":"BILLING","sentAt":"2026-01-31T12:00:00.5Z","sizes":{"b":"2","a":"-1"},
			"scores":[0.5,"NaN"],"sender":{"name":"Ann"},"parts":[{"name":"p","parts":[{"name":"q"}]}],"weight":"3",
			"extra":{"k":null},"large":"18446744073709551615","urgent":true,"rank":0}`,
			`{"id":"m1","subject":"","text":"Grüße","team":"BILLING","sent_at":"2026-01-31T12:00:00.500Z","sizes":{"a":-1,"b":2},` +
				`"scores":[0.5,null],"sender":{"name":"Ann"},"parts":[{"name":"p","parts":[{"name":"q"}]}],"weight":3,` +
				`"extra":{"k":null},"large":18446744073709551615,"urgent":true,"rank":0}`,
		},
		"nothing is set":    {`{}`, `{"id":"","team":"NONE","large":0,"urgent":false}`},
		"a part of a oneof": {`{"raw":"/w=="}`, `{"id":"","raw":"/w==","team":"NONE","large":0,"urgent":false}`},
	} {
		got, err := f.json([]byte("x"), []byte{2, 2}, mail(t, c.from))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff("x"+c.want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestGooglesMessages: what JSON has no form for does not make a record unusable, and a schema may
// have messages of Google's names that are others.
func TestGooglesMessages(t *testing.T) {
	const syntax = `syntax = "proto3"; `
	in := func(file, message string) string {
		return syntax + `import "google/protobuf/` + file + `.proto"; message M { google.protobuf.` + message + ` of = 1; }`
	}
	other := func(message string) string { return syntax + `package google.protobuf; message ` + message }
	for name, c := range map[string]struct{ file, body, want string }{ // want "": it is refused
		"a value that is no number": {in("struct", "Value"), "\x0a\x09\x11\x00\x00\x00\x00\x00\x00\xf8\x7f", `{"of":null}`},
		"a value that is not set":   {in("struct", "Value"), "\x0a\x00", `{"of":null}`},
		"a list of values":          {in("struct", "ListValue"), "\x0a\x08\x0a\x02\x08\x00\x0a\x02\x20\x01", `{"of":[null,true]}`},
		"a time after all years":    {in("timestamp", "Timestamp"), "\x0a\x07\x08\xff\xff\xff\xff\xff\x7f", `{"of":{"seconds":4398046511103,"nanos":0}}`},
		"another Timestamp":         {other(`Timestamp { string a = 1; }`), "\x0a\x01a", ""},
		"another BoolValue":         {other(`BoolValue {}`), "", ""},
		"a BoolValue in itself":     {other(`BoolValue { BoolValue value = 1; }`), "", `{}`},
		"a Struct in itself":        {other(`Struct { Struct fields = 1; }`), "\x0a\x00", `{"fields":{}}`},
		"another Value":             {other(`Value { string a = 1; }`), "", ""},
	} {
		got, err := compiled(t, "PROTOBUF", c.file).json(nil, []byte{0}, []byte(c.body))
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, c.want)
		}
	}
}

// TestMessageIndexes: in the frame, in a header, short for the first message, and of one inside of
// another.
func TestMessageIndexes(t *testing.T) {
	s := compile(schemaID{id: 1}, &text{Type: "PROTOBUF", Schema: mailProto, References: []reference{person}})
	framed := func(rest string) record.Record { return record.Record{Value: []byte("\x00\x00\x00\x00\x01" + rest)} }
	header := func(indexes, value string) record.Record {
		return record.Record{Value: []byte(value), Headers: []record.Header{{Key: wire.SchemaHeader,
			Value: []byte("\x00\x00\x00\x00\x01" + indexes)}}}
	}
	const hi = "\x0a\x02hi" // field 1
	for name, c := range map[string]struct {
		rec  record.Record
		want string // "": it is refused
	}{
		"the first, short":        {framed("\x00" + hi), `{"only":"hi"}`},
		"the first":               {framed("\x02\x00" + hi), `{"only":"hi"}`},
		"one inside":              {framed("\x04\x02\x00" + hi), `{"name":"hi"}`},
		"in the header, short":    {header("\x00", hi), `{"only":"hi"}`},
		"in the header":           {header("\x04\x02\x00", hi), `{"name":"hi"}`},
		"none that is there":      {framed("\x02\x08" + hi), ""},
		"a negative one":          {framed("\x02\x01" + hi), ""},
		"a negative number":       {framed("\x01" + hi), ""},
		"too many":                {framed("\xfe\xff\xff\xff\x0f" + hi), ""},
		"no indexes in the frame": {framed(""), ""},
		"half of a field":         {framed("\x00\x0a\x05hi"), ""},
	} {
		c.rec.Schema = s
		got, reason := jsonOf(&c.rec)
		if got != c.want || (reason == wire.NotJSON) != (c.want == "") {
			t.Errorf("%s: %s %s, want %s", name, got, reason, c.want)
		}
	}
}

const fileInBase64 = "CgptYWlsLnByb3RvEgRzaG9wGh9nb29nbGUvcHJvdG9idWYvdGltZXN0YW1wLnByb3RvIgcKBU90aGVyIo4BCgRNYWlsEgoKAmlkGAEgASgJEh0KBGJvZHkYA" +
	"iABKAsyDy5zaG9wLk1haWwuQm9keRIYCgR0ZWFtGAMgASgOMgouc2hvcC5UZWFtEisKB3NlbnRfYXQYBCABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1w" +
	"GhQKBEJvZHkSDAoEdGV4dBgBIAEoCSoZCgRUZWFtEgcKA0hBTRAAEggKBFNQQU0QAWIGcHJvdG8z"

// TestDescriptorInBase64: as Confluent's client in Python registers a file, and Apicurio returns it.
func TestDescriptorInBase64(t *testing.T) {
	got, err := compiled(t, "PROTOBUF", fileInBase64).json(nil, nil, []byte("\x02\x02\x0a\x02m1\x12\x04\x0a\x02hi\x18\x01\x22\x06\x08\xc0\xdd\xf7\xcb\x06"))
	if err != nil || string(got) != `{"id":"m1","body":{"text":"hi"},"team":"SPAM","sent_at":"2026-01-31T12:00:00Z"}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestLargeBytes: a list of bytes is no list of numbers, each of which takes memory.
func TestLargeBytes(t *testing.T) {
	f := compiled(t, "PROTOBUF", `syntax = "proto3"; message M { repeated bytes parts = 1; }`)
	got, err := f.json(nil, []byte{0}, []byte("\x0a\x80\x80\x40"+strings.Repeat("a", 1<<20)))
	if err != nil || len(got) < 1<<20 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestHostileProtobuf: messages made to hurt are refused before memory is taken for them.
func TestHostileProtobuf(t *testing.T) {
	nested := ""
	for range mostDepth + 1 {
		nested = "\x12" + string(append([]byte{}, varint(len(nested))...)) + nested
	}
	f := compiled(t, "PROTOBUF", `syntax = "proto3"; message M { string name = 1; repeated M parts = 2; repeated int32 n = 3; }`)
	for name, body := range map[string]string{
		"a million empty messages": strings.Repeat("\x12\x00", 1<<20),
		"a million numbers":        "\x1a\x80\x80\x40" + strings.Repeat("\x01", 1<<20),
		"messages that nest":       nested,
		"a group that is open":     strings.Repeat("\x23", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			alloctest.Bound(t, len(body), func() { _, err = f.json(nil, []byte{0}, []byte(body)) })
			if err == nil {
				t.Error("it is not refused")
			}
		})
	}
}

func varint(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// FuzzProtobuf: what is read is JSON, and the memory is bounded.
func FuzzProtobuf(f *testing.F) {
	f.Add([]byte("\x00\x0a\x02hi"))
	f.Add([]byte("\x02\x02\x1a\x02hi\x28\x01\x3a\x05\x0a\x01k\x10\x01\x42\x08\x00\x00\x00\x00\x00\x00\xf8\x7f"))
	f.Add([]byte("\x02\x02\x62\x0c\x0a\x0a\x0a\x01k\x12\x05\x2a\x03\x0a\x01k"))
	f.Add([]byte("\x02\x02b\f\n\n\n\x010\r000000")) // a map in which the library panics
	format := compiled(f, "PROTOBUF", mailProto, person)
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 1<<10 {
			return // what many fields cost is bounded by costOf
		}
		var got []byte
		var err error
		alloctest.Bound(t, len(body), func() { got, err = format.json(nil, nil, body) })
		if err == nil && !jsonread.Valid(got) {
			t.Fatalf("%q is not JSON", got)
		}
	})
}

// FuzzSchemas: no schema makes the compilers fail in another way than with an error.
func FuzzSchemas(f *testing.F) {
	f.Add("AVRO", allTypes)
	f.Add("PROTOBUF", strings.ReplaceAll(mailProto, `import "person.proto";`, ""))
	f.Add("PROTOBUF", fileInBase64)
	f.Add("PROTOBUF", `syntax = "proto2"; message M { required group G = 1 { optional int32 a = 1 [default = 7]; } extensions 5 to 9; }`)
	f.Fuzz(func(t *testing.T, kind, schema string) {
		s := compile(schemaID{}, &text{Type: kind, Schema: schema})
		if (s.refused == nil) == (s.format == nil) {
			t.Fatal("it is neither ready nor refused")
		}
		if s.format != nil {
			_, _ = s.format.json(nil, []byte{0}, nil)
		}
	})
}
