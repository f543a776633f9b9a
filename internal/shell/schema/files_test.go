package schema

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/flate"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// unclear is a union whose branches look alike once they are values of Go.
const unclear = `{"type": "record", "name": "R", "fields": [
	{"name": "id", "type": "string"},
	{"name": "of", "type": ["null", {"type": "record", "name": "A", "fields": [{"name": "n", "type": ["null", "long"]}]},
		{"type": "record", "name": "B", "fields": [{"name": "n", "type": ["null", "long"]}]}, {"type": "map", "values": "string"},
		{"type": "long", "logicalType": "timestamp-millis"}]}]}`

// container returns an Avro object container with values of unclear.
func container(t *testing.T, codec ocf.Codec, bodies ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ocf.NewWriter(&b, avro.MustParse(unclear), ocf.WithCodec(codec))
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range bodies {
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Values of unclear, and what they are as JSON Lines.
var (
	unclearBodies = []string{"\x02a\x00", "\x02b\x02\x02\x0e", "\x02c\x04\x02\x10", "\x02d\x06\x02\x02k\x02v\x00", "\x02e\x08\x02", "\x02\n\x00"}
	unclearLines  = `{"id":"a","of":null}
{"id":"b","of":{"n":7}}
{"id":"c","of":{"n":8}}
{"id":"d","of":{"k":"v"}}
{"id":"e","of":"1970-01-01T00:00:00.001Z"}
{"id":"\n","of":null}
`
)

func TestContainerBecomesLines(t *testing.T) {
	for name, codec := range map[string]ocf.Codec{
		"plain": nil, "snappy": ocf.SnappyCodec(), "deflate": ocf.DeflateCodec(flate.DefaultCompression), "zstd": ocf.MustZstdCodec(nil, nil),
	} {
		lines, err := Container(bytes.NewReader(container(t, codec, unclearBodies...)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(lines)
		if diff := cmp.Diff(unclearLines, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// TestDamagedContainer: what is before the damage is read, and the damage is an error.
func TestDamagedContainer(t *testing.T) {
	whole := container(t, nil, unclearBodies...)
	lines, err := Container(bytes.NewReader(whole[:len(whole)-3]))
	if err == nil {
		_, err = io.ReadAll(lines)
	}
	if err == nil {
		t.Error("a container that is cut off is read without an error")
	}
	if _, err := Container(strings.NewReader(ContainerMagic + "\x04\x16avro.schema")); err == nil {
		t.Error("a header that is cut off is no error")
	}
}

// TestValuesBecomeLines: of a file without a container, by a schema in another file.
func TestValuesBecomeLines(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	avsc, proto := file("r.avsc", unclear), file("r.proto", `syntax = "proto3"; message R { string id = 1; }`)
	long := strings.Repeat("x", 100_000)
	for name, c := range map[string]struct{ schema, values, want, says string }{
		"Avro":                  {avsc, strings.Join(unclearBodies, ""), unclearLines, ""},
		"a long value":          {avsc, "\xc0\x9a\x0c" + long + "\x00\x02a\x00", `{"id":"` + long + `","of":null}` + "\n" + `{"id":"a","of":null}` + "\n", ""},
		"Avro, cut off":         {avsc, "\x02a\x00\x02", `{"id":"a","of":null}` + "\n", "in the middle of a value"},
		"Avro of nothing":       {file("n.avsc", `"null"`), "\x00", "", "take no bytes"},
		"Protobuf":              {proto, "\x03\x0a\x01a\x00\x03\x0a\x01b", `{"id":"a"}` + "\n" + `{"id":""}` + "\n" + `{"id":"b"}` + "\n", ""},
		"Protobuf, cut off":     {proto, "\x03\x0a\x01", "", "in the middle of a value"},
		"a length made to hurt": {proto, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "", "more than"},
		"another schema":        {file("r.xsd", ""), "", "", "want an Avro schema (.avsc)"},
		"no schema":             {file("bad.avsc", "{"), "", "", "bad.avsc"},
	} {
		var got []byte
		lines, err := Values(c.schema, strings.NewReader(c.values))
		if err == nil {
			got, err = io.ReadAll(lines)
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// TestFileThatCannotBeRead: the error is that of the file, not that a value is cut off.
func TestFileThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.avsc")
	if err := os.WriteFile(path, []byte(unclear), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := errors.New("the disk is broken")
	lines, err := Values(path, io.MultiReader(strings.NewReader("\x02a\x00\x02"), iotest.ErrReader(bad)))
	if err == nil {
		_, err = io.ReadAll(lines)
	}
	if !errors.Is(err, bad) {
		t.Errorf("%v, want %v", err, bad)
	}
}
