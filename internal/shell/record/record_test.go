package record_test

import (
	"testing"

	"bayestream/internal/shell/record"
)

// TestRecordChecksum keeps apart what concatenated bytes would not, and the checksum itself: it
// stands in logs.
func TestRecordChecksum(t *testing.T) {
	if got := (&record.Record{Key: []byte("key"), Value: []byte("value")}).Checksum(); got != 0x4b05957a {
		t.Errorf("the checksum is %#x", got)
	}
	seen := map[uint32]record.Record{}
	for _, r := range []record.Record{
		{}, {Key: []byte{}}, {Value: []byte{}}, {Key: []byte("a")}, {Value: []byte("a")}, {Key: []byte("a"), Value: []byte("b")},
		{Key: []byte("ab"), Value: []byte{}}, {Key: []byte("ab")},
	} {
		if other, ok := seen[r.Checksum()]; ok {
			t.Errorf("%q/%q and %q/%q have the same checksum", r.Key, r.Value, other.Key, other.Value)
		}
		seen[r.Checksum()] = r
	}
}
