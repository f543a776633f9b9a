package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/unpack"
)

// Table reads rows below a header (RFC 4180), their cells separated by commas or another byte.
type Table struct {
	Header []string // names of the columns, as they are in the file

	file  string
	start string // what is before the header
	rows  *rows
	cells *csv.Reader // parses the row that rows holds
}

// NewTable reads the header of a file, whatever its columns are. An error is a *wire.LineError.
func NewTable(file string, in *bufio.Reader) (*Table, error) {
	return Options{Spec: spec.Default()}.table(file, in, func([]string) bool { return false })
}

// table reads the header of a file. isWhole reports whether a header has all that is needed.
func (o Options) table(file string, in *bufio.Reader, isWhole func(header []string) bool) (*Table, error) {
	t := &Table{file: file}
	first := int64(0)
	if line := excelLine(in); line != "" {
		first = 1
		t.start = line
		o.Separator = cmp.Or(o.Separator, Separator(line[len(excel):len(excel)+1]))
	}
	if o.marked {
		t.start = unpack.ByteOrderMark + t.start
	}
	separator, err := o.separator(in, isWhole)
	if err != nil {
		return nil, &wire.LineError{File: file, Line: 1, Err: err}
	}
	t.rows = &rows{pieces: pieces{in: in, line: first}, limit: o.limit(), separator: separator}
	t.cells = csv.NewReader(&t.rows.row)
	t.cells.Comma = rune(separator)
	t.cells.ReuseRecord = true
	t.cells.FieldsPerRecord = -1
	header, err := t.Row()
	switch {
	case errors.Is(err, io.EOF):
		return nil, &wire.LineError{File: file, Line: 1,
			Err: errors.New("the file is empty: want a header that names the columns")}
	case IsReject(err): // of one row; without a header there is no next one
		return nil, fmt.Errorf("%v: want a header that names the columns",
			err) //nolint:errorlint // no row that may be passed over any more
	}
	t.Header = slices.Clone(header)
	return t, err
}

// Row returns the cells of the next row, valid until the next call. The error is io.EOF or a
// *wire.LineError.
func (t *Table) Row() ([]string, error) {
	err := t.rows.next()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, t.Error(err)
	}
	var row []string
	if t.rows.plain {
		row = t.rows.plainCells()
	} else if row, err = t.cells.Read(); err != nil {
		return nil, t.bad(err)
	}
	if t.Header != nil && len(row) != len(t.Header) {
		return nil, t.Error(wire.Rejectf(wire.BadRow, "the header has %d columns and this row has %d", len(t.Header),
			len(row)))
	}
	return row, nil
}

// Error returns err as an error at the file and line of the row.
func (t *Table) Error(err error) error {
	return &wire.LineError{File: t.file, Line: t.rows.start, Err: err}
}

// bad returns the error of a row with its file and line. Behind a cell in quotes that does not end
// reading may not go on with the next row.
func (t *Table) bad(err error) error {
	var parse *csv.ParseError
	switch {
	case !errors.As(err, &parse):
		return t.Error(wire.Unreadable(err))
	case errors.Is(parse.Err, csv.ErrQuote):
		return &wire.LineError{File: t.file, Line: t.rows.quote, Err: errOpenQuote}
	case errors.Is(parse.Err, csv.ErrBareQuote):
		return t.Error(wire.Rejectf(wire.BadRow, `byte %d is a quote in a cell that does not begin with one: put the cell in quotes, and write "" for a quote`, parse.Column))
	}
	return t.Error(fmt.Errorf("byte %d: %w", parse.Column, parse.Err))
}

// separators are those of the columns of CSV that are guessed, the likeliest first.
const separators = ",;\t|"

// Separator is what separates the columns of CSV, a character or tab, which is hard to type; "": it is
// guessed.
type Separator string

// UnmarshalText returns an error for what cannot be a separator.
func (s *Separator) UnmarshalText(text []byte) error {
	*s = Separator(text)
	_, err := s.byte()
	return err
}

func (s Separator) byte() (byte, error) {
	if s == "tab" || s == `\t` {
		return '\t', nil
	}
	if len(s) != 1 || strings.ContainsAny(string(s), "\"\r\n\x00") || s[0] >= 0x80 {
		return 0, fmt.Errorf("separator %q: want one ASCII character, such as ; or |, or tab", s)
	}
	return s[0], nil
}

// separator returns the separator of a CSV file: what the options say, else the first with which
// its header is whole, else the one with the most columns.
func (o Options) separator(in *bufio.Reader, isWhole func(header []string) bool) (byte, error) {
	if o.Separator != "" {
		return o.Separator.byte()
	}
	row := firstRow(in)
	best, most := separators[0], 0
	for _, s := range []byte(separators) {
		switch n := bytes.Count(row, []byte{s}); {
		case n == 0:
			continue
		case n > maxGuessed:
			return s, nil
		}
		header := cells(row, s)
		if isWhole(header) {
			return s, nil
		}
		if len(header) > most {
			best, most = s, len(header)
		}
	}
	return best, nil
}

// excel is before the separator in the line sep=; at the beginning of a file, by which Excel is
// told it.
const excel = "sep="

// excelLine takes off that line with its line break, and returns it; "": there is none.
func excelLine(in *bufio.Reader) string {
	head := available(in)
	line := string(head[:bytes.IndexByte(head, '\n')+1])
	if !strings.HasPrefix(line, excel) || len(strings.TrimRight(line, "\r\n")) != len(excel)+1 {
		return ""
	}
	_, _ = in.Discard(len(line)) // it is buffered
	return line
}

// maxGuessed is how many separators a header may have to be looked at more closely.
const maxGuessed = 1000

// firstRow returns the first row of a file, or as much of it as the buffer takes. It waits for no
// byte behind it.
func firstRow(in *bufio.Reader) []byte {
	for n := 1; ; n = in.Buffered() + 1 {
		_, err := in.Peek(n)
		head, _ := in.Peek(in.Buffered())
		head = bytes.TrimLeft(head, "\r\n")
		size, quotes := 0, 0
		for line := range bytes.Lines(head) {
			size += len(line)
			quotes += bytes.Count(line, []byte(`"`))
			if quotes%2 == 0 && line[len(line)-1] == '\n' {
				return head[:size]
			}
		}
		if err != nil {
			return head
		}
	}
}

// cells returns the cells of the first row of a file; none if it has no whole row.
func cells(head []byte, separator byte) []string {
	r := csv.NewReader(bytes.NewReader(head))
	r.Comma = rune(separator)
	row, err := r.Read()
	if err != nil {
		return nil
	}
	return row
}
