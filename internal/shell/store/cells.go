package store

import (
	"encoding/binary"
	"errors"

	"bayestream/internal/counts"
)

// A row of counts is, for each cell, two unsigned varints: the distance of its class from the one
// before (of the first from 0), and its count.

// maxCellBytes is how many bytes a cell takes at most: a class of 16 bits and a count of 47.
const maxCellBytes = 3 + 7

// appendCells appends the bytes of a row.
func appendCells(dst []byte, cells []counts.Cell) []byte {
	last := 0
	for _, c := range cells {
		dst = binary.AppendUvarint(dst, uint64(c.Class()-last))
		dst = binary.AppendUvarint(dst, uint64(c.Count()))
		last = c.Class()
	}
	return dst
}

var errCells = errors.New("a row of counts is damaged")

// readCells appends the cells of a row to dst. The error is errCells.
func readCells(dst []counts.Cell, packed []byte) ([]counts.Cell, error) {
	class := uint64(0)
	for len(packed) > 0 {
		step, n := binary.Uvarint(packed)
		if n <= 0 || step >= counts.MaxClasses {
			return nil, errCells
		}
		packed = packed[n:]
		count, n := binary.Uvarint(packed)
		if n <= 0 || count == 0 || count > counts.MaxCount {
			return nil, errCells
		}
		packed = packed[n:]
		class += step
		if class >= counts.MaxClasses {
			return nil, errCells
		}
		dst = append(dst, counts.NewCell(int(class), int64(count)))
	}
	return dst, nil
}

// countCells returns how many cells a row has, by the varints that end in it.
func countCells(packed []byte) int {
	ends := 0
	for _, c := range packed {
		ends += int(^c >> 7)
	}
	return ends / 2
}
