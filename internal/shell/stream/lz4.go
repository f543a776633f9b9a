package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/pierrec/lz4/v4"
)

// The parts of an LZ4 frame (lz4_Frame_format.md of the LZ4 project, version 1.6.1).
const (
	lz4Magic         = 0x184D2204
	lz4Skippable     = 0x184D2A50 // to ...5F
	lz4Independent   = 1 << 5     // absent: a block refers to those before it
	lz4BlockSum      = 1 << 4
	lz4ContentSize   = 1 << 3
	lz4ContentSum    = 1 << 2
	lz4Dictionary    = 1
	lz4Raw           = 1 << 31 // of the size of a block: it is not compressed
	lz4Window        = 64 << 10
	lz4MostExpansion = 255 // bytes of output for a byte of a block
)

var errLz4 = errors.New("the frame is cut off, or not one")

// unpackLz4 decodes the frames of a batch, block by block. The library's own reader takes 8 MiB for
// a frame of 7 bytes that says its blocks are large. The checksums of a frame are passed over: that
// of the batch covers them.
func (d *decompressor) unpackLz4(packed []byte) ([]byte, error) {
	var plain []byte
	rest := packed
	for len(rest) > 0 {
		var err error
		if plain, rest, err = d.unpackLz4Frame(plain, rest); err != nil {
			if errors.Is(err, errBatchLimit) {
				return nil, d.tooLarge("lz4", len(packed))
			}
			return nil, fmt.Errorf("lz4: %w", err)
		}
	}
	return plain, nil
}

// unpackLz4Frame appends the content of the first frame to plain and returns what follows it.
func (d *decompressor) unpackLz4Frame(plain, in []byte) (out, rest []byte, err error) {
	magic, in, ok := lz4Number(in)
	if ok && magic&^0xf == lz4Skippable {
		size, in, ok := lz4Number(in)
		if !ok || uint64(size) > uint64(len(in)) {
			return nil, nil, errLz4
		}
		return plain, in[size:], nil
	}
	if !ok || magic != lz4Magic || len(in) < 2 || in[0]>>6 != 1 || in[1]>>4&7 < 4 {
		return nil, nil, errLz4
	}
	flags := in[0]
	if flags&lz4Dictionary != 0 {
		return nil, nil, errors.New("the frame needs a dictionary")
	}
	largest := 1 << (8 + 2*(in[1]>>4&7)) // 64 KiB to 4 MiB
	header := 3                          // flags, sizes of blocks, checksum
	if flags&lz4ContentSize != 0 {
		header += 8
	}
	if len(in) < header {
		return nil, nil, errLz4
	}
	in = in[header:]
	start := len(plain)
	for {
		size, following, ok := lz4Number(in)
		switch {
		case !ok:
			return nil, nil, errLz4
		case size == 0 && lz4Sum(flags, lz4ContentSum) > len(following):
			return nil, nil, errLz4
		case size == 0:
			return plain, following[lz4Sum(flags, lz4ContentSum):], nil
		}
		length := int(size &^ lz4Raw)
		if length > largest || length+lz4Sum(flags, lz4BlockSum) > len(following) {
			return nil, nil, errLz4
		}
		var window []byte
		if flags&lz4Independent == 0 {
			window = plain[max(start, len(plain)-lz4Window):]
		}
		if plain, err = d.appendLz4Block(plain, following[:length], window, size&lz4Raw != 0, largest); err != nil {
			return nil, nil, err
		}
		in = following[length+lz4Sum(flags, lz4BlockSum):]
	}
}

// appendLz4Block appends the content of a block, which is at most largest bytes.
func (d *decompressor) appendLz4Block(plain, block, window []byte, isRaw bool, largest int) ([]byte, error) {
	room := d.limit - len(plain)
	if isRaw {
		if len(block) > room {
			return nil, errBatchLimit
		}
		return append(plain, block...), nil
	}
	most := min(largest, lz4MostExpansion*len(block))
	n := len(plain)
	plain = slices.Grow(plain, min(most, room))
	got, err := lz4.UncompressBlockWithDict(block, plain[n:n+min(most, room)], window)
	if err != nil && most > room {
		return nil, errBatchLimit // or damaged: the block was not read to its end
	}
	if err != nil {
		return nil, err
	}
	return plain[:n+got], nil
}

// lz4Sum returns how many bytes a checksum takes, 0 if the flags say that there is none.
func lz4Sum(flags, has byte) int {
	if flags&has == 0 {
		return 0
	}
	return 4
}

// lz4Number reads a number of 32 bits.
func lz4Number(in []byte) (n uint32, rest []byte, ok bool) {
	if len(in) < 4 {
		return 0, in, false
	}
	return binary.LittleEndian.Uint32(in), in[4:], true
}
