// Package storetest is for tests of what is kept and replayed: temporary model files whose test ends in
// the store's own check, the text of a whole state to compare, and a training topic in memory with a
// writer that turns it into deltas as ingest does.
package storetest
