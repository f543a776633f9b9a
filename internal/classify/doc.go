// Package classify is the worker that labels: for each document of a topic it writes the decision of
// the model as it is now.
//
// The way of a document is one step of a partition, top to bottom: a fetch; then a lane decodes, extracts, scores and
// encodes each document, under one lock for a batch, so that all decisions of the batch name one offset of the model
// log; then the answers are appended to the same partition of the labels topic.
//
// The group's offset is committed after the answers are written: a document gets at least one decision, in the
// order of its partition, and after a crash perhaps two with the same source id.
package classify
