package bayestream

import (
	"bayestream/internal/core/spec"
)

// defaultEvidence is how many entries of evidence a decision has where nothing else is asked for.
const defaultEvidence = 10

// An Option changes how a model is opened or followed.
type Option func(*options) error

type options struct {
	evidence int
	key      *spec.TermsKey
}

func newOptions(list []Option) (*options, error) {
	o := &options{evidence: defaultEvidence}
	for _, option := range list {
		if err := option(o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// WithEvidence sets the most entries of evidence in a decision: 0 is none, -1 all. Without it there
// are 10.
func WithEvidence(n int) Option {
	return func(o *options) error {
		o.evidence = n
		switch {
		case n == 0:
			o.evidence = -1 // the model's word for none
		case n < 0:
			o.evidence = 0 // and for all
		}
		return nil
	}
}

// WithTermsKey gives the secret of a model whose spec has text.terms: hmac, the content of the file
// of --terms-key-file.
func WithTermsKey(secret []byte) Option {
	return func(o *options) (err error) {
		o.key, err = spec.NewTermsKey(secret)
		return err
	}
}
