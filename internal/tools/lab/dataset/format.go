package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"bayestream/internal/shell/wire"
)

// The formats of files.
const (
	Auto     = ""         // by the extension of the name, else by the content, else JSON Lines
	JSONL    = "jsonl"    // one JSON object per line, or an array of objects
	CSV      = "csv"      // a header, then one document per row
	Text     = "text"     // one document per line; in a folder, one per file
	Labelled = "labelled" // a label, a tab and a text per line, without a header
	Mail     = "mail"     // one mail per file
	Mbox     = "mbox"     // mails one after the other
)

// formats lists the formats for help texts.
var formats = []string{JSONL, CSV, Text, Labelled, Mail, Mbox}

// packed are the extensions of packed files, which follow the extension of the format.
var packed = []string{".gz", ".zst", ".xz", ".bz2"}

// FormatByName returns the format of a file by the extension of its name, or Auto.
func FormatByName(file string) string {
	file = strings.ToLower(file)
	if ext := filepath.Ext(file); slices.Contains(packed, ext) {
		file = strings.TrimSuffix(file, ext)
	}
	switch filepath.Ext(file) {
	case ".jsonl", ".json", ".ndjson":
		return JSONL
	case ".csv", ".tsv", ".tab":
		return CSV
	case ".txt":
		return Text
	case ".eml":
		return Mail
	case ".mbox":
		return Mbox
	}
	return Auto
}

// guess returns the format of a file by its name and, where that does not say it, by what it begins
// with.
func (o Options) guess(file string, in *bufio.Reader) string {
	format := FormatByName(file)
	if format != Auto && format != CSV {
		return format
	}
	head := available(in)
	switch {
	case format == CSV && !strings.HasSuffix(strings.ToLower(file), ".csv") && !o.hasHeader(head) && isLabelled(head) &&
		o.Spec.Text != nil:
		return Labelled
	case format == CSV:
		return CSV
	}
	switch first := bytes.TrimLeft(head, " \t\r\n"); {
	case len(first) > 0 && (first[0] == '{' || first[0] == '['):
		return JSONL
	case o.Spec.Format == wire.FormatMail || isMail(in):
		return Mail
	case o.hasHeader(head), bytes.HasPrefix(head, []byte(excel)):
		return CSV
	case o.Spec.Text != nil && isLabelled(head):
		return Labelled
	}
	return JSONL
}

// available returns what a file begins with. Of a pipe it is what is there, so that nothing waits
// for more.
func available(in *bufio.Reader) []byte {
	_, _ = in.Peek(1) // an error shows at the next read
	head, _ := in.Peek(in.Buffered())
	return head
}

// lookAt is how many lines are looked at to see whether they are labelled.
const lookAt = 100

// IsLabelled reports whether a text begins with lines that are a label, a tab and a text.
func IsLabelled(text *bufio.Reader) bool { return isLabelled(available(text)) }

// isLabelled reports whether lines are a label, a tab and a text: each has a tab, and the label of
// the first occurs again, which the name of a column does not.
func isLabelled(head []byte) bool {
	head = head[:bytes.LastIndexByte(head, '\n')+1] // whole lines
	first, _, _ := bytes.Cut(head, []byte("\t"))
	again := false
	n := 0
	for line := range bytes.Lines(head) {
		label, _, ok := bytes.Cut(line, []byte("\t"))
		if !ok || len(label) == 0 {
			return false
		}
		again = again || n > 0 && bytes.Equal(label, first)
		n++
		if n == lookAt {
			break
		}
	}
	return again
}

// hasHeader reports whether a file begins with a header of CSV that names the columns that are
// needed.
func (o Options) hasHeader(head []byte) bool {
	return slices.ContainsFunc([]byte(separators), func(separator byte) bool {
		header := cells(head, separator)
		return len(header) > 1 && len(o.columns(header).missing) == 0
	})
}

// mailFields are fields of which every mail that was sent has some.
var mailFields = []string{"from", "received", "return-path", "message-id", "date", "mime-version", "delivered-to", "to"}

// isMail reports whether a file begins with the header of a mail, of which at least two fields are
// mailFields. Two are asked for, since From and Subject alone also stand over texts that are no
// mails.
func isMail(in *bufio.Reader) bool {
	if _, err := in.Peek(1); err != nil {
		return false
	}
	head := available(in)
	known := 0
	for i, line := range bytes.Split(head, []byte("\n")) {
		name, _, isField := bytes.Cut(line, []byte(":"))
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			return known > 1
		case i == 0 && bytes.HasPrefix(line, []byte("From ")), i > 0 && (line[0] == ' ' || line[0] == '\t'):
		case !isField || !isFieldName(name):
			return false
		case slices.Contains(mailFields, strings.ToLower(string(name))):
			known++
		}
	}
	return known > 1
}

// mayBeMailbox reports whether a file of which no format was named begins as each mail of a mailbox
// does. Lines that end with CR alone are those of one mail.
func (o Options) mayBeMailbox(in *bufio.Reader) bool {
	head := available(in)
	end := bytes.IndexAny(head, "\r\n")
	isAlone := end >= 0 && head[end] == '\r' && !bytes.HasPrefix(head[end+1:], []byte("\n"))
	return o.Format == Auto && bytes.HasPrefix(head, []byte("From ")) && !isAlone
}

// isFieldName reports whether a name may name a field of a header (RFC 5322, 2.2).
func isFieldName(name []byte) bool {
	return len(name) > 0 && !slices.ContainsFunc(name, func(c byte) bool { return c <= ' ' || c > '~' })
}

// inLatin1 is what to do about a text that is not UTF-8.
const inLatin1 = "; a file in Windows-1252 or Latin-1 is read with --encoding=windows-1252"

// CheckUTF8 returns an error for a cell or a line that is not UTF-8.
func CheckUTF8(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("the text is not UTF-8" + inLatin1)
	}
	return nil
}

// explain adds to the error of a record that is not UTF-8 what it may be.
func (o *Options) explain(err error) error {
	if reject, ok := errors.AsType[*wire.Reject](err); ok && reject.Reason == wire.InvalidUTF8 && o.Encoding == "" &&
		!o.Mixed { // a stream has no flag for it
		reject.Detail += inLatin1
	}
	return err
}

// explainObject adds to the error of a record that should be a JSON object what to do about it,
// where its bytes tell.
func (o *Options) explainObject(err error, value []byte) error {
	reject, isReject := errors.AsType[*wire.Reject](err)
	if !isReject {
		return err
	}
	missing := strings.Contains(reject.Detail, " is missing; the record has ")
	list := ""
	if missing {
		list = holder(value, o.schema(wire.FormatJSON))
	}
	switch {
	case reject.Reason == wire.NotJSON:
		reject.Detail += o.noObject(value)
	case bytes.Contains(value, []byte(`:{"0":`)):
		reject.Detail += `; a table by columns is not read: write one object per row, in pandas to_json("out.jsonl", orient="records", lines=True)`
	case list != "":
		reject.Detail += fmt.Sprintf("; the records are inside of %q: write them one a line, as in jq -c '.[%[1]q][]'", list)
	case o.Mixed && (reject.Reason == wire.NoText || reject.Reason == wire.NothingFound) &&
		isCorrection(value, o.schema(wire.FormatJSON)):
		reject.Detail += "; stream does not relabel or forget a document by its id: POST /v1/labels of serve does"
	case reject.Reason == wire.NoText && missing && o.Spec.Text != nil && len(o.Spec.TextFields()) == 1:
		reject.Detail += unless(o.TextField, "; if one of these is the text, say --text-field=NAME")
	case reject.Reason == wire.NoLabel && missing:
		reject.Detail += unless(o.LabelField, "; if one of these is the label, say --label-field=NAME")
	}
	return err
}

// isCorrection reports whether an object has an id and a label, which may be null, and no document.
func isCorrection(object []byte, s wire.Schema) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(object, &members) // of what is no object none
	for _, name := range []string{s.IDField, s.LabelField} {
		if _, has := members[name]; !has {
			return false
		}
		delete(members, name)
	}
	delete(members, s.WeightField)
	delete(members, s.ByField)
	return len(members) == 0
}

// holder returns the member of an object that is a list of records, "" if none is: objects that have
// the label or the text.
func holder(object []byte, s wire.Schema) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(object, &members) // of what is no object none
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var list []map[string]json.RawMessage
		if json.Unmarshal(members[name], &list) != nil || len(list) == 0 {
			continue
		}
		for _, field := range slices.Concat(s.TextFields, []string{s.LabelField}) {
			if _, has := list[0][field]; has {
				return name
			}
		}
	}
	return ""
}

// unless returns the advice to give a flag that has no value yet.
func unless(flag, advice string) string {
	if flag != "" {
		return ""
	}
	return advice
}

// looksOtherwise warns of a file that is read as lines of text, because its name says so, or as
// labelled lines, and that begins with an object of JSON or with the header of a table. A header is
// an error where lines have no label.
func (o *Options) looksOtherwise(format, file string, in *bufio.Reader) error {
	if format != Labelled && (format != Text || o.Format != Auto) {
		return nil
	}
	head := available(in)
	line, _, whole := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimSpace(line)
	isObject := bytes.HasPrefix(line, []byte("{")) && (!whole || json.Valid(line))
	warning := ""
	switch {
	case format == Text && isObject:
		warning = "the line is JSON, and it is read as text, because the name of the file ends in .txt: say " +
			"--format=jsonl if its lines are records, or --format=text if they are texts"
	case !o.hasHeader(head):
	case format == Text && !o.Unlabelled && o.Label == "":
		return &wire.LineError{File: file, Line: 1,
			Err: errors.New("the line names the columns of a table: say --format=csv")}
	default:
		warning = "the line is read as a document: if it names the columns of a table, say --format=csv"
	}
	if warning != "" && o.Warn != nil {
		o.Warn(file + ":1: " + warning)
	}
	return nil
}

// noObject says what bytes may be that are no JSON object.
func (o *Options) noObject(value []byte) string {
	switch {
	case bytes.HasPrefix(value, []byte("{'")):
		return "; this looks like Python: write it with json.dumps"
	case bytes.HasSuffix(value, []byte("},")):
		return "; leave out the comma behind the object, or put the objects between [ and ]"
	case bytes.HasSuffix(value, []byte(",}")):
		return "; leave out the comma before the brace"
	case bytes.HasPrefix(value, []byte("{")) &&
		json.NewDecoder(bytes.NewReader(value)).Decode(new(json.RawMessage)) == nil:
		return "; behind the first object is more: put each object on a line of its own"
	case !bytes.HasPrefix(value, []byte("{")) && o.Format == Auto:
		return "; it is read as JSON Lines: if it has another format, say --format=NAME"
	}
	return ""
}
