package stream

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"bayestream/internal/testing/alloctest"

	"github.com/pierrec/lz4/v4"
)

// Every kind of frame that the library writes is read, one after the other too.
func TestLz4Frames(t *testing.T) {
	d, err := newDecompressor(testLimit)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	text := bytes.Repeat([]byte("some text, some more, "), 20_000)
	var all, want []byte
	for _, size := range []lz4.BlockSize{lz4.Block64Kb, lz4.Block256Kb, lz4.Block1Mb, lz4.Block4Mb} {
		for _, sums := range []bool{true, false} {
			var packed bytes.Buffer
			w := lz4.NewWriter(&packed)
			if err := w.Apply(lz4.BlockSizeOption(size), lz4.BlockChecksumOption(sums), lz4.ChecksumOption(sums), lz4.SizeOption(uint64(len(text)))); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(text); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			all = append(all, packed.Bytes()...)
			want = append(want, text...)
		}
	}
	all = append(all, 0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3) // a frame to be passed over
	if got, err := d.unpack(codecLz4, all); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d: %v", len(got), len(want), err)
	}
}

// A block may refer to the one before it.
func TestLz4LinkedBlocks(t *testing.T) {
	d, err := newDecompressor(testLimit)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	block := func(size uint32, content string) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, size), content...)
	}
	second := "\x14x\x09\x00\x5012345" // a letter, 8 letters from 9 before, 5 letters
	frame := slices.Concat([]byte{0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0}, block(8|lz4Raw, "abcdefgh"), block(uint32(len(second)), second), block(0, ""))
	if got, err := d.unpack(codecLz4, frame); err != nil || string(got) != "abcdefghxabcdefgh12345" {
		t.Errorf("got %q, %v", got, err)
	}
	for n := 1; n < len(frame); n++ {
		if got, err := d.unpack(codecLz4, frame[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are %q", n, len(frame), got)
		}
	}
}

// A frame takes no memory for the size of the blocks that it announces.
func TestLz4TakesLittleForLittle(t *testing.T) {
	d, err := newDecompressor(testLimit)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	for _, frame := range []string{"\x04\"M\x18\x40\x70\x00", "\x04\"M\x18\x60\x70\x73\x01\x00\x00\x00\x00"} {
		alloctest.Bound(t, len(frame), func() {
			if got, err := d.unpack(codecLz4, []byte(frame)); err == nil {
				t.Errorf("%q is %q", frame, got)
			}
		})
	}
}
