// Package fold is the state of a worker as a function of the model log.
//
// The log is a sequence of records: specs, and deltas that say "these are the counts of the records
// [start, end) of partition p". Fold takes them in order and accepts a delta if and only if
//
//   - its counting fingerprint is that of the spec,
//   - end > start, and
//   - start equals the watermark of its source partition (a partition without one takes the start of
//     its first delta).
//
// Everything else is skipped, with a reason that is counted. So each source offset is counted once,
// however many writers there were, whatever they repeated: of two deltas with the same start the
// first in the log wins and the second is stale.
//
// Fold uses no clock, no randomness, no map order and no floating point. The live workers, replay,
// recovery and the tests call this same function, so that equal logs give equal states.
package fold
