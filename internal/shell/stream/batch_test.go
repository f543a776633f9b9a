package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"bayestream/internal/testing/alloctest"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// testBatch builds batches with franz-go's encoder, a second opinion on the
// layout.
type testBatch struct {
	base        int64
	lastDelta   int // count-1 when 0
	epoch       int32
	attributes  int16
	first, max  int64
	producer    int64
	count       int
	payload     []byte
	breakCRC    bool
	cutTo, size int // bytes to keep and length to claim, as they are when 0
}

func (b testBatch) encode() []byte {
	if b.lastDelta == 0 {
		b.lastDelta = max(b.count-1, 0)
	}
	k := kmsg.RecordBatch{
		FirstOffset: b.base, PartitionLeaderEpoch: b.epoch, Magic: 2, Attributes: b.attributes, LastOffsetDelta: int32(b.lastDelta),
		FirstTimestamp: b.first, MaxTimestamp: b.max, ProducerID: b.producer, ProducerEpoch: -1, FirstSequence: -1,
		NumRecords: int32(b.count), Records: b.payload,
	}
	k.Length = int32(batchHeader - batchPrefix + len(b.payload))
	raw := k.AppendTo(nil)
	k.CRC = int32(crc32.Checksum(raw[crcFrom:], castagnoli))
	if b.breakCRC {
		k.CRC++
	}
	raw = k.AppendTo(nil)
	if b.size != 0 {
		binary.BigEndian.PutUint32(raw[8:], uint32(b.size))
	}
	if b.cutTo != 0 {
		raw = raw[:b.cutTo]
	}
	return raw
}

func appendRecord(dst []byte, offsetDelta int, timeDelta int64, key, value []byte, headers ...Header) []byte {
	r := kmsg.Record{TimestampDelta64: timeDelta, OffsetDelta: int32(offsetDelta), Key: key, Value: value}
	for _, h := range headers {
		r.Headers = append(r.Headers, kmsg.Header(h))
	}
	r.Length = int32(len(r.AppendTo(nil)) - 1) // a length of 0 takes one byte
	return r.AppendTo(dst)
}

// threeRecords have the offset deltas 0, 1 and 2.
func threeRecords() []byte {
	p := appendRecord(nil, 0, 0, []byte("k0"), []byte("v0"), Header{Key: "a", Value: []byte("1")}, Header{Key: "a"}, Header{Key: "", Value: []byte{}})
	p = appendRecord(p, 1, 5, nil, []byte{})
	return appendRecord(p, 2, -7, []byte{}, nil)
}

func decodeAll(t *testing.T, raw []byte, from int64) ([]Record, batch, error) {
	t.Helper()
	b, err := decodeBatch(raw)
	if err != nil {
		return nil, b, err
	}
	records, err := b.appendRecords(nil, b.payload, from, 1000)
	return records, b, err
}

func TestBatchRecords(t *testing.T) {
	raw := testBatch{base: 100, epoch: 4, first: 1_700_000_000_000, count: 3, producer: -1, payload: threeRecords()}.encode()
	got, b, err := decodeAll(t, raw, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := func(ms int64) time.Time { return time.UnixMilli(1_700_000_000_000 + ms).UTC() }
	want := []Record{
		{Offset: 100, Time: at(0), Key: []byte("k0"), Value: []byte("v0"), Headers: []Header{{Key: "a", Value: []byte("1")}, {Key: "a"}, {Value: []byte{}}}},
		{Offset: 101, Time: at(5), Value: []byte{}},
		{Offset: 102, Time: at(-7), Key: []byte{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff) // cmp keeps null and empty apart
	}
	if b.last != 102 || b.leaderEpoch != 4 {
		t.Errorf("last offset %d and epoch %d, want 102 and 4", b.last, b.leaderEpoch)
	}
}

func TestBatchLeavesOutWhatCameBefore(t *testing.T) {
	raw := testBatch{base: 100, count: 3, producer: -1, payload: threeRecords()}.encode()
	got, _, err := decodeAll(t, raw, 102)
	if err != nil || len(got) != 1 || got[0].Offset != 102 {
		t.Errorf("from 102: %v, %v, want the record at 102", got, err)
	}
}

func TestBatchTimes(t *testing.T) {
	const broker = 1_800_000_000_000
	raw := testBatch{count: 3, attributes: appendTime, first: 1_700_000_000_000, max: broker, producer: -1, payload: threeRecords()}.encode()
	got, _, err := decodeAll(t, raw, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		if r.Time.UnixMilli() != broker {
			t.Errorf("with LogAppendTime a record has the time %s, want that of the broker", r.Time)
		}
	}
	raw = testBatch{count: 1, first: -1, max: -1, producer: -1, payload: appendRecord(nil, 0, 0, nil, nil)}.encode()
	if got, _, err = decodeAll(t, raw, 0); err != nil || !got[0].Time.IsZero() {
		t.Errorf("a record without a time has %v, %v", got, err)
	}
}

func TestBatchRefusesWhatIsBroken(t *testing.T) {
	good := testBatch{base: 10, count: 3, producer: -1, payload: threeRecords()}
	change := func(f func(*testBatch)) []byte {
		b := good
		f(&b)
		return b.encode()
	}
	old := good.encode()
	old[magicOffset] = 1
	hostile := binary.AppendVarint(nil, 40) // a record that claims a million headers
	hostile = append(append(hostile, 0, 0, 0, 1, 1), binary.AppendVarint(nil, 1_000_000)...)
	hostile = append(hostile, make([]byte, 40)...)
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"damaged":               {change(func(b *testBatch) { b.breakCRC = true }), "CRC"},
		"old format":            {old, "record format 1"},
		"cut header":            {good.encode()[:40], "end in the middle"},
		"too short for a magic": {good.encode()[:12], "end in the middle"},
		"more than it can hold": {change(func(b *testBatch) { b.count, b.lastDelta = 1<<30, 1<<30 }), "cannot hold"},
		"negative count":        {change(func(b *testBatch) { b.count = -1; b.lastDelta = 2 }), "cannot have the offsets"},
		"more than offsets":     {change(func(b *testBatch) { b.lastDelta = 1 }), "cannot have the offsets"},
		"negative base":         {change(func(b *testBatch) { b.base = -5 }), "cannot have the offsets"},
		"offset twice": {change(func(b *testBatch) {
			b.payload = append(appendRecord(appendRecord(nil, 0, 0, nil, nil), 1, 0, nil, nil), appendRecord(nil, 1, 0, nil, nil)...)
		}), "has offset 11"},
		"offset beyond": {change(func(b *testBatch) {
			b.payload = append(appendRecord(appendRecord(nil, 0, 0, nil, nil), 1, 0, nil, nil), appendRecord(nil, 9, 0, nil, nil)...)
		}), "has offset 19"},
		"records cut off": {change(func(b *testBatch) { b.payload = b.payload[:len(b.payload)-3] }), "record 3 of 3"},
		"hostile headers": {change(func(b *testBatch) { b.payload, b.count, b.lastDelta = hostile, 1, 0 }), "1000000 headers"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := decodeAll(t, c.raw, 0)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if len(got) != 0 {
				t.Errorf("%d records of a broken batch were kept", len(got))
			}
		})
	}
}

func TestBatchBoundsEntries(t *testing.T) {
	var payload []byte
	for i := range 20 {
		payload = appendRecord(payload, i, 0, nil, nil, Header{Key: "h"})
	}
	b, err := decodeBatch(testBatch{count: 20, producer: -1, payload: payload}.encode())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.appendRecords(nil, payload, 0, 40); err != nil {
		t.Errorf("20 records with 20 headers do not fit into 40 entries: %v", err)
	}
	for _, entries := range []int{10, 39} {
		if _, err := b.appendRecords(nil, payload, 0, entries); !errors.Is(err, errBatchLimit) {
			t.Errorf("20 records with 20 headers in %d entries: %v, want the limit", entries, err)
		}
	}
}

func TestAbortMarker(t *testing.T) {
	marker := func(kind byte) batch {
		payload := appendRecord(nil, 0, 0, []byte{0, 0, 0, kind}, []byte{0, 0, 0, 0, 0, 0})
		b, err := decodeBatch(testBatch{attributes: control | transactional, count: 1, producer: 9, payload: payload}.encode())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := marker(0); !b.abortMarker() {
		t.Error("type 0 is not taken for an abort marker")
	}
	if b := marker(1); b.abortMarker() {
		t.Error("type 1, a commit, is taken for an abort marker")
	}
	if b := (batch{attributes: control, count: 1, payload: []byte{3, 0}}); b.abortMarker() {
		t.Error("a broken control record is taken for an abort marker")
	}
}

// FuzzBatch checks that no bytes make the decoder panic, deliver offsets out of
// order, or hold more records than bytes can have.
func FuzzBatch(f *testing.F) {
	f.Add(testBatch{base: 100, epoch: 4, first: 1_700_000_000_000, count: 3, producer: -1, payload: threeRecords()}.encode(), int64(101))
	f.Add(testBatch{attributes: control | transactional, count: 1, producer: 9, payload: appendRecord(nil, 0, 0, []byte{0, 0, 0, 0}, nil)}.encode(), int64(0))
	f.Add(testBatch{count: 1 << 30, payload: bytes.Repeat([]byte{12, 0}, 50)}.encode(), int64(0))
	f.Fuzz(func(t *testing.T, raw []byte, from int64) {
		if len(raw) > batchHeader { // so that more than the CRC is tested
			raw = bytes.Clone(raw)
			raw[magicOffset] = 2
			binary.BigEndian.PutUint32(raw[crcOffset:], crc32.Checksum(raw[crcFrom:], castagnoli))
		}
		var b batch
		var records []Record
		var err error
		alloctest.Bound(t, len(raw), func() {
			b, err = decodeBatch(raw)
			if err == nil {
				b.abortMarker()
				records, err = b.appendRecords(nil, b.payload, from, 1000)
			}
		})
		if err != nil && len(records) > 0 {
			t.Fatalf("%d records beside the error %v", len(records), err)
		}
		last := max(from, b.base) - 1
		for _, r := range records {
			if r.Offset <= last || r.Offset > b.last {
				t.Fatalf("offset %d after %d in a batch up to %d, asked from %d", r.Offset, last, b.last, from)
			}
			last = r.Offset
		}
	})
}
