package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bayestream/internal/core/model"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/wire"
)

// csvReader reads the documents of a table. Columns that are not needed are ignored.
type csvReader struct {
	options Options
	*Table
	columns
	marks      []string // of the terms in the columns of the text
	numberName []string
	digits     int
}

func newCSV(o Options, file string, in *bufio.Reader) (records, error) {
	isWhole := func(header []string) bool { return len(o.columns(header).missing) == 0 }
	t, err := o.table(file, in, isWhole)
	if err != nil {
		return nil, err
	}
	r := &csvReader{options: o, Table: t, digits: o.Spec.Digits(), numberName: o.Spec.NumberFields(),
		marks: o.Spec.TextMarks()}
	if err := r.bind(t.Header); err != nil || o.Header == nil {
		return r, err
	}
	row := bytes.Clone(t.rows.text())
	return r, o.Header(&Header{File: file, Start: t.start, Row: row, Break: string(t.rows.buf[len(row):]),
		Names: r.header, Separator: t.rows.separator})
}

// bind finds the columns.
func (r *csvReader) bind(header []string) error {
	r.columns = r.options.columns(header)
	if err := r.columns.check(); err != nil {
		return r.Error(err)
	}
	if absent := r.columns.absent(); len(absent) > 0 && r.options.Warn != nil {
		r.options.Warn(fmt.Sprintf("%s: there is no column %s: every row is read as one without it", r.file, quoted(absent)))
	}
	return nil
}

func (r *csvReader) Read(rec *Record) error {
	row, err := r.Row()
	if err != nil {
		return err
	}
	*rec = Record{Weight: 1, Input: model.Input{
		Segments: rec.Input.Segments[:0], Numbers: rec.Input.Numbers[:0], Categories: rec.Input.Categories[:0],
	}, Others: rec.Others[:0]}
	if err := r.decode(row, rec); err != nil {
		return r.Error(err)
	}
	rec.place(r.file, r.rows.start)
	if r.options.Header != nil {
		rec.Row = r.rows.text()
	}
	return nil
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
		if !rec.Explicit {
			return wire.Rejectf(wire.BadID, "the column of the id is empty, and a label alone is for the document of an id")
		}
		rec.Bare = true
		return nil
	}
	return r.decodeDocument(row, rec)
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
		return wire.Rejectf(wire.NoLabel, "the column of the label is empty; --on-bad=skip leaves such records out")
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
