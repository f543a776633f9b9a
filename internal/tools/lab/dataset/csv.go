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
	"strconv"
	"strings"
	"unicode/utf8"

	"bayestream/internal/core/model"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/wire"
)

// csvReader reads rows below a header (RFC 4180), their cells separated by commas or another byte.
// Columns that are not needed are ignored.
type csvReader struct {
	options Options
	file    string
	in      io.Closer
	rows    *rows
	cells   *csv.Reader // parses the row that rows holds
	columns
	marks      []string // of the terms in the columns of the text
	numberName []string
	digits     int
}

func newCSV(o Options, file string, in *bufio.Reader, f io.Closer) (Reader, error) {
	first := int64(0)
	if said := excelSeparator(in); said != 0 {
		first = 1
		o.Separator = cmp.Or(o.Separator, string(said))
	}
	separator, err := o.separator(in)
	if err != nil {
		return nil, &wire.LineError{File: file, Line: 1, Err: err}
	}
	r := &csvReader{options: o, file: file, in: f, digits: o.Spec.Digits(), numberName: o.Spec.NumberFields(),
		marks: o.Spec.TextMarks()}
	r.rows = &rows{in: in, limit: o.schema(wire.FormatJSON).MaxRecordBytes, separator: separator, line: first}
	r.cells = csv.NewReader(r.rows)
	r.cells.Comma = rune(separator)
	r.cells.ReuseRecord = true
	header, err := r.row()
	switch {
	case errors.Is(err, io.EOF):
		return nil, &wire.LineError{File: file, Line: 1,
			Err: errors.New("the file is empty: want a header that names the columns")}
	case IsReject(err): // of one row; without a header there is no next one
		return nil, fmt.Errorf("%v: want a header that names the columns",
			err) //nolint:errorlint // no row that may be passed over any more
	case err != nil:
		return nil, err
	}
	if err := r.bind(slices.Clone(header)); err != nil || o.Header == nil {
		return r, err
	}
	return r, o.Header(&Header{File: file, Row: slices.Clone(r.rows.text()), Names: r.header, Separator: separator})
}

// row returns the cells of the next row, valid until the next call. The error is io.EOF or a
// *wire.LineError.
func (r *csvReader) row() ([]string, error) {
	err := r.rows.next()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, r.rows.at(r.file, err)
	}
	row, err := r.cells.Read()
	if err != nil {
		return nil, r.bad(err, row)
	}
	return row, nil
}

// bind finds the columns.
func (r *csvReader) bind(header []string) error {
	r.columns = r.options.columns(header)
	if err := r.columns.check(); err != nil {
		return r.rows.at(r.file, err)
	}
	if absent := r.columns.absent(); len(absent) > 0 && r.options.Warn != nil {
		r.options.Warn(fmt.Sprintf("%s: there is no column %s: every row is read as one without it", r.file, quoted(absent)))
	}
	return nil
}

func (r *csvReader) Read(rec *Record) error {
	row, err := r.row()
	if err != nil {
		return err
	}
	*rec = Record{Weight: 1, Input: model.Input{
		Segments: rec.Input.Segments[:0], Numbers: rec.Input.Numbers[:0], Categories: rec.Input.Categories[:0],
	}, Others: rec.Others[:0]}
	if err := r.decode(row, rec); err != nil {
		return r.rows.at(r.file, err)
	}
	rec.place(r.file, r.rows.start)
	if r.options.Header != nil {
		rec.Row = r.rows.text()
	}
	return nil
}

// bad returns the error of a row with its file and line. After a wrong number of columns reading
// may go on with the next row; after broken quotes it may not.
func (r *csvReader) bad(err error, row []string) error {
	var parse *csv.ParseError
	switch {
	case !errors.As(err, &parse):
		return r.rows.at(r.file, wire.Unreadable(err))
	case errors.Is(parse.Err, csv.ErrFieldCount):
		return r.rows.at(r.file, wire.Rejectf(wire.BadRow, "the header has %d columns and this row has %d",
			r.cells.FieldsPerRecord, len(row)))
	case errors.Is(parse.Err, csv.ErrQuote):
		return &wire.LineError{File: r.file, Line: r.rows.quote, Err: errOpenQuote}
	case errors.Is(parse.Err, csv.ErrBareQuote):
		return r.rows.at(r.file, fmt.Errorf(`byte %d is a quote in a cell that does not begin with one: put the cell in quotes, and write "" for a quote`, parse.Column))
	}
	return r.rows.at(r.file, fmt.Errorf("byte %d: %w", parse.Column, parse.Err))
}

func (r *csvReader) decode(row []string, rec *Record) error {
	for i, cell := range row {
		if !utf8.ValidString(cell) {
			return wire.Rejectf(wire.InvalidUTF8, "column %d is not UTF-8 text", i+1)
		}
		if strings.ContainsRune(cell, 0) {
			return wire.Rejectf(wire.BadRow, "column %d has a zero byte: it is not text", i+1)
		}
	}
	if r.id >= 0 && row[r.id] != "" {
		if bad := wire.CheckID([]byte(row[r.id])); bad != nil {
			return bad.At("the id")
		}
		rec.ID = row[r.id]
		rec.Explicit = true
	}
	if err := r.decodeLabel(row, rec); err != nil {
		return err
	}
	if r.bare {
		return r.decodeBare(rec)
	}
	return r.decodeDocument(row, rec)
}

// decodeBare rejects a row of an id and a label alone that has no id.
func (r *csvReader) decodeBare(rec *Record) error {
	if !rec.Explicit {
		return wire.Rejectf(wire.BadID, "the column of the id is empty, and a label alone is for the document of an id")
	}
	rec.Bare = true
	return nil
}

// decodeDocument sets the document of a row. A column that is not there is an empty cell.
func (r *csvReader) decodeDocument(row []string, rec *Record) error {
	for i, column := range r.texts {
		rec.Input.Segments = append(rec.Input.Segments, model.Segment{Mark: r.marks[i], Text: []byte(cell(row, column))})
	}
	for i, column := range r.numbers {
		n, err := r.number(cell(row, column), r.numberName[i])
		if err != nil {
			return err
		}
		rec.Input.Numbers = append(rec.Input.Numbers, n)
	}
	for _, column := range r.categories {
		value, bad := wire.CheckCategory([]byte(cell(row, column)))
		if bad != nil {
			return bad.At(fmt.Sprint("column ", column+1))
		}
		rec.Input.Categories = append(rec.Input.Categories, model.Category{Value: value, Present: len(value) > 0})
	}
	if r.options.Topic && r.options.Unlabelled {
		r.keepOthers(row, rec)
	}
	return r.checkAny(&rec.Input)
}

// keepOthers keeps the cells of the columns that are none of the document and not its id.
func (r *csvReader) keepOthers(row []string, rec *Record) {
	read := slices.Concat([]int{r.id}, r.texts, r.numbers, r.categories)
	for i, name := range r.header {
		if !slices.Contains(read, i) && name != "" && row[i] != "" {
			rec.Others = append(rec.Others, Cell{Column: name, Value: row[i]})
		}
	}
}

// cell returns that of a column, "" where it is not there.
func cell(row []string, column int) string {
	if column < 0 {
		return ""
	}
	return row[column]
}

// checkAny rejects a row of which every column of the spec is empty. A text may be.
func (r *csvReader) checkAny(in *model.Input) error {
	if len(in.Segments) > 0 || in.HasField() {
		return nil
	}
	return wire.Rejectf(wire.NothingFound, "all columns of the spec are empty")
}

func (r *csvReader) decodeLabel(row []string, rec *Record) error {
	switch {
	case r.options.Unlabelled:
		return nil
	case r.options.Label != "":
		rec.Label = r.options.Label
	default:
		rec.Label = row[r.label]
	}
	if rec.Label == "" {
		return wire.Rejectf(wire.NoLabel, "the column of the label is empty")
	}
	if err := rec.checkLabel(rec.Label, r.options.Spec); err != nil {
		return err
	}
	if r.weight < 0 || row[r.weight] == "" {
		return nil
	}
	w, err := strconv.ParseInt(row[r.weight], 10, 64)
	if err != nil || w < 1 || w > wire.MaxWeight {
		return wire.Rejectf(wire.BadWeight, "column \"weight\" is %q; want an integer from 1 to %d", row[r.weight],
			wire.MaxWeight)
	}
	rec.Weight = w
	return nil
}

// number reads the number in a cell. An empty cell is a missing number.
func (r *csvReader) number(cell, name string) (model.Number, error) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return model.Number{}, nil
	}
	v, err := gaussian.ParseFixed([]byte(cell), r.digits)
	switch {
	case errors.Is(err, gaussian.ErrRange):
		return model.Number{}, wire.Rejectf(wire.NumberRange, "column %q is %s, more than the scale of the spec can hold",
			name, cell)
	case err != nil:
		return model.Number{}, wire.Rejectf(wire.BadNumber,
			"column %q is %q; want a decimal number, or nothing if it is missing", name, cell)
	}
	return model.Number{Value: v, Present: true}, nil
}

func (r *csvReader) Close() error { return closeData(r.in) }

// errOpenQuote is the error of a cell, at the line of its first quote, that does not end with one.
// Where the next row begins is not known.
var errOpenQuote = errors.New(`a cell in quotes is not closed, or a quote inside of it is not doubled: write "" for a quote`)

// rows cuts a CSV file (RFC 4180) into rows and hands them to a csv.Reader one at a time, which
// would keep a row of any length. A row over the limit is passed over, and not kept in memory.
type rows struct {
	in        *bufio.Reader
	separator byte   // between cells
	limit     int    // bytes of a row
	row       []byte // of the current row, what the csv.Reader did not read yet
	buf       []byte // all of the current row

	line  int64 // lines read
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
)

// Read reads from the current row, and no further.
func (r *rows) Read(p []byte) (int, error) {
	if len(r.row) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.row)
	r.row = r.row[n:]
	return n, nil
}

// text returns the current row without its line break, valid until the next one.
func (r *rows) text() []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(r.buf, []byte("\n")), []byte("\r"))
}

// next goes on to the next row that is not blank. At the end the error is io.EOF. For a row over
// the limit it is a
// *wire.Reject, and the next call goes on to the row after it.
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
			r.row = r.buf
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
	inLine := false
	for {
		piece, err := r.in.ReadSlice('\n')
		if !inLine && len(piece) > 0 {
			r.line++
		}
		inLine = errors.Is(err, bufio.ErrBufferFull)
		r.follow(piece)
		size += len(piece)
		if len(r.buf) <= r.limit+len("\r\n") {
			r.buf = append(r.buf, piece...)
		}
		if inLine || err == nil && r.state == insideQuotes {
			continue
		}
		if size == len(r.buf) {
			size = len(r.text())
		}
		return size, err
	}
}

// follow follows the quotes in the next bytes of a row.
func (r *rows) follow(piece []byte) {
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
	case r.state == broken:
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

// at returns err as an error of the row, at its first line.
func (r *rows) at(file string, err error) error {
	return &wire.LineError{File: file, Line: r.start, Err: err}
}
