// Package fold is the state of a worker as a function of the model log.
//
// The log is a sequence of records: specs, controls, and deltas that say "these are the counts of the records
// [start, end) of partition p". Fold takes them in order and accepts a delta if and only if
//
//   - its counting fingerprint is that of the spec,
//   - it was built in the same era: no control came since,
//   - its generation is that of its source, start equals the watermark of the source, and its trail that of the source;
//     or it begins a source, or the generation after, and its start is taken as it is.
//
// With end > start it moves the watermark. With end == start it is upkeep: it moves the trail. Everything else is
// passed over and counted by Outcome. So each source offset is counted once, whatever the number of writers and
// whatever they repeat: of two deltas with the same start the first in the log wins and the second is stale.
//
// Fold uses no clock, no randomness, no map order and no floating point. The workers, replay, recovery
// and the tests call this same function, so that equal logs give equal states. Settle then computes
// what decisions need from the counts, once for many records.
package fold
