package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go/compress"
	"github.com/twmb/franz-go/pkg/kbin"
)

// Codes of the codecs in the batch attributes.
const (
	codecNone = iota
	codecGzip
	codecSnappy
	codecLz4
	codecZstd
)

// errBatchLimit says that a batch exceeds batchLimit.
var errBatchLimit = errors.New("the batch unpacks to more than the limit")

// decompressor unpacks the records of a batch into at most limit bytes: 28 KB of
// zstd can stand for 256 MB, and a snappy block states any size. kafka-go's codecs
// have no bound: of them only that of lz4 is used, whose output is cut off. It is
// safe for concurrent use.
type decompressor struct {
	limit int
	zstd  *zstd.Decoder
}

func newDecompressor(limit int) (*decompressor, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(uint64(limit)))
	if err != nil {
		return nil, fmt.Errorf("make a zstd decoder with a limit of %d bytes: %w", limit, err)
	}
	return &decompressor{limit: limit, zstd: z}, nil
}

func (d *decompressor) close() { d.zstd.Close() }

// unpack returns the records of a batch decompressed. Without a codec it returns
// packed itself, which the caller has bounded.
func (d *decompressor) unpack(codec int8, packed []byte) ([]byte, error) {
	switch codec {
	case codecNone:
		return packed, nil
	case codecGzip:
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return d.readAll("gzip", r, len(packed))
	case codecSnappy:
		return d.unpackSnappy(packed)
	case codecLz4:
		r := compress.Lz4.Codec().NewReader(bytes.NewReader(packed))
		defer func() { _ = r.Close() }() // it goes back to a pool
		return d.readAll("lz4", r, len(packed))
	case codecZstd:
		return d.unpackZstd(packed)
	}
	return nil, fmt.Errorf("compression codec %d is not known: Kafka has 0 to 4", codec)
}

// readAll reads the output of a streaming decoder, up to the limit.
func (d *decompressor) readAll(codec string, r io.Reader, packed int) ([]byte, error) {
	plain, err := io.ReadAll(io.LimitReader(r, int64(d.limit)+1))
	switch {
	case len(plain) > d.limit:
		return nil, d.tooLarge(codec, packed)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	return plain, nil
}

// unpackZstd also refuses a frame for its window, the part of the output that it may
// refer back to: with a limit of 64 MiB, only the highest level of zstd.
func (d *decompressor) unpackZstd(packed []byte) ([]byte, error) {
	plain, err := d.zstd.DecodeAll(packed, nil)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded), err == nil &&
		len(plain) > d.limit:
		return nil, d.tooLarge("zstd", len(packed))
	case err != nil:
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return plain, nil
}

// xerial is the start of the framing that Kafka's Java client puts around
// snappy blocks: a magic and two versions, 16 bytes in all, then blocks with a
// 32-bit length before each. Other clients send one bare block.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

const xerialHeader = 16

// unpackSnappy first adds up the sizes that the blocks state, then decodes them into
// one buffer.
func (d *decompressor) unpackSnappy(packed []byte) ([]byte, error) {
	blocks, err := snappyBlocks(packed)
	if err != nil {
		return nil, fmt.Errorf("snappy: %w", err)
	}
	total := 0
	for _, block := range blocks {
		n, err := snappy.DecodedLen(block)
		if err != nil {
			return nil, fmt.Errorf("snappy: %w", err)
		}
		if n > d.limit-total {
			return nil, d.tooLarge("snappy", len(packed))
		}
		total += n
	}
	plain := make([]byte, total)
	rest := plain
	for _, block := range blocks {
		decoded, err := snappy.Decode(rest, block)
		if err != nil {
			return nil, fmt.Errorf("snappy: %w", err)
		}
		rest = rest[len(decoded):]
	}
	return plain, nil
}

func snappyBlocks(packed []byte) ([][]byte, error) {
	if !bytes.HasPrefix(packed, xerial) {
		return [][]byte{packed}, nil
	}
	r := kbin.Reader{Src: packed}
	r.Span(xerialHeader)
	var blocks [][]byte
	for len(r.Src) > 0 {
		blocks = append(blocks, r.Span(int(r.Int32())))
	}
	if !r.Ok() {
		return nil, errShort
	}
	return blocks, nil
}

// tooLarge returns the error of packed bytes that unpack to more than the limit.
func (d *decompressor) tooLarge(codec string, packed int) error {
	return fmt.Errorf("%w of %d bytes: it has %d bytes of %s", errBatchLimit, d.limit, packed, codec)
}
