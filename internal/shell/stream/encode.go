package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/segmentio/kafka-go/compress"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sizePrefix is the length of a record set, which comes before it in a request.
const sizePrefix = 4

// writer is what a batch says about who wrote it.
type writer struct {
	producer      int64
	epoch         int16
	sequence      int32 // of the first record
	transactional bool
}

// anonymous writes batches that a broker cannot tell from a repetition.
var anonymous = writer{producer: -1, epoch: -1, sequence: -1}

// encode returns records as a record set of one batch (its layout is at batchPrefix),
// with its size before it. It copies the records, because the goroutine of a
// connection may still be writing when ctx ends and the caller reuses its buffers.
// kafka-go's own encoding takes three times as long.
func encode(records []Record, by writer, codec protocol.Attributes) ([]byte, error) {
	if len(records) == 0 {
		return nil, errors.New("a batch has at least one record")
	}
	now := time.Now()
	first := milliseconds(&records[0], now)
	last := first
	size := 0
	for i := range records {
		at := milliseconds(&records[i], now)
		last = max(last, at)
		size += framed(encodedSize(&records[i], at-first, i))
	}
	set := make([]byte, sizePrefix+batchHeader, sizePrefix+batchHeader+size)
	for i := range records {
		set = appendRecordOf(set, &records[i], milliseconds(&records[i], now)-first, i)
	}
	set, err := packSet(set, codec)
	if err != nil {
		return nil, err
	}
	putHeader(set, len(records), first, last, by, codec)
	return set, nil
}

// milliseconds returns the time of a record as Unix time in ms, or the time now if it has none.
func milliseconds(r *Record, now time.Time) int64 {
	if r.Time.IsZero() {
		return now.UnixMilli()
	}
	return r.Time.UnixMilli()
}

func packSet(set []byte, codec protocol.Attributes) ([]byte, error) {
	if codec == 0 {
		return set, nil
	}
	var packed bytes.Buffer
	packed.Write(set[:sizePrefix+batchHeader])
	w := compress.Compression(codec).Codec().NewWriter(&packed)
	_, err := w.Write(set[sizePrefix+batchHeader:])
	err = errors.Join(err, w.Close())
	if err != nil {
		return nil, fmt.Errorf("compress the batch: %w", err)
	}
	return packed.Bytes(), nil
}

func putHeader(set []byte, n int, first, last int64, by writer, codec protocol.Attributes) {
	b := set[sizePrefix:]
	h := kmsg.RecordBatch{ // the broker sets the base offset and the leader's epoch
		Length: int32(len(b) - batchPrefix), PartitionLeaderEpoch: -1, Magic: 2, Attributes: int16(codec),
		LastOffsetDelta: int32(n - 1), FirstTimestamp: first, MaxTimestamp: last, ProducerID: by.producer,
		ProducerEpoch: by.epoch, FirstSequence: by.sequence, NumRecords: int32(n),
	}
	if by.transactional {
		h.Attributes |= transactional
	}
	binary.BigEndian.PutUint32(set, uint32(len(b)))
	h.AppendTo(b[:0])
	binary.BigEndian.PutUint32(b[crcOffset:], crc32.Checksum(b[crcFrom:], castagnoli))
}

func appendRecordOf(dst []byte, r *Record, delta int64, i int) []byte {
	dst = binary.AppendVarint(dst, int64(encodedSize(r, delta, i)))
	dst = append(dst, 0) // attributes: none are defined
	dst = binary.AppendVarint(dst, delta)
	dst = binary.AppendVarint(dst, int64(i))
	dst = kbin.AppendVarintBytes(dst, r.Key)
	dst = kbin.AppendVarintBytes(dst, r.Value)
	dst = binary.AppendVarint(dst, int64(len(r.Headers)))
	for _, h := range r.Headers {
		dst = kbin.AppendVarintString(dst, h.Key)
		dst = kbin.AppendVarintBytes(dst, h.Value)
	}
	return dst
}

// encodedSize returns the bytes of the i-th record of a batch after its length.
func encodedSize(r *Record, delta int64, i int) int {
	size := 1 + kbin.VarlongLen(delta) + kbin.VarlongLen(int64(i)) + framed(len(r.Key)) + framed(len(r.Value)) +
		kbin.VarlongLen(int64(len(r.Headers)))
	for _, h := range r.Headers {
		size += framed(len(h.Key)) + framed(len(h.Value))
	}
	return size
}

// framed returns the size of n bytes with their length before them. Null takes as much as empty.
func framed(n int) int { return kbin.VarlongLen(int64(n)) + n }
