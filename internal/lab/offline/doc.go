// Package offline works on model files without a broker: it learns files into a model, loads models
// from files and from running workers, and labels the documents of files.
//
// The model file is the one that ingest keeps, and counting and scoring are the code that runs on the
// stream: what is tried here behaves the same there.
package offline
