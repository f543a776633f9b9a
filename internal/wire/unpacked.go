package wire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// fileBuffer is how many bytes of a file are read at a time.
const fileBuffer = 1 << 16

// gzipMagic is how a gzip file begins (RFC 1952, 2.3.1).
var gzipMagic = []byte{0x1f, 0x8b}

// byteOrderMark is what some editors put before UTF-8.
var byteOrderMark = []byte("\uFEFF")

// Unpacked returns the bytes of a file, unpacked if it is gzip. The first two bytes
// decide, not the file's name. An error, here or while reading, is one that
// Unreadable explains.
func Unpacked(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, fileBuffer)
	magic, _ := in.Peek(len(gzipMagic)) // a read error shows at the next read
	if !bytes.Equal(magic, gzipMagic) {
		return in, nil
	}
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(unpacked, fileBuffer), nil
}

// UnpackedText is Unpacked without a byte order mark. file is its name in errors,
// each a *LineError.
func UnpackedText(file string, r io.Reader) (*bufio.Reader, error) {
	in, err := Unpacked(r)
	if err != nil {
		return nil, &LineError{File: file, Line: 1, Err: Unreadable(err)}
	}
	mark, _ := in.Peek(len(byteOrderMark)) // a read error shows at the next read
	if bytes.Equal(mark, byteOrderMark) {
		_, _ = in.Discard(len(mark)) // cannot fail: the bytes are in the buffer
	}
	return in, nil
}

// Unreadable explains an error of reading a file, packed or not.
func Unreadable(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the gzip data ends early: the file is cut off; fetch or pack it again")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the gzip data is damaged: %w; fetch or pack the file again", err)
	}
	return fmt.Errorf("read: %w", err)
}
