// Package store keeps the state of a worker in a bbolt file, so that a restart continues there
// instead of folding the whole log again. "bayestream train" writes the same file.
//
// The log is the journal and the file a checkpoint: changed rows and the position in the log are
// written in one transaction, so that the file is always the state after some record of the log.
// Later records are folded again; folding the same records gives the same counts.
//
// docs/store.md draws the buckets and their bytes. Every value ends in the CRC-32C of key and value,
// and the checkpoint holds the number of rows and the sums of their counts: bbolt's own check finds
// only some of the damage to data pages. Package pages checks the tree of pages when a file is
// opened, before bbolt, which trusts it, reads any of it.
//
// Caveats: bbolt locks the file, so that only one process can have it open for writing. A Store is
// not safe for concurrent writes; snapshots may run concurrently with a write.
package store
