// Package tune finds the best values for fields of a spec by grid search: it evaluates every point
// of a grid on the same splits of the documents, and tests the best one on documents that had no
// part in the choice.
//
// Points with the same counting settings share the counted documents. Points are evaluated in
// parallel.
package tune
