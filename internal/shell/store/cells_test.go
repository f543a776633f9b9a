package store

import (
	"bytes"
	"slices"
	"testing"

	"bayestream/internal/counts"
	"bayestream/internal/testing/alloctest"
)

// What is read from any bytes is a row that is written and read again as it is, and whose cells are
// counted right.
func FuzzReadCells(f *testing.F) {
	f.Add([]byte{0, 3, 1, 200, 1}, false)
	f.Add([]byte{0, 0}, true)
	f.Add([]byte{0xff, 0xff, 3, 1, 0, 1}, true)
	f.Fuzz(func(t *testing.T, packed []byte, isSigned bool) {
		var cells []counts.Cell
		var err error
		alloctest.Bound(t, len(packed), func() { cells, err = readCells(nil, packed, isSigned) })
		if err != nil {
			return
		}
		if n := countCells(packed); n != len(cells) {
			t.Fatalf("%x has %d cells, counted %d", packed, len(cells), n)
		}
		if counts.NewLoader(counts.NewTable(counts.Options{Signed: isSigned})).Restore([]byte("term"), cells) != nil {
			return // a class twice
		}
		again := appendCells(nil, cells, isSigned)
		got, err := readCells(nil, again, isSigned)
		if err != nil || !slices.Equal(got, cells) || len(again) > maxCellBytes*len(cells) {
			t.Fatalf("%x was written as %x and read as %x, %v", packed, again, got, err)
		}
	})
}

// The bytes of a row are part of the format of the file.
func TestCellsGolden(t *testing.T) {
	row := []counts.Cell{counts.NewCell(0, 3), counts.NewCell(1, 200), counts.NewCell(300, 1)}
	if got, want := appendCells(nil, row, false), []byte{0, 3, 1, 0xc8, 1, 0xab, 2, 1}; !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}
