// Package exchange takes models out of this program and into it, in forms that others read: JSON lines
// of counts, which can be added; the arrays of scikit-learn; tables of ClickHouse; the dumps of bogofilter.
// And it brings the counts of a model file into a model log, as deltas of a source of their own.
//
// All of it is integers: what is exported and imported again is the same model to the last bit.
package exchange
