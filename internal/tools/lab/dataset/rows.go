package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"bayestream/internal/shell/wire"
)

// errOpenQuote is the error of a cell, at the line of its first quote, that does not end with one.
// Where the next row begins is not known.
var errOpenQuote = errors.New(`a cell in quotes is not closed, or a quote inside of it is not doubled: write "" for a quote`)

// rows cuts a CSV file (RFC 4180) into rows and hands them to a csv.Reader one at a time, which
// would keep a row of any length. A row over the limit is passed over, and not kept in memory.
type rows struct {
	pieces
	separator byte         // between cells
	limit     int          // bytes of a row
	row       bytes.Reader // of the current row, what the csv.Reader did not read yet
	buf       []byte       // all of the current row
	plain     bool         // a row is a line, and quotes in it are text

	start int64 // line of the row's start
	quote int64 // line of the last quote that opened
	state quoting
}

// quoting is where in a row the last byte was.
type quoting int

const (
	cellStart   quoting = iota
	insidePlain         // of a cell that does not begin with a quote
	insideQuotes
	atQuote // inside of quotes: their end, or the first of two
	broken  // behind an end that neither a separator nor a line break follows
	bare    // behind a quote in a cell that does not begin with one, of a table with tabs
)

// text returns the current row without its line break, valid until the next one.
func (r *rows) text() []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(r.buf, []byte("\n")), []byte("\r"))
}

// next goes on to the next row that is not blank. At the end the error is io.EOF. For a row over
// the limit it is a *wire.Reject, and the next call goes on to the row after it.
func (r *rows) next() error {
	for {
		size, err := r.read()
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return wire.Unreadable(err)
		case size > r.limit && (r.state == insideQuotes || r.state == broken):
			r.start = r.quote
			return errOpenQuote
		case size > r.limit:
			return wire.Rejectf(wire.TooLarge, "the row has more than %d bytes, the limit", r.limit)
		case size > 0:
			r.row.Reset(r.buf)
			return nil
		case err != nil:
			return err
		}
	}
}

// read reads a row into the buffer, up to its end or a piece past the limit, and returns its size
// in bytes without the line break. The error may be io.EOF.
func (r *rows) read() (size int, err error) {
	r.buf = r.buf[:0]
	r.state = cellStart
	r.start = r.line + 1
	for {
		piece, _, err := r.piece()
		r.follow(piece)
		size += len(piece)
		if len(r.buf) <= r.limit+len("\r\n") {
			r.buf = append(r.buf, piece...)
		}
		if r.isPlain(size, err) {
			r.plain = true
			r.pieces = pieces{in: bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(r.buf)), r.in)), line: r.start - 1}
			return r.read()
		}
		if r.inLine || err == nil && r.state == insideQuotes {
			continue
		}
		if size == len(r.buf) {
			size = len(r.text())
		}
		return size, err
	}
}

// isPlain reports whether the row that is read shows that quotes are text: programs that write
// tables with tabs seldom quote. A row that is not kept whole cannot be read again.
func (r *rows) isPlain(size int, err error) bool {
	isOdd := r.state >= broken || r.state == insideQuotes && errors.Is(err, io.EOF)
	return r.separator == '\t' && !r.plain && isOdd && size == len(r.buf)
}

// plainCells returns the cells of a row that is a line. Only quotes around a whole cell are no
// text, so that a label is one class before and behind the row that showed what quotes are.
func (r *rows) plainCells() []string {
	cells := strings.Split(string(r.text()), "\t")
	for i, cell := range cells {
		inner, opens := strings.CutPrefix(cell, `"`)
		inner, closes := strings.CutSuffix(inner, `"`)
		if opens && closes && !strings.Contains(strings.ReplaceAll(inner, `""`, ""), `"`) {
			cells[i] = strings.ReplaceAll(inner, `""`, `"`)
		}
	}
	return cells
}

// follow follows the quotes in the next bytes of a row.
func (r *rows) follow(piece []byte) {
	if r.plain {
		return
	}
	if r.state <= insidePlain && bytes.IndexByte(piece, '"') < 0 {
		if len(piece) > 0 {
			r.step(piece[len(piece)-1])
		}
		return
	}
	for _, c := range piece {
		r.step(c)
	}
}

// step follows one byte.
func (r *rows) step(c byte) {
	switch {
	case r.state >= broken:
	case c == '"' && r.state == insidePlain && r.separator == '\t':
		r.state = bare
	case c == '"' && r.state == cellStart:
		r.state = insideQuotes
		r.quote = r.line
	case c == '"' && r.state == insideQuotes:
		r.state = atQuote
	case c == '"' && r.state == atQuote:
		r.state = insideQuotes
	case r.state == insideQuotes:
	case c == r.separator:
		r.state = cellStart
	case r.state == atQuote && c != '\r' && c != '\n':
		r.state = broken
	case r.state == cellStart:
		r.state = insidePlain
	}
}
