package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"bayestream/internal/shell/wire"
)

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
	var reject *wire.Reject
	if errors.As(err, &reject) && reject.Reason == wire.InvalidUTF8 && o.Encoding == "" {
		reject.Detail += inLatin1
	}
	return err
}

// explainObject adds to the error of a record that should be a JSON object what to do about it,
// where its bytes tell.
func (o *Options) explainObject(err error, value []byte) error {
	var reject *wire.Reject
	if !errors.As(err, &reject) {
		return err
	}
	missing := strings.HasSuffix(reject.Detail, " is missing")
	switch {
	case reject.Reason == wire.NotJSON:
		reject.Detail += o.noObject(value)
	case bytes.Contains(value, []byte(`:{"0":`)):
		reject.Detail += `; a table by columns is not read: write one object per row, in pandas to_json("out.jsonl", orient="records", lines=True)`
	case reject.Reason == wire.NoText && missing && o.Spec.Text != nil && len(o.Spec.TextFields()) == 1:
		reject.Detail += "; the record has " + wire.FieldNames(value) +
			unless(o.TextField, "; if one of these is the text, say --text-field=NAME")
	case reject.Reason == wire.NoLabel && missing:
		reject.Detail += "; the record has " + wire.FieldNames(value) +
			unless(o.LabelField, "; if one of these is the label, say --label-field=NAME")
	}
	return err
}

// unless returns the advice to give a flag that has no value yet.
func unless(flag, advice string) string {
	if flag != "" {
		return ""
	}
	return advice
}

// warnOfObjects warns of a file that its name makes lines of text, and that begins with an object
// of JSON.
func (o *Options) warnOfObjects(format, file string, in *bufio.Reader) {
	if format != Text || o.Warn == nil {
		return
	}
	head, _, whole := bytes.Cut(available(in), []byte("\n"))
	head = bytes.TrimSpace(head)
	if !bytes.HasPrefix(head, []byte("{")) || whole && !json.Valid(head) {
		return
	}
	o.Warn(fmt.Sprintf("%s:1: the line is JSON, and it is read as text, because the name of the file ends in .txt: say "+
		"--format=jsonl if its lines are records, or --format=text if they are texts", file))
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
