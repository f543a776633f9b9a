// Package fold is the state of a worker as a function of the model log.
//
// The log is a sequence of records: specs, controls, and deltas that say "these are the counts of
// the records [start, end) of a partition". Fold takes them in order.
//
// # The law
//
// A delta counts if and only if its counting fingerprint and its log are those of the state, and it
// was built on the state that it meets: its basis and its start are those of its source. The basis
// is
//
//   - era: the last control in force. A rollback, a rename and a reset change counts and ledgers,
//     and leave the deltas that a
//     source has counted last as they are.
//   - spec: the last spec that said something else. Its paths say how a record is read, its window
//     which document has left.
//     It is a number of its own, since a spec stays in force behind a rollback, and a rollback is judged by the era.
//   - generation: which topic of the name is counted. It tells the first delta of the next one.
//   - previous: the sum of the delta of the source that was accepted last. So the deltas of a
//     source are a chain: equal means
//     the same history, also upkeep, which reads no record on.
//
// A delta that begins a source, or the generation after, has its start taken as it is. With end >
// start a delta moves the watermark; with end == start it is upkeep. So each source offset is
// counted once, whatever the number of writers and whatever they repeat: of two deltas with the
// same basis the first in the log wins, because it becomes previous.
//
// Previous implies generation and start. They are compared because they tell what else became of a
// delta: built on an earlier state it is stale, a duplicate; on a later one a gap, a loss. Where
// previous alone differs, the offset up to which the writer had folded the log tells.
//
// Fold uses no clock, no randomness, no map order and no floating point. The workers, replay,
// recovery and the tests call this same function, so that equal logs give equal states. Settle then
// computes what decisions need from the counts, once for many records.
package fold
