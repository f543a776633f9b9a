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
//   - The error for a value that cannot be used is a *Reject: a Reason for metrics
//     and a sentence for people. Nothing here panics on input.
//   - The same bytes give the same result, always and on every machine: ingest
//     reads an old record again to take it out of the counts, and must take out
//     what it put in.
//   - A Decoder is immutable and may be used by any number of goroutines. The
//     scratch memory is in the destination, which belongs to the caller.
//   - What a Decoder writes into a Training or a Document may point into the
//     record and into the destination's scratch. It is valid until the record's
//     bytes change or the destination is decoded into again. Training.ID and
//     Training.Label are copies and may be kept.
//
// Caveats:
//
//   - JSON with the same key twice is valid: the first one counts.
//   - Mail is never rejected for invalid UTF-8, as RFC 822 allows any character
//     set: bytes that are invalid in the declared set become U+FFFD.
//
// Of the packages below, jsonread reads JSON, mail turns a message into text,
// unpack opens compressed files, and shortfloat writes numbers.
package wire
