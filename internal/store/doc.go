// Package store keeps the state of a worker in a bbolt file, so that a restart goes on where it
// stood instead of folding the whole log again. The same file is what `bayestream train` writes.
//
// The log is the journal and the file a checkpoint: rows that changed and the position in the log are
// written in one transaction, so that the file is always the state after some record of the log. What
// happened after the last checkpoint is folded again; folding the same records gives the same counts.
//
// Layout (one bucket each):
//
//	meta    "checkpoint"                      logpb.Checkpoint
//	text    term                              row of counts (appendCells)
//	catN    value                             row of counts of the N-th categorical field or histogram
//	sums    block uint16, class uint16        packed sums (gaussian.Sums.AppendBytes)
//	ledger  topic, 0, partition uint32, source offset uint64   logpb.LedgerChange
//
// Integers in keys are big endian. Every value ends in the CRC-32C of key and value, and the
// checkpoint says how many rows there are and what their counts add up to: bbolt's own check finds
// only some of the damage that a disk can do to data pages. The tree of pages is looked through when a
// file is opened, before bbolt, which trusts it, reads any of it. docs/store.md draws the bytes.
//
// Caveats: bbolt locks the file, so that one process at a time can have it open. A Store is not safe
// for concurrent writes; snapshots may run beside them.
package store
