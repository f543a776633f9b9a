package labelled

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/unpack"
)

// An Item is one labelled text of a file of JSON Lines.
type Item struct {
	ID    string // the id field, else file:line
	Label string
	Text  string
}

// longest is the most bytes of a line.
const longest = 1 << 20

// Each calls f with each of the labelled texts of a file, compressed or not.
func Each(path string, f func(*Item)) error {
	in, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	d := wire.NewDecoder(wire.SchemaOf(spec.Default()))
	name := filepath.Base(path)
	text, err := unpack.Text(in)
	if err != nil {
		return err
	}
	lines := wire.NewLines(name, text, longest)
	var t wire.Training
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = d.Training(&record.Record{Value: line}, &t)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, lines.Number(), err)
		}
		x := Item{ID: t.ID, Label: t.Label, Text: string(t.Input.Segments[0].Text)}
		if !t.Explicit {
			x.ID = fmt.Sprintf("%s:%d", name, lines.Number())
		}
		f(&x)
	}
}

// AppendTraining appends the value of a training record: id, label and text.
func AppendTraining(dst []byte, id, label, text string) []byte {
	return appendObject(dst, `{"id":`, id, `,"label":`, label, `,"text":`, text)
}

// AppendDocument appends the value of a document record: id and text.
func AppendDocument(dst []byte, id, text string) []byte {
	return appendObject(dst, `{"id":`, id, `,"text":`, text)
}

// appendObject appends a JSON object of keys and strings in turn.
func appendObject(dst []byte, parts ...string) []byte {
	for i := 0; i < len(parts); i += 2 {
		value, err := json.Marshal(parts[i+1])
		if err != nil {
			panic(err) // a string is always encoded
		}
		dst = append(append(dst, parts[i]...), value...)
	}
	return append(dst, '}')
}
