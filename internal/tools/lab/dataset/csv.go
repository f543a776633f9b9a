package dataset

import (
	"bufio"
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
	return nil
}

func (r *csvReader) Read(rec *Record) error {
	row, err := r.row()
	if err != nil {
		return err
	}
	*rec = Record{Weight: 1, Input: model.Input{
		Segments: rec.Input.Segments[:0], Numbers: rec.Input.Numbers[:0], Categories: rec.Input.Categories[:0],
	}}
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
	for i, column := range r.texts {
		rec.Input.Segments = append(rec.Input.Segments, model.Segment{Mark: r.marks[i], Text: []byte(row[column])})
	}
	for i, column := range r.numbers {
		n, err := r.number(row[column], r.numberName[i])
		if err != nil {
			return err
		}
		rec.Input.Numbers = append(rec.Input.Numbers, n)
	}
	for _, column := range r.categories {
		value, bad := wire.CheckCategory([]byte(row[column]))
		if bad != nil {
			return bad.At(fmt.Sprint("column ", column+1))
		}
		rec.Input.Categories = append(rec.Input.Categories, model.Category{Value: value, Present: len(value) > 0})
	}
	return r.checkAny(&rec.Input)
}

// checkAny rejects a row of which every column of the spec is empty. A text may be.
func (r *csvReader) checkAny(in *model.Input) error {
	if len(in.Segments) > 0 || slices.ContainsFunc(in.Numbers, func(n model.Number) bool { return n.Present }) ||
		slices.ContainsFunc(in.Categories, func(c model.Category) bool { return c.Present }) {
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
	if err := rec.checkLabel(rec.Label, r.options.Spec.Classes); err != nil {
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
