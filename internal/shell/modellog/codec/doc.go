// Package codec is the form of a model in the log and in a file: specs and deltas as records of the
// model topic, changes of ledgers and checkpoints as rows of a model file, in protobuf. Equal
// values have equal bytes. What is decoded is checked before it is returned.
//
// It knows no broker: package modellog appends the records and follows them.
package codec
