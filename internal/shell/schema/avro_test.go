package schema

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/wire/jsonread"
	"bayestream/internal/testing/alloctest"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/avro"
)

// compiled returns what reads the values of a schema.
func compiled(tb testing.TB, kind, schema string, references ...reference) format {
	tb.Helper()
	f, err := formatOf(&text{Type: kind, Schema: schema, References: references})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

const allTypes = `{"type": "record", "name": "All", "namespace": "n", "fields": [
	{"name": "null", "type": "null"}, {"name": "yes", "type": "boolean"}, {"name": "int", "type": "int"},
	{"name": "long", "type": "long"}, {"name": "float", "type": "float"}, {"name": "double", "type": "double"},
	{"name": "nan", "type": "double"}, {"name": "large", "type": "double"},
	{"name": "text", "type": "string"}, {"name": "bytes", "type": "bytes"}, {"name": "binary", "type": "bytes"},
	{"name": "fixed", "type": {"type": "fixed", "name": "Two", "size": 2}},
	{"name": "enum", "type": {"type": "enum", "name": "Team", "symbols": ["ham", "spam"]}},
	{"name": "union", "type": ["null", "string"]}, {"name": "none", "type": ["null", "string"]},
	{"name": "array", "type": {"type": "array", "items": "int"}},
	{"name": "map", "type": {"type": "map", "values": "string"}},
	{"name": "inner", "type": {"type": "record", "name": "Inner", "fields": [{"name": "team", "type": "Team"}]}},
	{"name": "millis", "type": {"type": "long", "logicalType": "timestamp-millis"}},
	{"name": "micros", "type": {"type": "long", "logicalType": "timestamp-micros"}},
	{"name": "nanos", "type": {"type": "long", "logicalType": "timestamp-nanos"}},
	{"name": "never", "type": {"type": "long", "logicalType": "timestamp-millis"}},
	{"name": "date", "type": {"type": "int", "logicalType": "date"}},
	{"name": "decimal", "type": {"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 3}},
	{"name": "uuid", "type": {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}}]}`

func TestAvroBecomesJSON(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 123456789, time.UTC)
	value := map[string]any{
		"null": nil, "yes": true, "int": -7, "long": int64(math.MinInt64), "float": float32(0.1), "double": 1e6,
		"nan": math.NaN(), "large": 1e300,
		"text": "\"Grüße\"\n", "bytes": []byte("text"), "binary": []byte{0xff}, "fixed": [2]byte{'a', 'b'}, "enum": "spam",
		"union": "u", "none": nil, "array": []int{1, 2, 3}, "map": map[string]string{"k": "v"},
		"inner": map[string]any{"team": "ham"}, "millis": at, "micros": at, "nanos": at, "never": int64(1) << 60, "date": at,
		"decimal": big.NewRat(-5, 1000), "uuid": [16]byte{1, 2, 3},
	}
	body, err := avro.MustParse(allTypes).Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compiled(t, "AVRO", allTypes).json([]byte("before"), nil, body)
	if err != nil {
		t.Fatal(err)
	}
	want := `before{"null":null,"yes":true,"int":-7,"long":-9223372036854775808,"float":0.1,"double":1000000,"nan":null,` +
		`"large":1e+300,"text":"\"Grüße\"\n","bytes":"text","binary":"/w==","fixed":"ab","enum":"spam","union":"u","none":null,` +
		`"array":[1,2,3],"map":{"k":"v"},"inner":{"team":"ham"},"millis":"2026-01-31T12:00:00.123Z",` +
		`"micros":"2026-01-31T12:00:00.123456Z","nanos":"2026-01-31T12:00:00.123456789Z","never":1152921504606846976,` +
		`"date":"2026-01-31","decimal":-0.005,"uuid":"01020300-0000-0000-0000-000000000000"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestHostileAvro: values made to hurt are refused, and take bounded memory.
func TestHostileAvro(t *testing.T) {
	many := strings.Repeat(`{"name":"f@","type":"null"},`, 1)
	var fields strings.Builder
	for i := range 10_000 {
		fields.WriteString(strings.Replace(many, "@", strings.Repeat("x", 20)+string(rune('a'+i%26))+strings.Repeat("y", i/26), 1))
		if fields.Len() > mostText/2 {
			break
		}
	}
	wide := `{"type":"array","items":{"type":"record","name":"W","fields":[` + strings.TrimSuffix(fields.String(), ",") + `]}}`
	for name, c := range map[string]struct{ schema, body string }{
		"an array of 2^62 nulls":            {`{"type":"array","items":"null"}`, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"},
		"an array of -2^63 nulls":           {`{"type":"array","items":"null"}`, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"},
		"a thousand records of 10^4 fields": {wide, "\xd0\x0f"},
		"a list that nests":                 {`{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}`, strings.Repeat("\x02", 1<<20)},
		"a record in itself":                {`{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}`, ""},
		"a string of 2^40 bytes":            {`"string"`, "\x80\x80\x80\x80\x80\x80\x01"},
		"a string of -1 byte":               {`"string"`, "\x01"},
		"a branch that is not there":        {`["null","string"]`, "\x08"},
		"a symbol that is not there":        {`{"type":"enum","name":"E","symbols":["a"]}`, "\x01"},
		"bytes behind it":                   {`"null"`, "\x00"},
		"half of a double":                  {`"double"`, "\x00\x00"},
		"a decimal of 10^5 bytes":           {`{"type":"bytes","logicalType":"decimal","precision":4}`, "\xc0\x9a\x0c" + strings.Repeat("9", 100_000)},
	} {
		t.Run(name, func(t *testing.T) {
			f := compiled(t, "AVRO", c.schema)
			dst := make([]byte, 0, 2*mostJSON)
			var err error
			alloctest.Bound(t, len(c.body), func() { _, err = f.json(dst, nil, []byte(c.body)) })
			if err == nil {
				t.Error("it is not refused")
			}
		})
	}
}

func TestHostileSchemasAreRefused(t *testing.T) {
	for name, c := range map[string]text{
		"an unknown type":             {Type: "THRIFT"},
		"Avro that is none":           {Type: "AVRO", Schema: `{"type":"record"}`},
		"a type that is not":          {Type: "AVRO", Schema: `{"type":"array","items":"Nothing"}`},
		"deep Avro":                   {Type: "AVRO", Schema: strings.Repeat(`{"type":"array","items":`, 100_000) + `"null"` + strings.Repeat("}", 100_000)},
		"Protobuf that is none":       {Type: "PROTOBUF", Schema: `message {`},
		"an import that is not there": {Type: "PROTOBUF", Schema: `syntax = "proto3"; import "nothing.proto"; message M {}`},
		"deep Protobuf":               {Type: "PROTOBUF", Schema: `syntax = "proto3";` + strings.Repeat("message M {", 50_000) + strings.Repeat("}", 50_000)},
	} {
		t.Run(name, func(t *testing.T) {
			if s := compile(schemaID{}, &c); s.refused == nil {
				t.Error("it is not refused")
			}
		})
	}
}

// TestAvroTypesOfAnyName: of names that are kinds of types, and in namespaces that Java's registers.
func TestAvroTypesOfAnyName(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"record","name":"map","fields":[{"name":"a","type":["null","map"]}]}`: `{"a":{"a":null}}`,
		`{"type":"record","name":"A","namespace":"n","fields":[{"name":"a","type":["null",{"type":"fixed","name":"fixed","size":1}]},
			{"name":"b","type":"fixed"}]}`: `{"a":"\u0000","b":"x"}`,
		`{"type":"record","name":"A","namespace":"com.my-shop","fields":[{"name":"a","type":["null","com.my-shop.A"]}]}`: `{"a":{"a":null}}`,
	} {
		got, err := compiled(t, "AVRO", schema).json(nil, nil, []byte("\x02\x00x")[:2+strings.Count(want, "x")])
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", schema, got, err, want)
		}
	}
}

// FuzzAvro compares the reader with the library's own, which makes values of Go first.
func FuzzAvro(f *testing.F) {
	f.Add(`{"type":"record","name":"R","fields":[{"name":"a","type":["null","string"]},{"name":"b","type":{"type":"array","items":"long"}}]}`,
		[]byte("\x02\x04hi\x04\x02\x04\x00"))
	f.Add(`{"type":"map","values":{"type":"enum","name":"E","symbols":["a","b"]}}`, []byte("\x01\x06\x02k\x02\x00"))
	f.Add(`{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}`, []byte("\x02\x02\x00"))
	f.Add(allTypes, []byte{})
	dst := make([]byte, 0, 2*mostJSON)
	f.Fuzz(func(t *testing.T, schema string, body []byte) {
		own, err := formatOf(&text{Type: "AVRO", Schema: schema})
		if err != nil {
			return
		}
		var got []byte
		alloctest.Bound(t, len(body)+len(schema), func() { got, err = own.json(dst, nil, body) })
		if err != nil {
			return // the library takes what is longer, deeper or has bytes behind it
		}
		if !jsonread.Valid(got) {
			t.Fatalf("%q is not JSON", got)
		}
		library, err := avro.Parse(schema, lax)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		rest, err := library.Decode(body, &value)
		if err != nil || len(rest) > 0 {
			if errors.Is(err, nil) || !strings.Contains(err.Error(), "limit") {
				t.Fatalf("the library refuses what becomes %s: %v, %d bytes are left", got, err, len(rest))
			}
			return
		}
		if strings.Contains(schema, "logicalType") || strings.Contains(schema, "bytes") || strings.Contains(schema, "fixed") ||
			strings.Contains(schema, "float") || strings.Contains(schema, "double") {
			return // JSON has other forms of these
		}
		theirs, err := library.EncodeJSON(value)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(generic(t, theirs), generic(t, got)); diff != "" {
			t.Fatalf("%s: %s", schema, diff)
		}
	})
}

// generic returns JSON as values of Go, numbers exact.
func generic(t *testing.T, text []byte) (value any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}
