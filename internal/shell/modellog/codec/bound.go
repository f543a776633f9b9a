package codec

import (
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
)

// Bound returns an upper bound of the bytes that a delta of that size takes in the log, besides its
// skipped offsets and changes of the ledger.
func Bound(s model.Size) int {
	const (
		// of the record: format, log, source, range, fingerprint, era, spec, anchor, digest, the frame of
		// the ledger
		frame    = 224
		tables   = 56 // of each: kind and number, tags and lengths of six fields
		blocks   = 8  // of each: tag and length
		classes  = 16 // of each, besides its name: its documents, tag and length
		terms    = 8  // of each, besides its bytes: its length and the number of its cells
		cells    = 11 // of each: a class and a signed count of 48 bits
		sums     = 8  // of each: tag and length
		rows     = 10 // of each field: a varint
		integers = 25 // of each: 192 bits and a sign
	)
	return frame + tables*s.Tables + blocks*s.Blocks + classes*s.Classes + s.Bytes + terms*s.Terms + cells*s.Cells +
		sums*s.Sums + rows*s.Fields + integers*s.Integers
}

// LargestChange is an upper bound of the bytes that a change of the ledger takes in a delta.
const LargestChange = 2048

// LargestText returns an upper bound of the bytes of a delta in which one text takes the place of
// another, both with as many terms as the limits allow.
func LargestText(l *spec.Limits) int {
	const sizeBytes = 41 // of the two ends of a size
	const texts = 2
	terms := texts * (l.TermsPerDocument + spec.EdgeTables)
	sizes := texts * spec.ShapeTables
	return Bound(model.Size{
		Tables: 1 + spec.TextTables, Classes: 2, Terms: terms + sizes, Cells: terms + sizes, Bytes: terms*l.TermBytes +
			sizes*sizeBytes + 2*counts.MaxClassBytes,
	}) + LargestChange
}
