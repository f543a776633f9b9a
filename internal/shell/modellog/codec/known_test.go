package codec

import (
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/testing/filetest"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// golden returns the records of testdata.
func golden(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.hex")
	if err != nil || len(paths) == 0 {
		t.Fatalf("testdata has %d records, %v", len(paths), err)
	}
	records := map[string][]byte{}
	for _, path := range paths {
		text := filetest.Read(t, path)
		for line := range strings.Lines(string(text)) {
			_, bytes, _ := strings.Cut(line, "  ")
			bytes, _, _ = strings.Cut(bytes, "|")
			row, err := hex.DecodeString(strings.ReplaceAll(bytes, " ", ""))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			records[path] = append(records[path], row...)
		}
	}
	return records
}

// unknownIn returns the name of the message with a field that this version does not know.
func unknownIn(value []byte) string {
	var l wireLook
	l.look(wireRecord, value)
	return l.unknown
}

// TestUnknown: what this version writes is known, with another field it is not.
func TestUnknown(t *testing.T) {
	for path, value := range golden(t) {
		if name := unknownIn(value); name != "" {
			t.Errorf("%s has an unknown field in its %s", path, name)
		}
		if name := unknownIn(protowire.AppendVarint(protowire.AppendTag(value, 99, protowire.VarintType), 1)); name != "Record" {
			t.Errorf("%s with a field 99 has one in its %q", path, name)
		}
	}
	// a skipped offset that is not packed
	flat := protowire.AppendVarint(protowire.AppendTag(nil, 7, protowire.VarintType), 1)
	for _, within := range []protowire.Number{5, 3} { // a range, of a delta
		flat = protowire.AppendBytes(protowire.AppendTag(nil, within, protowire.BytesType), flat)
	}
	if name := unknownIn(flat); name != "" {
		t.Errorf("a list that is not packed is an unknown field in its %s", name)
	}
}

// FuzzUnknown: a message with an unknown field in memory has one on the wire.
func FuzzUnknown(f *testing.F) {
	for _, value := range golden(f) {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		var r logpb.Record
		if unknown, err := parse(value, &r); err != nil || unknown != "" {
			return
		}
		_ = protorange.Range(r.ProtoReflect(), func(v protopath.Values) error {
			if m, isMessage := v.Index(-1).Value.Interface().(protoreflect.Message); isMessage && len(m.GetUnknown()) > 0 {
				t.Fatalf("it is known on the wire, and has an unknown field in its %s", m.Descriptor().Name())
			}
			return nil
		})
	})
}
