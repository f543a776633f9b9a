// Package modelfile works on model files without a broker: it loads them from disk or from a
// running worker, trains them on records of files, labels records with them, and makes and restores
// backups.
//
// The model file is the file that a worker keeps, and counting and scoring are the code that runs
// on the stream, so a model behaves the same in both places.
package modelfile
