// Package texts reads the labelled sets of the benchmarks.
package texts

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/unpack"
)

// published is the folder, from the root of the project, of the sets that are part of it.
const published = "testdata/data"

// Find returns the path of a file of a set: a published one, or one in the folder data.
func Find(data, name string) string {
	path := filepath.Join(published, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	return filepath.Join(data, name)
}

// Missing returns the path of the first of some files that does not exist, "" if all do. An empty
// name is none.
func Missing(data string, names ...string) string {
	for _, name := range names {
		path := Find(data, name)
		if _, err := os.Stat(path); name != "" && err != nil {
			return path
		}
	}
	return ""
}

// Read returns the labelled texts of a file of JSON Lines, compressed or not.
func Read(path string) (items []wire.Item, err error) {
	err = Each(path, func(x *wire.Item) { items = append(items, *x) })
	return items, err
}

// Each calls f with each of the labelled texts of a file.
func Each(path string, f func(*wire.Item)) error {
	in, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	d, err := wire.NewDecoder(wire.Schema{Format: wire.FormatJSON, HasText: true})
	if err != nil {
		return err
	}
	text, err := unpack.Text(in)
	if err != nil {
		return err
	}
	lines, err := wire.NewItems(filepath.Base(path), text, d)
	if err != nil {
		return err
	}
	for {
		var x wire.Item
		err := lines.Next(&x)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		f(&x)
	}
}
