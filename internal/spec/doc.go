// Package spec says what a model is: which fields of a record it reads, how it counts them, and how it decides.
//
// A Spec is YAML, written by the user and carried by the model log. Parse fills in the defaults and checks it; the
// YAML method writes it in full, so that equal specs have equal bytes.
//
// Two fingerprints divide it. Counting covers all that decides how a document becomes counts: the revision and the
// options of the tokenizer, the format, blocks, fields, scale and limits. Counts made under another one cannot be
// added. Scoring covers the rest, how counts become decisions: it may change without learning again.
package spec
