package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/tools/cli/progress"
)

// Options are the options of Open.
type Options struct {
	Format     string
	Schema     string // file with the schema of values that follow each other; "": none
	Separator  Separator
	Encoding   Encoding
	UTF8       bool   // the verb has no flag for another encoding
	LabelType  string // wire.LabelAny takes numbers and booleans of JSON as labels too
	Spec       *spec.Spec
	LabelField string // "label" if empty
	TextField  string // the spec's if empty
	IDField    string // "id" if empty
	Label      string // of all records, for formats without labels
	Unlabelled bool   // labels are not needed and are ignored
	// of JSON: a record without a label is a document to label, and comes with an empty label
	Mixed bool
	// the records are for a topic: a null label, a ref and a label alone are passed on, without a
	// document
	Topic bool

	// Warn takes what is odd about a file that is read nevertheless, a sentence; may be nil.
	Warn func(sentence string)

	Progress *progress.Line // shows the progress of reading; may be nil

	// Waiting is called before each read of what somebody may still be writing: standard input, or a
	// pipe; may be nil.
	Waiting func()
	// Header takes the header of each file, and the records come with their rows; files of other
	// formats than CSV are refused. An error of it ends the reading. May be nil.
	Header func(h *Header) error

	marked bool // the file begins with a byte order mark
}

// Header is the header of a CSV file.
type Header struct {
	File      string
	Start     string   // what is before the header, in UTF-8: a byte order mark, a line sep=;
	Row       []byte   // as it is in the file, without its line break
	Break     string   // its line break
	Names     []string // of the columns
	Separator byte
}

// Reader reads records.
type Reader interface {
	records
	Close() error
}

type records interface {
	// Read sets rec to the next record. At the end the error is io.EOF. After one that IsReject
	// reports reading may go on; any other error is final.
	Read(rec *Record) error
}

// Open reads the files one after the other. No file is standard input. It is an error if the label is
// one of the features, which would tell the model what it is to find.
func Open(o Options, stdin io.Reader, files ...string) (Reader, error) {
	if !o.Unlabelled && o.Label == "" && o.LabelField != "" && slices.Contains(o.Spec.Features(), o.LabelField) {
		return nil, &FeatureError{o.LabelField}
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	return &sequence{options: o, stdin: stdin, files: files, watch: watch{line: o.Progress}}, nil
}

// FeatureError reports a label that is one of the features of the spec.
type FeatureError struct{ Field string }

func (e *FeatureError) Error() string {
	return fmt.Sprintf("the label is at %q, which the spec reads as a feature: take it out of the spec", e.Field)
}

// sequence reads files one after the other, opening each when it is needed.
type sequence struct {
	options Options
	stdin   io.Reader
	files   []string // that were not opened yet
	part    int      // files that were
	current current
	watch   watch
}

func (s *sequence) Read(rec *Record) error {
	s.watch.begin(s.stdin, s.files)
	err := s.current.read(rec, s.open)
	rec.Part = s.part - 1
	return s.options.explain(err)
}

// open opens the next file.
func (s *sequence) open() (Reader, error) {
	if len(s.files) == 0 {
		return nil, io.EOF
	}
	r, err := openOne(s.options, &s.watch, s.stdin, s.files[0])
	if err == nil {
		s.files = s.files[1:]
		s.part++
	}
	return r, err
}

func (s *sequence) Close() error {
	s.watch.task.End()
	return s.current.Close()
}

// current is the file that is read of several.
type current struct{ Reader }

// read reads from the current file, and from the next ones, which open opens. A file with an error
// that ends it is closed.
func (c *current) read(rec *Record, open func() (Reader, error)) error {
	for {
		if c.Reader == nil {
			var err error
			if c.Reader, err = open(); err != nil {
				return err
			}
		}
		err := c.Read(rec)
		if err == nil || IsReject(err) {
			return err
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		err = errors.Join(err, c.Close())
		c.Reader = nil
		if err != nil {
			return err
		}
	}
}

// Close closes the current file, if there is one.
func (c *current) Close() error {
	if c.Reader == nil {
		return nil
	}
	return c.Reader.Close()
}

func openOne(o Options, w *watch, stdin io.Reader, path string) (Reader, error) {
	if path == "-" {
		return newReader(o, "-", "-", w.file(path, io.NopCloser(o.announced(stdin))))
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, missingFile(path, err)
	case info.IsDir() && o.Header != nil:
		return nil, o.noCSV(path, "a folder")
	case info.IsDir():
		return openFolder(o, w, path)
	}
	in, name, err := openFile(o, w, path)
	if err != nil {
		return nil, err
	}
	r, err := newReader(o, path, name, in)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// openFile opens a file, or the only file of a zip archive, and returns its name.
func openFile(o Options, w *watch, path string) (in io.ReadCloser, name string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", missingFile(path, err)
	}
	member, name, err := inArchive(path, f)
	switch {
	case err != nil:
		return nil, "", errors.Join(err, f.Close())
	case member == nil:
		return w.file(path, &opened{Reader: o.announced(f), Closer: f}), path, nil
	}
	return &archived{ReadCloser: member, archive: f}, name, nil
}

// inArchive returns the only file of a zip archive and its name, nil for another file. A pipe
// cannot be read at a place, and is none.
func inArchive(path string, f *os.File) (member io.ReadCloser, name string, err error) {
	var magic [4]byte
	if n, err := f.ReadAt(magic[:], 0); err != nil || !unpack.IsZip(bufio.NewReader(bytes.NewReader(magic[:n]))) {
		return nil, "", nil //nolint:nilerr // reading it shows the error
	}
	if member, name, err = unpack.Zip(f, progress.Size(f)); err != nil {
		return nil, "", &wire.LineError{File: path, Line: 1, Err: wire.Unreadable(err)}
	}
	return member, name, nil
}

// OpenText opens a file, the only file of a zip archive, or for "-" standard input, to be looked at:
// its text, unpacked and, by Options.Encoding, in UTF-8. What holds no text is an error that names
// what it is.
func OpenText(o Options, stdin io.Reader, path string) (text *bufio.Reader, closer io.Closer, err error) {
	in := io.NopCloser(stdin)
	if path != "-" {
		if in, _, err = openFile(o, &watch{}, path); err != nil {
			return nil, nil, err
		}
	}
	if text, err = o.text(path, in); err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return text, in, nil
}

// announced returns input that calls Waiting when a read finds nothing there. A regular file is
// returned as it is: nobody waits for it.
func (o Options) announced(in io.Reader) io.Reader {
	if o.Waiting == nil || progress.Size(in) != progress.Unknown {
		return in
	}
	return &announced{in: in, waiting: o.Waiting}
}

// opened is a file that is read through another reader.
type opened struct {
	io.Reader
	io.Closer
}

// file is a file of records.
type file struct {
	records
	io.Closer
}

// archived is a file in an archive.
type archived struct {
	io.ReadCloser
	archive io.Closer
}

// Close closes the file and the archive.
func (a *archived) Close() error { return errors.Join(a.ReadCloser.Close(), a.archive.Close()) }

// missingFile returns the error of a file that cannot be opened.
func missingFile(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &MissingError{File: file}
	}
	return fmt.Errorf("open data: %w", err)
}

// MissingError reports a file of documents that does not exist.
type MissingError struct{ File string }

func (e *MissingError) Error() string { return escape.Text(e.File) + " does not exist" }

// Unwrap returns fs.ErrNotExist.
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// errFastText is the error of a file whose lines begin with labels as fastText marks them.
var errFastText = errors.New(`this is a file of fastText: write a label, a tab and the text: sed -E 's/^__label__([^ ]+) /\1\t/' FILE; --format=text reads the labels as words`)

// newReader reads a file which errors call path, in the format that the options, the name or the
// content say.
func newReader(o Options, path, name string, f io.ReadCloser) (Reader, error) {
	in, err := o.text(path, f)
	if err != nil {
		return nil, err
	}
	format := o.Format
	if format == Auto {
		if bytes.HasPrefix(available(in), []byte("__label__")) {
			return nil, &wire.LineError{File: path, Line: 1, Err: errFastText}
		}
		format = o.guess(name, in)
	}
	if err := o.looksOtherwise(format, path, in); err != nil {
		return nil, err
	}
	r, err := o.read(format, path, in)
	if err != nil {
		return nil, err
	}
	return &file{r, f}, nil
}

// read reads a file in a format.
func (o Options) read(format, file string, in *bufio.Reader) (records, error) {
	if format != CSV && o.Header != nil {
		return nil, o.noCSV(file, "a file of the format "+format)
	}
	switch format {
	case JSONL:
		if IsArray(in) {
			return newValues(o, wire.FormatJSON, file, &objects{file: file, data: in, limit: o.limit(), line: 1})
		}
		return newLines(o, JSONL, file, in)
	case CSV:
		return newCSV(o, file, in)
	case Text, Labelled:
		if err := o.Spec.NeedsFields(); err != nil {
			return nil, &wire.LineError{File: file, Line: 1, Err: err}
		}
		return newLines(o, format, file, in)
	case Mail, Mbox:
		if o.Encoding != "" {
			says := "this is a mail, which says its own encodings: leave out --encoding"
			if strings.HasPrefix(strings.ToLower(string(o.Encoding)), "utf-16") && isMail(in) {
				says = "this is a mail in UTF-16, and mails are read without --encoding: " + convert(string(o.Encoding))
			}
			return nil, &wire.LineError{File: file, Line: 1, Err: errors.New(says)}
		}
		return newMails(o, format, file, in)
	}
	return nil, fmt.Errorf("format %q is unknown: want one of %s", format, strings.Join(formats, ", "))
}

// noCSV returns the error of a file that has no header.
func (o Options) noCSV(file, what string) error {
	return &wire.LineError{File: file, Line: 1, Err: fmt.Errorf("this is %s: --append needs the columns of CSV; if it "+
		"is CSV, say --format=csv", what)}
}

// schema returns the schema for the decoder of records: that of the spec, but files have neither
// headers nor keys, and their documents do not grow old.
func (o Options) schema(format string) wire.Schema {
	s := wire.SchemaOf(o.Spec)
	s.LabelHeader, s.IDHeader, s.WeightHeader, s.TimeHeader, s.ByHeader = "", "", "", "", ""
	s.IDFromKey, s.IDFromEvent = false, false
	s.TimeField = ""
	s.Format = format
	if o.LabelType != wire.LabelString && o.LabelType != "" {
		s.LabelType = o.LabelType
	}
	s.LabelField = cmp.Or(o.LabelField, s.LabelField)
	s.IDField = cmp.Or(o.IDField, s.IDField)
	if s.HasText {
		s.TextFields = o.textFields()
	}
	s.Relabels, s.NullIsMissing = o.Topic, !o.Topic
	return s
}

// textFields returns the fields of the text. The field of the options replaces the only field of
// the spec.
func (o Options) textFields() []string {
	if o.TextField != "" {
		return []string{o.TextField}
	}
	return o.Spec.TextFields()
}
