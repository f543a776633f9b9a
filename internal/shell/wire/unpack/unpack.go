// Package unpack reads files that may be packed: gzip, zstd, xz, bzip2, and a zip archive with one
// file. The first bytes of a file decide, not its name. Memory is bounded by the packings'
// dictionaries, not by what a file unpacks to.
package unpack

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

// buffer is how many bytes of a file are read at a time.
const buffer = 1 << 16

// maxDictionary is how much of what was unpacked a packing may refer to, in bytes: what xz -9 and
// zstd --long need. A file that asks for more is refused, since as much memory is taken for it.
const maxDictionary = 128 << 20

// ByteOrderMark is what some editors put before UTF-8.
const ByteOrderMark = "\uFEFF"

// packing is one way to pack a file.
type packing struct {
	name  string
	magic string // the first bytes of a file
	open  func(r io.Reader) (io.Reader, error)
}

// packings are the packings that are read as a stream.
var packings = []packing{
	{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"zstd", "\x28\xb5\x2f\xfd", openZstd},
	{"xz", "\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r, maxDictionary) }},
	{"bzip2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
}

// openZstd unpacks in the goroutine that reads, so that there is nothing to close.
func openZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxDictionary), zstd.WithDecoderMaxMemory(maxDictionary),
		zstd.WithDecodeBuffersBelow(0))
}

// bzip2Block is how a bzip2 file goes on behind its level: with a block, or with its end.
var bzip2Block = []string{"1AY&SY", "\x17rE8P\x90"}

// Reader returns the bytes of a file, unpacked if it is packed. An error, here or while reading, is
// an *Error if the packed data is at fault, and the error of r otherwise.
func Reader(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, buffer)
	p := packingOf(in)
	switch {
	case p != nil:
	case IsZip(in):
		return nil, &Error{Packing: "zip", Err: errZipStream}
	default:
		return in, nil
	}
	source := &source{r: in}
	unpacked, err := p.open(source)
	if err != nil {
		return nil, source.explain(p.name, err)
	}
	return bufio.NewReaderSize(&reader{name: p.name, source: source, r: unpacked}, buffer), nil
}

// Packing returns the name of the packing of a file, "" if it is not packed.
func Packing(in *bufio.Reader) string {
	if IsZip(in) {
		return "zip"
	}
	if p := packingOf(in); p != nil {
		return p.name
	}
	return ""
}

func packingOf(in *bufio.Reader) *packing {
	for i := range packings {
		if p := &packings[i]; starts(in, p.magic) && (p.name != "bzip2" || isBzip2(in)) {
			return p
		}
	}
	return nil
}

// Text is Reader without a byte order mark of UTF-8.
func Text(r io.Reader) (*bufio.Reader, error) {
	in, err := Reader(r)
	if err == nil {
		SkipMark(in)
	}
	return in, err
}

// SkipMark takes off a byte order mark of UTF-8, and reports whether there was one.
func SkipMark(in *bufio.Reader) bool {
	found := starts(in, ByteOrderMark)
	if found {
		_, _ = in.Discard(len(ByteOrderMark)) // it is buffered
	}
	return found
}

// starts reports whether a file begins with some bytes. It waits for no byte behind the first that
// differs.
func starts(in *bufio.Reader, magic string) bool {
	for i := range len(magic) {
		head, _ := in.Peek(i + 1) // a read error shows at the next read
		if len(head) <= i || head[i] != magic[i] {
			return false
		}
	}
	return true
}

// isBzip2 tells a bzip2 file from a text that begins with BZh.
func isBzip2(in *bufio.Reader) bool {
	for level := '1'; level <= '9'; level++ {
		for _, next := range bzip2Block {
			if starts(in, "BZh"+string(level)+next) {
				return true
			}
		}
	}
	return false
}

// source is a packed file. It remembers the error of reading it.
type source struct {
	r   io.Reader
	err error
}

// Read reads packed bytes.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// explain returns an error of unpacking: the file's error if it could not be read.
func (s *source) explain(packing string, err error) error {
	if s.err != nil {
		return s.err
	}
	return &Error{Packing: packing, Err: err}
}

// reader is an unpacked file.
type reader struct {
	name   string
	source *source
	r      io.Reader
}

// Read reads unpacked bytes.
func (r *reader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.source.explain(r.name, err)
	}
	return n, err
}

// Error reports packed data that cannot be unpacked.
type Error struct {
	Packing string // gzip, zstd, xz, bzip2 or zip
	Err     error
}

// Error says what is wrong with the data, and what to do.
func (e *Error) Error() string {
	var archive *ArchiveError
	switch {
	case errors.As(e.Err, &archive):
		return archive.Error()
	case errors.Is(e.Err, io.ErrUnexpectedEOF), errors.Is(e.Err, io.EOF), errors.Is(e.Err, xz.ErrBuf):
		return fmt.Sprintf("the %s data ends early: the file is cut off; fetch or pack it again", e.Packing)
	case errors.Is(e.Err, xz.ErrMemlimit), errors.Is(e.Err, zstd.ErrWindowSizeExceeded), errors.Is(e.Err,
		zstd.ErrDecoderSizeExceeded):
		return fmt.Sprintf("the %s data needs a dictionary of more than %d MiB: unpack it first, or pack it with a smaller "+
			"one", e.Packing, maxDictionary>>20)
	}
	return fmt.Sprintf("the %s data is damaged: %v; fetch or pack the file again", e.Packing, e.Err)
}

// Unpacking returns the packing: the error is of the packed data, and not of reading it.
func (e *Error) Unpacking() string { return e.Packing }

// Unwrap returns the error of the library.
func (e *Error) Unwrap() error { return e.Err }
