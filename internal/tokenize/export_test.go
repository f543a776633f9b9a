package tokenize

// DefaultOptions returns the options of a model's spec that says nothing: English words, stemmed,
// one word a term, of at most 64 bytes.
func DefaultOptions() Options {
	return Options{Language: "english", Stem: true, NGrams: 1, TermBytes: 64}
}
