// Package schema reads values that a schema registry describes: Avro, JSON Schema and Protobuf. It
// is the only package that knows a registry.
//
//	record  --Registry.Attach-->  record with its Schema  --wire.Decoder-->  document
//
// Contracts:
//
//   - A value becomes the JSON that its producer could have sent instead. The paths of the spec are
//     looked for in this JSON by the reader of all JSON records, and by nothing else.
//   - What a record means is a function of the record and of the schema that it was written with. The
//     ids of a registry never change their meaning, so records read the same in a recount.
//   - A fault of the registry never decides about a record: the record waits.
//   - A value or a schema made to hurt takes bounded memory, and is refused.
package schema
