// Package tune searches the fields of a spec for the values that decide best: it tries every point of a
// grid on the same divisions of the documents, and tests the best one on documents that had no part in the
// choice.
//
// Points that count alike share the counted documents and run side by side. What is finished is written to
// a log, so that a search that was stopped goes on.
package tune
