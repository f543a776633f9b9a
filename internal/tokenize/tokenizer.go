package tokenize

// none is the language without rules.
const none = "none"

// A Tokenizer holds checked options. It never changes, so any number of goroutines may share it;
// each makes its own [Scanner] from it.
type Tokenizer struct {
	options Options
	stop    map[string]struct{}
	stems   bool
	chars   bool
}

// New checks the options and returns their tokenizer.
func New(o Options) (*Tokenizer, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	stop, err := stopSet(o.Stop)
	if err != nil {
		return nil, err
	}
	chars := o.CharMax > 0
	return &Tokenizer{
		options: o,
		stop:    stop,
		stems:   o.Stem && o.Language != none && !chars,
		chars:   chars,
	}, nil
}

// NewScanner returns the scratch memory of one goroutine: 128 KiB for normal forms, a few times the
// longest text, and up to 3.5 MiB for the words it has met.
func (t *Tokenizer) NewScanner() *Scanner {
	s := &Scanner{options: t.options, chars: t.chars, normal: newNormaliser(), reducer: newReducer(t)}
	s.addTerm = func(term []byte) { s.bag.Add(term) }
	return s
}
