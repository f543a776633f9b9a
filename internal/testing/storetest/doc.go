// Package storetest helps to test states and model files: it has temporary files that the store
// checks at the end of the test, dumps of whole states to compare, and a writer that turns training
// records in memory into deltas as ingest does.
package storetest
