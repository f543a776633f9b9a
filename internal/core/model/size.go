package model

// A Size bounds how large a delta is, in numbers of its parts. How many bytes they take is up to
// the encoding.
type Size struct {
	Tables   int // of counts: the text, the categorical fields, the histograms
	Blocks   int // of numbers
	Classes  int
	Terms    int // of all tables
	Cells    int // of all terms
	Bytes    int // of the names of classes and of the terms
	Sums     int // pairs of class and block of numbers
	Fields   int // of all Sums: each has a count of rows
	Integers int // of all Sums: sums and products, of 192 bits

	Corrections int // cells; their terms are among Terms
}

// Add returns the size of two deltas in one.
func (s Size) Add(other Size) Size {
	s.Tables += other.Tables
	s.Blocks += other.Blocks
	s.Classes += other.Classes
	s.Terms += other.Terms
	s.Cells += other.Cells
	s.Bytes += other.Bytes
	s.Corrections += other.Corrections
	s.Sums += other.Sums
	s.Fields += other.Fields
	s.Integers += other.Integers
	return s
}
