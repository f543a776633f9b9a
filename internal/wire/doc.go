// Package wire turns records into what the model works on, and decisions into
// records: the only package that knows how Bayestream's data looks in Kafka, in
// files and in HTTP bodies. docs/formats.md describes the same for readers.
//
//	training record  --Decoder.Training-->  Training   (learn or forget)
//	document         --Decoder.Document-->  Document
//	HTTP body        --Decoder.Body------>  Document
//	decision         --Emitter.Append---->  record for the labels topic
//	bad record       --DeadLetter-------->  record for the dead-letter topic
//	JSON Lines file  --Items.Next-------->  Item
//
// Contracts:
//
//   - A value that cannot be used is answered with a *Reject, which carries a
//     Reason for metrics and a sentence for people. Nothing here panics on input.
//   - The same bytes give the same result, for ever and on every machine: ingest
//     reads an old record again to take it out of the counts, and what it takes
//     out must be what it put in.
//   - A Decoder is immutable and may be used by any number of goroutines; the
//     scratch is in the destination, which belongs to the caller.
//   - What a decoder writes into a Training or a Document may point into the
//     record and into the destination's scratch: it holds until the record's bytes
//     change or the destination is decoded into again. Training.ID and
//     Training.Label are copies and may be kept.
//
// Caveats:
//
//   - JSON with the same key twice is valid JSON: the first one counts.
//   - Mail has no invalid UTF-8: RFC 822 carries any character set, so bytes that
//     say nothing in theirs become U+FFFD instead of a dead letter.
package wire
