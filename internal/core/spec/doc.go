// Package spec says what a model is: which fields of a record it reads, how it counts them, and how
// it decides.
//
// A Spec is YAML, written by the user and carried by the model log. Parse fills in the defaults and
// checks it; the YAML method writes it in full, so that equal specs have equal bytes.
//
// Two fingerprints divide it. Counting covers all that decides how a document becomes counts: the
// revision and the options of the tokenizer, the format, blocks, fields, scale and limits. Counts
// made under another one cannot be added. Scoring covers the rest, how counts become decisions: it
// may change without learning again.
//
// How words are scored is said in one of two ways, and the written form keeps which.
// Text.Likelihood and Text.Alpha, named, are one candidate. The key scoring, Spec.Race, has
// several, of which package race chooses one by scored records; then Text.Likelihood and Text.Alpha
// are those of Textbook and mean nothing. Spec.Race is not nil exactly if there is a
// race: complete with its list and share, and checked, so that complement and one against all are
// in it only where they can race. What a spec says that names neither is in one place, unnamedRace.
package spec
