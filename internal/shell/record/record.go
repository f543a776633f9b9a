// Package record is one Kafka record: what those who read its bytes and those who fetch it share.
package record

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// Record is one Kafka record, read or to be written.
//
// A nil Key or Value is Kafka's null, which is not the same as an empty one: a
// null value under a key is a tombstone, an empty value is an empty document.
// Both directions keep them apart, in headers too.
//
// The byte slices of a fetched record point into the buffer of its batch: keep
// a copy of what must outlive the batch, for one kept key keeps it all alive.
type Record struct {
	Topic     string
	Partition int
	Offset    int64
	Time      time.Time
	Key       []byte
	Value     []byte
	Headers   []Header
	Schema    Schema // in which the value is written; nil: none is known
}

// Schema reads values of one schema of a registry. It is a function of the record alone.
type Schema interface {
	// JSON returns the value of a record as JSON, which may point into the record or into grown: dst,
	// to which it may have appended. The error says why the value cannot be used, now or later.
	JSON(rec *Record, dst []byte) (json, grown []byte, err error)
}

// Plain returns the value as JSON, if it has a schema; else as it is.
func (r *Record) Plain() ([]byte, error) {
	if r.Schema == nil {
		return r.Value, nil
	}
	plain, _, err := r.Schema.JSON(r, nil)
	return plain, err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Longest encodings of what a batch stores beside the bytes of a record.
const (
	recordFrame = 40 // of a record: its lengths, attributes, timestamp and offset
	headerFrame = 10 // of a header: its two lengths
)

// Size returns an upper bound of the bytes that the record takes in a batch that
// is not compressed: key, value, headers and their lengths.
func (r *Record) Size() int {
	n := recordFrame + len(r.Key) + len(r.Value)
	for i := range r.Headers {
		n += r.Headers[i].Size()
	}
	return n
}

// Checksum returns the CRC-32C of the key and the value, each after its length: a
// big-endian int32, -1 for null.
func (r *Record) Checksum() uint32 {
	sum := uint32(0)
	for _, b := range [][]byte{r.Key, r.Value} {
		n := int32(len(b))
		if b == nil {
			n = -1
		}
		sum = crc32.Update(sum, castagnoli, binary.BigEndian.AppendUint32(nil, uint32(n)))
		sum = crc32.Update(sum, castagnoli, b)
	}
	return sum
}

// Header is one header of a record. Kafka allows the same key several times and
// keeps the order.
type Header struct {
	Key   string
	Value []byte
}

// Size returns an upper bound of the bytes that the header takes in a batch.
func (h *Header) Size() int { return headerFrame + len(h.Key) + len(h.Value) }
