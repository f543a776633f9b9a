// Package classify is the worker that labels: for each document of a topic it writes the decision of
// the model as it is now.
//
// The way of one document, top to bottom: partition.run fetches a batch, lane.label decodes, extracts,
// scores and encodes each of its records under one lock (so that all decisions of a batch name one
// offset of the model log), partition.write appends the answers to the same partition of the labels
// topic and commits the group's offset.
//
// The offset is committed after the answers are written: a document gets at least one decision, in the
// order of its partition, and after a crash perhaps two with the same source id.
package classify
