package codec

import (
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/testing/filetest"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
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

// TestKnows: what this version writes is known without reflection.
func TestKnows(t *testing.T) {
	for path, value := range golden(t) {
		if !wireRecord.knows(value) {
			t.Errorf("%s is not known", path)
		}
		if wireRecord.knows(protowire.AppendVarint(protowire.AppendTag(value, 99, protowire.VarintType), 1)) {
			t.Errorf("%s is known with a field 99", path)
		}
	}
	// a skipped offset that is not packed
	flat := protowire.AppendVarint(protowire.AppendTag(nil, 7, protowire.VarintType), 1)
	for _, within := range []protowire.Number{5, 3} { // a range, of a delta
		flat = protowire.AppendBytes(protowire.AppendTag(nil, within, protowire.BytesType), flat)
	}
	if !wireRecord.knows(flat) {
		t.Error("a list that is not packed is not known")
	}
}

// FuzzKnows: what is known on the wire has no unknown field in memory.
func FuzzKnows(f *testing.F) {
	for _, value := range golden(f) {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		var r logpb.Record
		if proto.Unmarshal(value, &r) != nil || !isKnown(value, &r) {
			return
		}
		if what := unknown(&r); what != "" {
			t.Fatalf("it is known on the wire, and has %s", what)
		}
	})
}
