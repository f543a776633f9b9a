// Package fold is the state of a worker as a function of the model log.
//
// The log is a sequence of records: specs, controls, and deltas that say "these are the counts of
// the records [start, end) of a partition", or of several partitions. Fold takes them in order.
//
// # The law
//
// A delta counts if and only if its counting fingerprint and its log are the state's, and it was
// built on the state that it meets: the basis and the start of each of its ranges are those of the
// source. So a sum of several counts as a whole or not at all, and for each source it is a delta
// like any other. A delta that no records can give, that does not fit the counts, or that a void
// takes out, never counts. The basis is
//
//   - era: the last control in force. A rollback, a rename and a reset change counts and ledgers,
//     but not previous.
//   - spec: the last spec that said something else. It says where records have their label, weight
//     and features, and its window which document has left. It is a number of its own: a spec stays
//     in force behind a rollback, and a rollback is judged by the era.
//   - generation: which topic of the name is counted. It marks the first delta of the next
//     generation.
//   - previous: the hash of the last accepted delta of the source. So the deltas of a source are a
//     chain: an equal hash means the same history, also of upkeep, which reads no record on.
//
// A range that begins a source, or the generation after, has its start taken as it is. With end >
// start a range moves the watermark; with end == start it is upkeep. So each source offset is
// counted once, whatever the number of writers and whatever they repeat: of two deltas with the
// same basis the first in the log wins, because it becomes previous.
//
// A record that was counted is read again to take it out, by the spec in force then. No delta says
// by which spec a record was read. Label, weight and time are in the ledger; of the record only its
// document is needed, and its id. Where these are, no later spec changes: paths of features only
// grow, and a checksum of the features is in the ledger, too.
//
// Era and spec are offsets, and behind a new leader that lost records an offset may be that of
// another record. So the checksums of both records are compared, too: a delta that was built on
// what the leader lost is a gap. The first spec has the checksum 0, because the log names it.
//
// Previous implies generation and start. They are compared because they tell what else became of a
// delta: built on an earlier state it is stale, a duplicate; on a later one a gap, a loss. Where
// previous alone differs, the writer says up to which offset it had folded the log. That offset
// tells whether the delta is stale or a gap.
//
// Fold uses no clock, no randomness, no map order and no floating point. The workers, replay,
// recovery and the tests call this same function, so that equal logs give equal states. Settle then
// computes what decisions need from the counts, once for many records.
package fold
