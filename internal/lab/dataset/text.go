package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// textReader reads a document a line.
type textReader struct {
	options  Options
	file     string
	in       io.Closer
	lines    *wire.Lines
	decoder  *wire.Decoder
	record   stream.Record
	document wire.Document
}

func newText(o Options, file string, f io.ReadCloser) (Reader, error) {
	s := o.schema(wire.FormatText)
	decoder, err := wire.NewDecoder(s)
	if err != nil {
		return nil, err
	}
	lines, err := wire.NewLines(file, f, s.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	return &textReader{options: o, file: file, in: f, lines: lines, decoder: decoder}, nil
}

func (r *textReader) Read(rec *Record) error {
	line, err := r.lines.Next()
	if err != nil {
		return err
	}
	r.record.Value = line
	if err := decodeWhole(r.decoder, &r.record, &r.document, &r.options, rec); err != nil {
		return &wire.LineError{File: r.file, Line: r.lines.Number(), Err: err}
	}
	rec.place(r.file, r.lines.Number())
	return nil
}

func (r *textReader) Close() error { return closeData(r.in) }

// decodeWhole sets rec to a record whose value is all document.
func decodeWhole(d *wire.Decoder, in *stream.Record, doc *wire.Document, o *Options, rec *Record) error {
	if err := d.Document(in, doc); err != nil {
		return err
	}
	*rec = Record{Input: doc.Input}
	return rec.setLabel(o)
}

// wholeReader reads a file that is one document, or the mails of a mailbox.
type wholeReader struct {
	options  Options
	file     string
	in       io.Closer
	data     *bufio.Reader
	decoder  *wire.Decoder
	document wire.Document
	mbox     bool
	line     int64
	started  bool
	done     bool
	limit    int
}

func newMails(o Options, file string, f io.ReadCloser, mbox bool) (Reader, error) {
	return newDocuments(o, file, f, wire.FormatMail, mbox)
}

func newDocuments(o Options, file string, f io.ReadCloser, format string, mbox bool) (Reader, error) {
	s := o.schema(format)
	decoder, err := wire.NewDecoder(s)
	if err != nil {
		return nil, err
	}
	in, err := wire.UnpackedText(file, f)
	if err != nil {
		return nil, err
	}
	return &wholeReader{options: o, file: file, in: f, data: in, decoder: decoder, mbox: mbox, limit: s.MaxRecordBytes}, nil
}

func (r *wholeReader) Read(rec *Record) error {
	value, line, err := r.next()
	if err != nil {
		return err
	}
	if err := decodeWhole(r.decoder, &stream.Record{Value: value}, &r.document, &r.options, rec); err != nil {
		return &wire.LineError{File: r.file, Line: line, Err: err}
	}
	rec.place(r.file, line)
	return nil
}

// next returns the bytes of the next mail and its first line.
func (r *wholeReader) next() (mail []byte, line int64, err error) {
	if r.done {
		return nil, 0, io.EOF
	}
	if !r.mbox {
		r.done = true
		mail, err := io.ReadAll(io.LimitReader(r.data, int64(r.limit)+1))
		if err != nil {
			return nil, 0, &wire.LineError{File: r.file, Line: 1, Err: wire.Unreadable(err)}
		}
		return mail, 1, nil
	}
	return r.nextInBox()
}

// nextInBox reads up to the next line that begins with "From " (mboxrd: a body's own such lines carry a
// ">" before them, which is taken off).
func (r *wholeReader) nextInBox() (mail []byte, line int64, err error) {
	line = r.line + 1
	for {
		text, err := r.data.ReadBytes('\n')
		if len(text) > 0 {
			r.line++
		}
		switch {
		case bytes.HasPrefix(text, []byte("From ")) && !r.started:
			r.started, line = true, r.line+1
		case bytes.HasPrefix(text, []byte("From ")):
			return mail, line, nil
		case bytes.HasPrefix(bytes.TrimLeft(text, ">"), []byte("From ")):
			mail = append(mail, text[1:]...)
		default:
			mail = append(mail, text...)
		}
		if errors.Is(err, io.EOF) {
			r.done = true
			if len(bytes.TrimSpace(mail)) == 0 {
				return nil, 0, io.EOF
			}
			return mail, line, nil
		}
		if err != nil {
			return nil, 0, &wire.LineError{File: r.file, Line: r.line + 1, Err: wire.Unreadable(err)}
		}
	}
}

func (r *wholeReader) Close() error { return closeData(r.in) }

// folder reads a folder with a subfolder for each class: in it a file a document, or mailboxes. Where labels are
// not needed, or one is that of all, the files may stand in the folder itself.
type folder struct {
	options Options
	watch   *watch
	files   []labelled
	current Reader
}

type labelled struct{ path, label string }

func openFolder(o Options, w *watch, root string) (Reader, error) {
	f := &folder{options: o, watch: w}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	if o.Unlabelled || o.Label != "" {
		f.add(root, entries, o.Label)
	}
	for _, c := range entries {
		if !c.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(root, c.Name()))
		if err != nil {
			return nil, fmt.Errorf("open data: %w", err)
		}
		f.add(filepath.Join(root, c.Name()), files, c.Name())
	}
	if len(f.files) == 0 {
		return nil, &FolderError{Folder: root, Unlabelled: o.Unlabelled}
	}
	slices.SortFunc(f.files, func(a, b labelled) int { return strings.Compare(a.path, b.path) })
	return f, nil
}

// add takes the files among the entries of a folder for documents of a class.
func (f *folder) add(dir string, entries []os.DirEntry, label string) {
	for _, file := range entries {
		if !file.IsDir() && !strings.HasPrefix(file.Name(), ".") {
			f.files = append(f.files, labelled{filepath.Join(dir, file.Name()), label})
		}
	}
}

// FolderError says that a folder is not laid out as folders of documents are.
type FolderError struct {
	Folder     string
	Unlabelled bool // no labels were wanted
}

func (e *FolderError) Error() string {
	if e.Unlabelled {
		return e.Folder + " holds no files, and no subfolders with files: want a document a file"
	}
	return e.Folder + " holds no subfolders with files: want one for each class, with its documents, or the label of all files in it"
}

func (f *folder) Read(rec *Record) error {
	for {
		if f.current == nil {
			if len(f.files) == 0 {
				return io.EOF
			}
			r, err := f.open(f.files[0])
			if err != nil {
				return err
			}
			f.current, f.files = r, f.files[1:]
		}
		err := f.current.Read(rec)
		if !errors.Is(err, io.EOF) {
			return err
		}
		if err := f.current.Close(); err != nil {
			return err
		}
		f.current = nil
	}
}

func (f *folder) open(x labelled) (Reader, error) {
	o := f.options
	o.Label = x.label
	file, err := os.Open(x.path)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	in := f.watch.file(x.path, file)
	var r Reader
	switch {
	case o.Format == Mbox || strings.HasSuffix(x.path, ".mbox"):
		r, err = newMails(o, x.path, in, true)
	case o.Format == Mail || o.Format == Auto && o.Spec.Format == wire.FormatMail:
		r, err = newMails(o, x.path, in, false)
	default:
		r, err = newWhole(o, x.path, in)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

func (f *folder) Close() error {
	if f.current == nil {
		return nil
	}
	return f.current.Close()
}

// newWhole reads a file that is one document of text.
func newWhole(o Options, file string, f io.ReadCloser) (Reader, error) {
	return newDocuments(o, file, f, wire.FormatText, false)
}
