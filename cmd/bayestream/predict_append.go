package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/escape"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
)

// appendedTable is the output of predict --append: the rows of CSV files that have the same
// columns, with three columns more.
type appendedTable struct {
	w     io.Writer
	first *dataset.Header // of the first file; nil before it is read
}

// header writes the header of the first file, and compares every other header with it. It is
// called before any row of the file is labelled.
func (t *appendedTable) header(h *dataset.Header) error {
	if t.first != nil {
		return t.compare(h)
	}
	t.first = h
	line := bytes.Clone(h.Row)
	for _, name := range []string{"label", "posterior", "status"} {
		line = append(line, h.Separator)
		line = append(line, newColumn(name, h.Names)...)
	}
	if _, err := t.w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the header: %w", err)
	}
	return nil
}

// compare returns an error if a file has other columns than the first one.
func (t *appendedTable) compare(h *dataset.Header) error {
	if slices.Equal(h.Names, t.first.Names) && h.Separator == t.first.Separator {
		return nil
	}
	return cli.WrongInput(fmt.Errorf("%s has other columns than %s, or another separator: "+
		"with --append, label one file at a time",
		escape.Text(h.File), escape.Text(t.first.File)))
}

// newColumn returns a name for a column that no other one has.
func newColumn(name string, taken []string) string {
	for slices.Contains(taken, name) {
		name = "predicted_" + name
	}
	return name
}

// appendRow appends a row with the columns of its decision. The label is escaped as cell does.
func (t *appendedTable) appendRow(dst, row []byte, d *model.Decision) []byte {
	separator := t.first.Separator
	dst = append(append(dst, row...), separator)
	label := cell(d.Label)
	if strings.IndexByte(label, separator) >= 0 || strings.Contains(label, `"`) {
		label = `"` + strings.ReplaceAll(label, `"`, `""`) + `"`
	}
	dst = append(append(dst, label...), separator)
	dst = append(append(dst, short(d.Confidence())...), separator)
	return fmt.Append(dst, d.Status)
}
