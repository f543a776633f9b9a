package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/cli/progress"
	"bayestream/internal/spec"
	"bayestream/internal/wire"
)

// The formats of files.
const (
	Auto  = ""      // by the extension of the name, else JSON Lines
	JSONL = "jsonl" // one JSON object per line
	CSV   = "csv"   // a header, then one document per row
	Text  = "text"  // one document per line; in a folder, one per file
	Mail  = "mail"  // one mail per file
	Mbox  = "mbox"  // mails one after the other
)

// formats lists the formats for help texts.
var formats = []string{JSONL, CSV, Text, Mail, Mbox}

// Options are the options of Open.
type Options struct {
	Format     string
	Spec       *spec.Spec
	LabelField string // "label" if empty
	TextField  string // the spec's if empty
	IDField    string // "id" if empty
	Label      string // of all records, for formats without labels
	Unlabelled bool   // labels are not needed and are ignored
	Topic      bool   // the records are for a topic: a null label and a ref are passed on, without a document

	Progress *progress.Line // shows the progress of reading; may be nil
}

// Reader reads records.
type Reader interface {
	// Read sets rec to the next record. At the end the error is io.EOF. After a *wire.LineError around a
	// *wire.Reject, which concerns one record, reading may go on; any other error is final.
	Read(rec *Record) error
	Close() error
}

// Open reads the files one after the other. No file is standard input.
func Open(o Options, stdin io.Reader, files ...string) (Reader, error) {
	if len(files) == 0 {
		files = []string{"-"}
	}
	return &sequence{options: o, stdin: stdin, files: files, watch: watch{line: o.Progress}}, nil
}

// sequence reads files one after the other, opening each when it is needed.
type sequence struct {
	options Options
	stdin   io.Reader
	files   []string
	current Reader
	watch   watch
}

func (s *sequence) Read(rec *Record) error {
	s.watch.begin(s.stdin, s.files)
	for {
		if s.current == nil {
			if len(s.files) == 0 {
				return io.EOF
			}
			var err error
			if s.current, err = openOne(s.options, &s.watch, s.stdin, s.files[0]); err != nil {
				return err
			}
			s.files = s.files[1:]
		}
		err := s.current.Read(rec)
		if !errors.Is(err, io.EOF) {
			return err
		}
		if err := s.current.Close(); err != nil {
			return err
		}
		s.current = nil
	}
}

func (s *sequence) Close() error {
	s.watch.task.End()
	if s.current == nil {
		return nil
	}
	return s.current.Close()
}

func openOne(o Options, w *watch, stdin io.Reader, file string) (Reader, error) {
	if file == "-" {
		return newReader(o, "-", w.file(file, io.NopCloser(stdin)))
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	if info.IsDir() {
		return openFolder(o, w, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	r, err := newReader(o, file, w.file(file, f))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

func newReader(o Options, file string, f io.ReadCloser) (Reader, error) {
	format := o.Format
	if format == Auto {
		format = byName(file)
	}
	switch format {
	case JSONL:
		return newLines(o, wire.FormatJSON, file, f)
	case CSV:
		return newCSV(o, file, f)
	case Text:
		return newLines(o, wire.FormatText, file, f)
	case Mail:
		return newDocuments(o, file, f, wire.FormatMail, false)
	case Mbox:
		return newDocuments(o, file, f, wire.FormatMail, true)
	}
	return nil, fmt.Errorf("format %q is unknown: want one of %s", format, strings.Join(formats, ", "))
}

// byName returns the format of a file by the extension of its name, without .gz.
func byName(file string) string {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(file), ".gz")) {
	case ".csv":
		return CSV
	case ".txt":
		return Text
	case ".eml":
		return Mail
	case ".mbox":
		return Mbox
	}
	return JSONL
}

// schema returns the schema for the decoder of records.
func (o Options) schema(format string) wire.Schema {
	s := wire.Schema{
		Format: format, HasText: o.Spec.Text != nil, LabelField: o.LabelField, IDField: o.IDField,
		NumberFields: o.Spec.NumberFields(), CategoryFields: o.Spec.CategoryFields(), Digits: o.Spec.Digits(),
		MaxRecordBytes: o.Spec.Limits.RecordBytes, Classes: o.Spec.Classes,
	}
	if o.Spec.Text != nil {
		s.TextFields = o.textFields()
		s.TextMarks = o.Spec.TextMarks()
	}
	return s
}

// textFields returns the fields of the text: that of the options instead of the only one of the spec.
func (o Options) textFields() []string {
	if o.TextField != "" {
		return []string{o.TextField}
	}
	return o.Spec.TextFields()
}
