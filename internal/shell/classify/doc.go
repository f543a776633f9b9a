// Package classify is the worker that labels: for each document of a topic it writes the decision
// of the model as it is now.
//
// The way of a document is one step of a partition, top to bottom: a fetch; then a lane decodes,
// extracts, scores and encodes each document, under one lock for a slice, so that all decisions of
// the slice name one offset of the model log; then the answers, as many as the memory has room for,
// are appended to the same partition of the labels topic.
//
// Answers, dead letters and the offset of the group are written in transactions: a reader of
// committed records sees one answer to each document, in the order of its partition. Where the
// brokers refuse transactions, the offset is committed after the answers are written, and after a
// crash some documents have two answers with the same source id.
package classify
