package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"bayestream/internal/shell/escape"
)

// A LineError says which line of which file could not be used, and why.
type LineError struct {
	File string
	Line int64 // counted from 1
	Err  error
}

// Error begins with file:line, as compilers write it.
func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d: %v", escape.Text(e.File), e.Line, e.Err)
}

// Unwrap returns the reason.
func (e *LineError) Unwrap() error { return e.Err }

// Lines reads the lines of a text. Memory is bounded by the limit on
// a line, not by the file.
type Lines struct {
	file   string
	in     *bufio.Reader
	limit  int
	buf    []byte
	number int64
	err    error // final
}

// NewLines reads from in, which is unpacked. file is its name in errors, limit the length of the
// longest line in bytes.
func NewLines(file string, in *bufio.Reader, limit int) *Lines {
	return &Lines{file: file, in: in, limit: limit}
}

// Number returns the number of the line that Next returned last, counted from 1.
func (l *Lines) Number() int64 { return l.number }

// Next returns the next line that is not blank, without its line break, valid until
// the next call. At the end the error is io.EOF, and for a damaged file a *LineError,
// which every further call returns again. For a line over the limit it is a
// *LineError that wraps a *Reject; the next call returns the line after it.
func (l *Lines) Next() ([]byte, error) {
	for l.err == nil {
		line, tooLong, err := l.read()
		switch {
		case err == io.EOF && len(line) == 0:
			l.err = io.EOF
			return nil, l.err
		case err != nil && err != io.EOF:
			l.err = &LineError{File: l.file, Line: l.number, Err: Unreadable(err)}
			return nil, l.err
		case tooLong:
			return nil, &LineError{File: l.file, Line: l.number,
				Err: Rejectf(TooLarge, "the line has more than %d bytes, the limit", l.limit)}
		}
		line = bytes.TrimSpace(line)
		if len(line) > 0 {
			return line, nil
		}
	}
	return nil, l.err
}

// read reads one line, with its break. A line over the limit is skipped, and not kept
// in memory. A line that fits into the reader's buffer is not copied.
func (l *Lines) read() (line []byte, tooLong bool, err error) {
	l.number++
	piece, err := l.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return piece, l.tooLong(piece), err
	}
	l.buf = l.buf[:0]
	for {
		if !tooLong {
			l.buf = append(l.buf, piece...)
			tooLong = l.tooLong(l.buf)
		}
		if err != bufio.ErrBufferFull {
			return l.buf, tooLong, err
		}
		piece, err = l.in.ReadSlice('\n')
	}
}

// tooLong reports whether a line without its break is over the limit. One carriage
// return belongs to the break: a line of carriage returns must not be unbounded.
func (l *Lines) tooLong(line []byte) bool {
	return len(line) > l.limit && len(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))) > l.limit
}

// Unreadable explains an error of reading a file. One of unpacking it explains itself.
func Unreadable(err error) error {
	if packed := (interface{ Unpacking() string })(nil); errors.As(err, &packed) {
		return err
	}
	return fmt.Errorf("read: %w", err)
}
