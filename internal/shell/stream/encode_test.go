package stream

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go/protocol"
	"pgregory.net/rapid"
)

// What encode writes, the decoder here and that of kafka-go read back.
func TestEncodeIsReadBack(t *testing.T) {
	unpack, err := newDecompressor(1 << 24)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.close()
	rapid.Check(t, func(t *rapid.T) {
		compression, err := compressionOf(rapid.SampledFrom([]string{"none", "gzip", "snappy", "lz4", "zstd"}).Draw(t, "compression"))
		if err != nil {
			t.Fatal(err)
		}
		want := drawRecords(t)
		set, err := encode(want, anonymous, compression.records)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].Offset = int64(i)
		}
		s := recordSet{unpack: unpack, enough: unpack.limit}
		if missing, err := s.decode(set[sizePrefix:]); missing != 0 || err != nil {
			t.Fatalf("missing %d bytes, %v", missing, err)
		}
		if diff := cmp.Diff(want, s.records, nilIsNull); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
		theirs := protocol.RecordSet{}
		if _, err := theirs.ReadFrom(bytes.NewReader(set)); err != nil {
			t.Fatalf("kafka-go: %v", err)
		}
		for i := range want {
			r, err := theirs.Records.ReadRecord()
			if err != nil {
				t.Fatalf("kafka-go, record %d: %v", i, err)
			}
			value, err := protocol.ReadAll(r.Value)
			if err != nil || !bytes.Equal(value, want[i].Value) || (r.Value == nil) != (want[i].Value == nil) || len(r.Headers) != len(want[i].Headers) {
				t.Fatalf("kafka-go reads record %d as %q with %d headers, %v", i, value, len(r.Headers), err)
			}
		}
	})
}

// nilIsNull tells null from empty.
var nilIsNull = cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) })

func drawRecords(t *rapid.T) []Record {
	data := func(name string) []byte {
		switch n := rapid.IntRange(-1, 200).Draw(t, name); {
		case n < 0:
			return nil
		default:
			return bytes.Repeat([]byte{'x'}, n)
		}
	}
	at := time.UnixMilli(1_700_000_000_000)
	var out []Record
	for range rapid.IntRange(1, 150).Draw(t, "records") {
		at = at.Add(time.Duration(rapid.IntRange(-1000, 100_000).Draw(t, "ms")) * time.Millisecond)
		r := Record{Time: at, Key: data("key"), Value: data("value")}
		for range rapid.IntRange(0, 2).Draw(t, "headers") {
			r.Headers = append(r.Headers, Header{Key: rapid.StringN(0, 5, -1).Draw(t, "name"), Value: data("header")})
		}
		out = append(out, r)
	}
	return out
}

func TestEncodeOfNothing(t *testing.T) {
	if _, err := encode(nil, anonymous, 0); err == nil {
		t.Error("a batch without records was encoded")
	}
}

// The header of a batch names the first and the latest time, also before 1970.
func TestEncodeTimes(t *testing.T) {
	for _, ms := range [][]int64{{1_700_000_000_000, 1_700_000_000_005, 1_700_000_000_001}, {0, 0}, {-5, -9}} {
		var records []Record
		for _, at := range ms {
			records = append(records, Record{Time: time.UnixMilli(at)})
		}
		set, err := encode(records, anonymous, 0)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := decodeBatch(set[sizePrefix:]); err != nil || b.firstTime != ms[0] || b.maxTime != slices.Max(ms) {
			t.Errorf("times %d: the header says %d to %d, %v", ms, b.firstTime, b.maxTime, err)
		}
	}
}

// TestSequencesWrap: after the greatest sequence follows 0.
func TestSequencesWrap(t *testing.T) {
	for _, c := range []struct {
		sequence int32
		n        int
		want     int32
	}{{0, 3, 3}, {math.MaxInt32 - 3, 3, math.MaxInt32}, {math.MaxInt32 - 2, 3, 0}, {math.MaxInt32, 1, 0}, {math.MaxInt32, 5, 4}} {
		if got := nextSequence(c.sequence, c.n); got != c.want {
			t.Errorf("after %d and %d records: %d, want %d", c.sequence, c.n, got, c.want)
		}
	}
}
