package dataset_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/alloctest"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/dataset"
)

// fuzzed reads the records of a file, each as a line of text, up to an error that is not of one
// record.
func fuzzed(t *testing.T, o dataset.Options, content []byte) (lines []string) {
	t.Helper()
	r, err := dataset.Open(o, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var rec dataset.Record
	for {
		err := r.Read(&rec)
		var line *wire.LineError
		switch {
		case errors.Is(err, io.EOF):
			return lines
		case err == nil:
			lines = append(lines, show(o.Spec, &rec))
		case dataset.IsReject(err) && errors.As(err, &line):
			lines = append(lines, "reject")
		default:
			return append(lines, "end")
		}
	}
}

// Whatever a file holds, it is read to its end in little memory, and the lines of its records
// ascend.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"id":"a","text":"hi","label":"l","weight":3,"numbers":{"x":1.5},"categories":{"c":"v"}}` + "\n{}\n", "text,label,x,c,id,y,weight\n\"a\n\"\"b\"\"\",l,1,v,i,,2\n,,\n",
		"From a\nSubject: one\n\nbody\n>From me\n\nFrom b\nA: b\n\nrest\n", "one\n\ntwo", "\x1f\x8b", "\uFEFFtext,label\n", "\"",
	} {
		for format := range uint8(5) {
			f.Add(format, []byte(text))
		}
	}
	s := modeltest.Spec(f, mixed+"\nlimits: {record_bytes: 1000}")
	f.Fuzz(func(t *testing.T, format uint8, content []byte) {
		formats := []string{dataset.JSONL, dataset.CSV, dataset.Text, dataset.Mail, dataset.Mbox}
		o := dataset.Options{Spec: s, Format: formats[int(format)%len(formats)]}
		if o.Format != dataset.JSONL && o.Format != dataset.CSV {
			o.Label = "l"
		}
		var first []string
		alloctest.Bound(t, len(content), func() { first = fuzzed(t, o, content) })
		if second := fuzzed(t, o, content); strings.Join(first, "\n") != strings.Join(second, "\n") {
			t.Fatalf("two readings differ:\n%q\n%q", first, second)
		}
	})
}

// rowsOf returns the rows below a header by encoding/csv, each with its line and first cell;
// "width" stands for one with another number of cells, "bare" for one with a quote that is in no
// quotes, behind which encoding/csv goes on in the middle of the row, "end" for the row behind which
// nothing can be read.
func rowsOf(text string) (out []string) {
	rows := csv.NewReader(strings.NewReader(text))
	if _, err := rows.Read(); err != nil {
		return []string{"end"}
	}
	for {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return out
		case errors.Is(err, csv.ErrFieldCount):
			out = append(out, "width")
		case errors.Is(err, csv.ErrBareQuote):
			return append(out, "bare")
		case err != nil:
			return append(out, "end")
		default:
			line, _ := rows.FieldPos(0)
			out = append(out, fmt.Sprintf("%d %q", line, row[0]))
		}
	}
}

// The rows of a CSV file are those of encoding/csv, as long as none is over the limit.
func FuzzRows(f *testing.F) {
	for _, text := range []string{"1,2\n", "\r\n\"x\"\"\ny\",\r\n\n\"\",\"\"", "\"x\" ", "b\"c\n", "1\n1,2", "\"\r\n\r\n\",\"\r"} {
		f.Add([]byte(text))
	}
	s := spec.Default()
	f.Fuzz(func(t *testing.T, rest []byte) {
		text := "text,label\n" + string(rest)
		r, err := dataset.Open(dataset.Options{Spec: s, Format: dataset.CSV, Unlabelled: true}, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var rec dataset.Record
		for i, want := range rowsOf(text) {
			got := "width"
			err := r.Read(&rec)
			switch {
			case err == nil:
				got = fmt.Sprintf("%d %q", rec.Line, rec.Input.Segments[0].Text)
			case !dataset.IsReject(err):
				got = "end"
			case want != "end":
				got = want // of another width, bare, or not text
			}
			if got != want {
				t.Fatalf("row %d is %s (%v), want %s", i, got, err, want)
			}
			if want == "end" || want == "bare" {
				return
			}
		}
		if err := r.Read(&rec); !errors.Is(err, io.EOF) {
			t.Fatalf("behind the last row: %v", err)
		}
	})
}

// Any file of tests gives records or an error that names a line.
func FuzzCases(f *testing.F) {
	for _, text := range []string{"tests:\n- {text: a, label: l, numbers: {x: 1}}\n", "tests: [&a {text: a, label: l}, *a]", "tests: 3", "tests:\n- !!binary aGk=\n", "tests: [{<<: {text: a}}]"} {
		f.Add([]byte(text))
	}
	s := modeltest.Spec(f, mixed)
	path := filepath.Join(f.TempDir(), "tests.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		filetest.Write(t, path, text)
		alloctest.Bound(t, len(text), func() {
			_, err := dataset.Cases(s, path)
			if line := (*wire.LineError)(nil); err != nil && (!errors.As(err, &line) || line.Line < 1) {
				t.Fatalf("the error names no line: %v", err)
			}
		})
	})
}
