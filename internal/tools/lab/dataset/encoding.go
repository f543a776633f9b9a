package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/shell/schema"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/tools/cli/progress"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is that of a text, by a name of the Encoding Standard; "": UTF-8.
type Encoding string

// UnmarshalText returns an error for an encoding that is not known.
func (e *Encoding) UnmarshalText(text []byte) error {
	*e = Encoding(text)
	_, err := e.find()
	return err
}

// find returns the encoding, nil for UTF-8.
func (e Encoding) find() (encoding.Encoding, error) {
	name := strings.ToLower(string(e))
	switch name {
	case "", "utf-8", "utf8":
		return nil, nil
	case "utf-16", "utf16": // with a byte order mark, else as Windows writes it
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), nil
	case "latin-1":
		name = "latin1"
	}
	found, err := htmlindex.Get(name)
	if err != nil {
		return nil, fmt.Errorf("encoding %q is unknown: want utf-8, utf-16, windows-1252 (which has all of latin-1), "+
			"iso-8859-2, koi8-r, shift_jis, or another name of encoding.spec.whatwg.org", name)
	}
	return found, nil
}

// unpacked returns the text of a file without a byte order mark of UTF-8, and remembers whether it
// had one.
func (o *Options) unpacked(file string, r io.Reader) (*bufio.Reader, error) {
	in, err := unpack.Reader(r)
	if err != nil {
		return nil, &wire.LineError{File: file, Line: 1, Err: wire.Unreadable(err)}
	}
	o.marked = unpack.SkipMark(in) || o.marked
	return in, nil
}

// text returns the text of a file in UTF-8, unpacked. An error is a *wire.LineError at its first
// line.
func (o *Options) text(file string, f io.Reader) (*bufio.Reader, error) {
	in, err := o.unpacked(file, f)
	if err != nil {
		return nil, err
	}
	lines, err := o.values(in)
	if err != nil {
		return nil, &wire.LineError{File: file, Line: 1, Err: err}
	}
	if lines != nil {
		return bufio.NewReader(lines), nil
	}
	e, err := o.Encoding.find()
	if err != nil {
		return nil, err
	}
	if err := o.notText(file, in, e != nil); err != nil {
		return nil, &wire.LineError{File: file, Line: 1, Err: err}
	}
	if e == nil {
		return in, nil
	}
	o.marked = o.marked || isUTF16(available(in))
	return o.unpacked(file, transform.NewReader(in, e.NewDecoder()))
}

// values returns the values of a file that a schema describes, as JSON Lines; nil for another file.
func (o Options) values(in *bufio.Reader) (lines io.Reader, err error) {
	switch {
	case o.Schema != "":
		return schema.Values(o.Schema, in)
	case bytes.HasPrefix(available(in), []byte(schema.ContainerMagic)):
		return schema.Container(in)
	}
	return nil, nil
}

// noText is what to do about a file that nothing makes a text of.
const noText = "want a file of text"

// foreign are files that hold no text, by their first bytes.
var foreign = []struct{ magic, what, todo string }{
	{"PAR1", "a Parquet file",
		`convert it: duckdb -c "COPY 'in.parquet' TO 'out.csv'", or pandas.read_parquet("in.parquet").to_json("out.jsonl", orient="records", lines=True)`},
	{"ARROW1", "an Arrow file",
		`convert it: pandas.read_feather("in.feather").to_json("out.jsonl", orient="records", lines=True)`},
	{"SQLite format 3\x00", "an SQLite database", `export the table: sqlite3 -csv -header FILE "SELECT * FROM name"`},
	{"%PDF-", "a PDF document", "extract its text: pdftotext FILE"},
	{"\xd0\xcf\x11\xe0", "an old office document", "save the sheet as CSV"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"},
	{"Rar!\x1a\x07", "a RAR archive", "unpack it first"},
	{"\x89PNG", "a picture", noText},
	{"\xff\xd8\xff", "a picture", noText},
	{"GIF8", "a picture", noText},
	{"\x7fELF", "a program", noText},
}

// noZeros is how many bytes at the beginning of a text are not zero.
const noZeros = 8

// notText returns an error that names what a file is, if it is no text or, unless its encoding was
// said, UTF-16.
func (o *Options) notText(file string, in *bufio.Reader, said bool) error {
	head := available(in)
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return fmt.Errorf("this is %s: %s", f.what, f.todo)
		}
	}
	if packing := unpack.Packing(in); packing != "" { // what was packed once is unpacked already
		return fmt.Errorf("the file is packed twice: unpack it once, so that it is %s alone", packing)
	}
	const tarMagic = 257 // where ustar is in the header of the first file
	switch {
	case len(head) > tarMagic && bytes.HasPrefix(head[tarMagic:], []byte("ustar")):
		return errors.New("this is a tar archive: unpack it, and name the files or the folder")
	case said:
	case isUTF16(head):
		return errors.New("this is UTF-16, by its byte order mark: " + o.toUTF8(file, "utf-16"))
	case len(head) >= 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return errors.New("this looks like UTF-16 without a byte order mark: " + o.toUTF8(file, "utf-16le"))
	case len(head) >= 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return errors.New("this looks like UTF-16 without a byte order mark: " + o.toUTF8(file, "utf-16be"))
	case bytes.IndexByte(head[:min(len(head), noZeros)], 0) >= 0:
		return errors.New("this is no text, it has zero bytes: " + noText)
	}
	return nil
}

// toUTF8 says what to do about a file in an encoding: no flag is read for a mail or by a stream.
func (o *Options) toUTF8(file, encoding string) string {
	format := o.Format
	if format == Auto {
		format = FormatByName(file)
	}
	isMail := format == Mail || format == Mbox || format == Auto && o.Spec != nil && o.Spec.Format == wire.FormatMail
	if o.Mixed || o.UTF8 || isMail {
		return convert(encoding)
	}
	return "use --encoding=" + encoding
}

// convert says how to make UTF-8 of a file.
func convert(encoding string) string {
	return "convert it: iconv -f " + encoding + " -t utf-8 FILE"
}

// isUTF16 reports whether a file begins with a byte order mark of UTF-16.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// watch shows the progress of reading files, in bytes on disk: for compressed files too the total
// is known in advance.
type watch struct {
	line *progress.Line
	task *progress.Task
}

// begin starts the task. It is called before the first record is read.
func (w *watch) begin(stdin io.Reader, files []string) {
	if w.line == nil || w.task != nil {
		return
	}
	total := int64(0)
	for _, file := range files {
		n := size(stdin, file)
		if n == progress.Unknown {
			total = n
			break
		}
		total += n
	}
	w.task = w.line.Begin("reading", progress.Bytes, total)
}

// size returns the bytes of a file or of all files in a folder, or Unknown.
func size(stdin io.Reader, file string) int64 {
	if file == "-" {
		return progress.Size(stdin)
	}
	info, err := os.Stat(file)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return progress.Unknown
	}
	if !info.IsDir() {
		return info.Size()
	}
	total := int64(0)
	err = filepath.WalkDir(file, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		return progress.Unknown // opening it returns the error
	}
	return total
}

// file returns f with the bytes that are read from it added to the task.
func (w *watch) file(name string, f io.ReadCloser) io.ReadCloser {
	if w.task == nil {
		return f
	}
	if name == "-" {
		name = "standard input"
	}
	w.task.Rename(filepath.Base(name))
	return &opened{Reader: w.task.Reader(f), Closer: f}
}
