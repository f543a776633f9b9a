// Package texts reads the labelled sets of the benchmarks.
package texts

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"bayestream/internal/shell/wire"
)

// Read returns the labelled texts of a file of JSON Lines, compressed or not.
func Read(path string) (items []wire.Item, err error) {
	in, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	d, err := wire.NewDecoder(wire.Schema{Format: wire.FormatJSON, HasText: true})
	if err != nil {
		return nil, err
	}
	lines, err := wire.NewItems(filepath.Base(path), in, d)
	if err != nil {
		return nil, err
	}
	for {
		var x wire.Item
		err := lines.Next(&x)
		if errors.Is(err, io.EOF) {
			return items, nil
		}
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
}
