package tokenize

// none is the language without rules.
const none = "none"

// A Tokenizer holds checked options. It never changes, so goroutines may share it;
// each needs a [Scanner] of its own.
type Tokenizer struct {
	options Options
	spelt   spelling
	stemmer stemmer
}

// New checks the options and returns their tokenizer.
func New(o Options) (*Tokenizer, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	spelt, err := spellingOf(o.Keep)
	if err != nil {
		return nil, err
	}
	stop, err := stopSet(o.Stop, spelt)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{options: o, spelt: spelt, stemmer: stemmer{language: o.Language, stop: stop, shortest: o.Shortest}}
	if !o.Stem || o.chars() {
		t.stemmer.language = none
	}
	return t, nil
}

// NewScanner returns the scratch memory of one goroutine: 128 KiB for normal forms, a few times the
// longest text, and a few megabytes for the words it has met.
func (t *Tokenizer) NewScanner() *Scanner {
	return &Scanner{
		options: t.options,
		normal:  newNormaliser(t.spelt),
		words:   newWordCache(t.stemmer),
	}
}
