// Package exchange exports models to formats of other programs and imports from them: JSON lines of
// counts, which can be added; the arrays of scikit-learn; tables of ClickHouse; dumps of
// bogofilter.
//
// All counts are integers: a model that is exported and imported again is the same to the last bit.
package exchange
