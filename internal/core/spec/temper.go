package spec

import (
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"
)

// Temper says how much less sure than the counts a model is. Words come together, and naive Bayes
// counts each as a witness of its own, so that the posterior of a long text is too near to 0 or 1.
// With a temper it is in proportion to exp(tau (ln prior + ln likelihoods)), where
//
//	tau = min(1, T / n^Gamma)
//
// and n is the number of tokens that the model knows (of a temperature that is fitted, Guo et al.
// 2017). With Gamma 0 all documents have one tau, with Gamma 1 all that the words say is divided by
// their number.
type Temper struct {
	T     float64 `yaml:"t" json:",omitempty,omitzero"`
	Gamma float64 `yaml:"gamma" json:",omitempty,omitzero"`
}

// UnmarshalYAML fills in the defaults of missing keys.
func (t *Temper) UnmarshalYAML(n *yaml.Node) error {
	type plain Temper
	*t = Temper{T: 1, Gamma: 0.5}
	return n.Decode((*plain)(t))
}

// String returns the temper as it is in a spec.
func (t Temper) String() string { return fmt.Sprintf("{t: %v, gamma: %v}", t.T, t.Gamma) }

func (t *Temper) check() error {
	if t == nil {
		return nil
	}
	if err := positive("text.temper.t", t.T); err != nil {
		return err
	}
	if !(t.Gamma >= 0 && t.Gamma <= 1) {
		return fmt.Errorf("text.temper.gamma is %v: want a number from 0 to 1", t.Gamma)
	}
	return nil
}

// Tau returns the factor of the joint log likelihood of a text with n known tokens, which is at
// most 1 unless it amplifies, and 1 where no token is known.
func (t Temper) Tau(n int, amplifies bool) float64 {
	if n == 0 {
		return 1
	}
	tau := t.T / Damping(n, t.Gamma)
	if amplifies {
		return tau
	}
	return min(1, tau)
}

// Damping returns n^gamma. For the fourths that race it takes square roots, which cost less than
// math.Pow.
func Damping(n int, gamma float64) float64 {
	x := float64(n)
	switch gamma {
	case 0.25:
		return math.Sqrt(math.Sqrt(x))
	case 0.75:
		root := math.Sqrt(x)
		return root * math.Sqrt(root)
	}
	return math.Pow(x, gamma)
}

// Amplifies reports whether a temper may make the model surer than its score: that of complement
// with normalised weights, alone, is a small number that has no unit. A likelihood is never made
// surer.
func (s *Spec) Amplifies() bool {
	return s.Text != nil && s.Text.Norm && !s.HasFields()
}

// Candidate names how the words are scored: complement/0.1 is complement with alpha 0.1. It is
// empty without words.
func (s *Spec) Candidate() string {
	if s.Text == nil {
		return ""
	}
	c := s.Text.Candidate()
	if s.Text.Norm {
		c.Likelihood += "-norm"
	}
	return c.String()
}
