package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The layout of a record batch, magic 2
// (https://kafka.apache.org/documentation/#recordbatch):
//
//	 0 base offset      int64       27 base timestamp   int64
//	 8 length from 12   int32       35 max timestamp    int64
//	12 leader epoch     int32       43 producer id      int64
//	16 magic            int8        51 producer epoch   int16
//	17 CRC32C from 21   uint32      53 base sequence    int32
//	21 attributes       int16       57 number of records int32
//	23 last offset delta int32      61 the records, compressed as the attributes say
//
// kafka-go decodes this too, but omits the last offset delta, without which a reader
// of a compacted topic cannot pass a batch whose tail was removed, and trusts the
// numbers of records and headers, which come from the producer.
const (
	batchPrefix = 12 // base offset and length
	batchHeader = 61
	magicOffset = 16
	crcOffset   = 17
	crcFrom     = 21
)

// Bits of the batch attributes.
const (
	codecMask     = 0x07
	appendTime    = 0x08
	transactional = 0x10
	control       = 0x20
)

// smallestRecord is the size of an empty record: six numbers of one byte and the
// attributes.
const smallestRecord = 7

// errShort says that the bytes end before the value does.
var errShort = errors.New("the bytes end in the middle of a value")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// batch is a record batch whose header is decoded and whose records are not.
type batch struct {
	base, last  int64 // offsets; last may be after the last record of a compacted batch
	leaderEpoch int32
	attributes  int16
	firstTime   int64
	maxTime     int64
	producer    int64
	count       int
	payload     []byte // the records as they were sent
}

func (b *batch) codec() int8         { return int8(b.attributes & codecMask) }
func (b *batch) isControl() bool     { return b.attributes&control != 0 }
func (b *batch) transactional() bool { return b.attributes&transactional != 0 }

// batchSize returns the size in bytes of the batch at the start of set and its base
// offset. ok is false if set ends before the length; then size is a minimum.
func batchSize(set []byte) (size int, base int64, ok bool) {
	if len(set) < batchPrefix {
		return batchHeader, 0, false
	}
	base = int64(binary.BigEndian.Uint64(set))
	return batchPrefix + int(int32(binary.BigEndian.Uint32(set[8:]))), base, true
}

// decodeBatch decodes the header of the whole batch in raw and checks its CRC.
func decodeBatch(raw []byte) (batch, error) {
	if len(raw) <= magicOffset {
		return batch{}, errShort
	}
	magic := int8(raw[magicOffset])
	if magic != 2 {
		return batch{}, fmt.Errorf("record format %d is not supported: write the topic again with Kafka 0.11 or newer", magic)
	}
	var h kmsg.RecordBatch
	if h.ReadFrom(raw) != nil {
		return batch{}, errShort
	}
	b := batch{
		base: h.FirstOffset, last: h.FirstOffset + int64(h.LastOffsetDelta), leaderEpoch: h.PartitionLeaderEpoch,
		attributes: h.Attributes, firstTime: h.FirstTimestamp, maxTime: h.MaxTimestamp, producer: h.ProducerID,
		count: int(h.NumRecords), payload: h.Records,
	}
	got := crc32.Checksum(raw[crcFrom:], castagnoli)
	if sum := uint32(h.CRC); got != sum {
		return batch{}, fmt.Errorf("CRC is %08x, the batch says %08x: it was damaged on its way or on disk", got, sum)
	}
	if b.base < 0 || b.last < b.base || b.last == math.MaxInt64 || b.count < 0 || int64(b.count) > b.last-b.base+1 {
		return batch{}, fmt.Errorf("%d records cannot have the offsets %d to %d", b.count, b.base, b.last)
	}
	return b, nil
}

// appendRecords appends the records of the batch from offset from on. plain has them
// decompressed. entries bounds the number of records and headers, because each takes
// a few bytes on the wire and about a hundred here. With an error dst is returned as
// it was.
func (b *batch) appendRecords(dst []Record, plain []byte, from int64, entries int) ([]Record, error) {
	if b.count > len(plain)/smallestRecord {
		return dst, fmt.Errorf("%d bytes cannot hold %d records", len(plain), b.count)
	}
	entries -= b.count
	if entries < 0 {
		return dst, fmt.Errorf("%w: %d records", errBatchLimit, b.count)
	}
	kept := len(dst)
	dst = slices.Grow(dst, b.count)
	rest := kbin.Reader{Src: plain}
	next := b.base
	for i := range b.count {
		dst = append(dst, Record{})
		r := &dst[len(dst)-1]
		if err := b.decodeRecord(r, rest.VarintBytes(), &entries); err != nil {
			return dst[:kept], fmt.Errorf("record %d of %d: %w", i+1, b.count, err)
		}
		if r.Offset < next || r.Offset > b.last {
			return dst[:kept], fmt.Errorf("record %d of %d has offset %d, want %d to %d", i+1, b.count, r.Offset, next, b.last)
		}
		next = r.Offset + 1
		if r.Offset < from {
			dst = dst[:len(dst)-1]
		}
	}
	return dst, nil
}

// decodeRecord decodes one record from raw and subtracts its headers from entries.
func (b *batch) decodeRecord(r *Record, raw []byte, entries *int) error {
	from := kbin.Reader{Src: raw}
	from.Int8() // record attributes: none are defined
	r.Time = b.recordTime(from.Varlong())
	r.Offset = b.base + from.Varlong()
	r.Key = from.VarintBytes()
	r.Value = from.VarintBytes()
	n := from.Varlong()
	switch {
	case !from.Ok():
		return errShort
	case n < 0 || n > int64(len(from.Src)/2):
		return fmt.Errorf("%d headers do not fit in %d bytes", n, len(from.Src))
	case n == 0:
		return nil
	case int(n) > *entries:
		return fmt.Errorf("%w: %d headers in one record", errBatchLimit, n)
	}
	*entries -= int(n)
	r.Headers = make([]Header, n)
	for i := range r.Headers {
		r.Headers[i] = Header{Key: from.VarintString(), Value: from.VarintBytes()}
	}
	if !from.Ok() {
		return errShort
	}
	return nil
}

// recordTime returns the time of a record: its own, or the broker's for a topic
// with message.timestamp.type=LogAppendTime. Kafka's -1 stands for no time.
func (b *batch) recordTime(delta int64) time.Time {
	ms := b.firstTime + delta
	if b.attributes&appendTime != 0 {
		ms = b.maxTime
	}
	if ms < 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// abortMarker reports whether the batch is the control batch that aborts a transaction.
// The key of its only record is a version and a type: 0 abort, 1 commit.
func (b *batch) abortMarker() bool {
	if !b.isControl() || b.count == 0 {
		return false
	}
	record := kbin.Reader{Src: b.payload}
	body := kbin.Reader{Src: record.VarintBytes()}
	body.Int8()
	body.Varlong()
	body.Varlong()
	key := kbin.Reader{Src: body.VarintBytes()}
	key.Int16()
	kind := key.Int16()
	return key.Ok() && kind == 0
}
