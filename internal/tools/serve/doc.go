// Package serve runs the whole pipeline in one process, for those who have no Kafka: an embedded
// broker, ingest, classify and the console, on a model file and the folder of its topics.
//
// There is one address. It has the pages of the console, and the calls of both workers. A document
// that is classified over HTTP is also written to the documents topic: a person sees it in the
// console, and its label is corrected by its id.
package serve
