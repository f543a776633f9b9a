// Package ingest is the worker that learns: it turns the labelled records of the training topic into
// deltas and appends them to the model log.
//
// The way of one record, top to bottom: partition.run fetches, batch.add decodes, extracts the
// features and observes them into the delta, partition.append writes the delta to the log and waits until
// it comes back in the fold. Only then does the next delta start, at the watermark that the fold says.
//
// Nothing here decides what is counted: the fold does. A worker that was thought dead and comes back
// appends deltas whose start is not the watermark any more, and everyone passes over them.
package ingest
