// Package ingest is the worker that learns: it turns the labelled records of the training topic
// into deltas and appends them to the model log.
//
// The way of a record is one step of a partition, top to bottom: the watermark of the state, a
// fetch, and for each record decode, extract and observe, which build one delta in a batch; then
// dead letters, append, and a wait until the delta comes back in the fold. Only then does the next
// step start, at the watermark that the fold says.
//
// The batch is a function of the records, of the texts that they refer to, and of a view of the
// state. Nothing here decides what is counted: the fold does. A worker that was thought dead and
// comes back appends deltas whose start is not the watermark any more, and every replica skips
// them.
package ingest
