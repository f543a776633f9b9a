// Package prequential scores the records of a training topic by the models of a model log: each
// record by the model as it was before the delta that learned the record (prequential evaluation,
// Dawid 1984). So the models of two logs are compared on the same records, none of which the model
// knew: the way to see whether another tokenizer or spec is better.
package prequential
