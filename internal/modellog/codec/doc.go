// Package modellog is the form of a model on its way: specs and deltas as records of the model topic,
// changes of ledgers and checkpoints as rows of a model file, in protobuf. What equal things become is
// equal bytes; what comes in is believed to be nothing until it was checked.
//
// It knows no broker: package replica appends the records and follows them.
package codec
