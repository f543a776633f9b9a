package spec

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"bayestream/internal/core/categorical"
	"bayestream/internal/gaussian"

	"go.yaml.in/yaml/v3"
)

// Prior is the distribution of the classes before a document is read.
type Prior struct {
	Kind string `json:",omitempty,omitzero"` // empirical, uniform, given, pseudo
	// given: probabilities; pseudo: pseudo-counts of documents (Dirichlet parameters)
	Given map[string]float64 `json:",omitempty,omitzero"`
}

// The kinds of prior.
const (
	Empirical = "empirical"
	Uniform   = "uniform"
	Given     = "given"
	Pseudo    = "pseudo"
)

// enters reports whether the prior tells classes apart that have as many documents. One that is the
// same for all classes does not, nor do the documents themselves: a score that is no likelihood has
// no place for them.
func (p *Prior) enters() bool {
	switch p.Kind {
	case "", Empirical, Uniform:
		return false
	case Given:
		values := slices.Collect(maps.Values(p.Given))
		return len(values) > 0 && slices.Min(values) != slices.Max(values)
	}
	return true
}

// UnmarshalYAML reads "empirical", "uniform", {spam: 0.2, ham: 0.8} or {pseudo: {spam: 2, ham: 8}}.
func (p *Prior) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*p = Prior{Kind: n.Value}
		return nil
	}
	p.Kind = Given
	if len(n.Content) == 2 && n.Content[0].Value == Pseudo && n.Content[1].Kind == yaml.MappingNode {
		p.Kind, n = Pseudo, n.Content[1]
	}
	if err := n.Decode(&p.Given); err != nil {
		return errors.New("want empirical, uniform, {class: probability} or {pseudo: {class: documents}}")
	}
	return nil
}

// MarshalYAML writes what UnmarshalYAML reads.
func (p Prior) MarshalYAML() (any, error) {
	switch p.Kind {
	case Given:
		return p.Given, nil
	case Pseudo:
		return map[string]map[string]float64{Pseudo: p.Given}, nil
	}
	return p.Kind, nil
}

func (p *Prior) check() error {
	switch p.Kind {
	case "":
		p.Kind = Empirical
	case Empirical, Uniform:
	case Given, Pseudo:
		for c, v := range p.Given {
			if !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("prior of class %q is %v: it must be above 0", c, v)
			}
		}
		if len(p.Given) == 0 {
			return fmt.Errorf("prior has no class")
		}
	default:
		return fmt.Errorf("prior is %q: want empirical, uniform, {class: probability} or {pseudo: {class: documents}}",
			p.Kind)
	}
	return nil
}

// Shrinkage of a covariance: a number from 0 to 1, or "oas".
type Shrinkage struct {
	Value float64 `json:",omitempty,omitzero"`
	OAS   bool    `json:",omitempty,omitzero"`
}

// IsZero reports whether the covariance is not shrunk, for omitempty.
func (s Shrinkage) IsZero() bool { return s == Shrinkage{} }

// UnmarshalYAML reads a number or "oas".
func (s *Shrinkage) UnmarshalYAML(n *yaml.Node) error {
	if n.Value == "oas" {
		*s = Shrinkage{OAS: true}
		return nil
	}
	if err := n.Decode(&s.Value); err != nil {
		return errors.New("want a number from 0 to 1, or oas")
	}
	return nil
}

// MarshalYAML writes what UnmarshalYAML reads.
func (s Shrinkage) MarshalYAML() (any, error) {
	if s.OAS {
		return "oas", nil
	}
	return s.Value, nil
}

// digits returns k for a scale of 10^-k, -1 for any other scale.
func (n *Numbers) digits() int {
	for k := 0; k <= gaussian.MaxDigits; k++ {
		if math.Abs(n.Scale*math.Pow10(k)-1) < 1e-9 {
			return k
		}
	}
	return -1
}

// Options returns the options of the block for package gaussian.
func (n *Numbers) Options() *gaussian.Options {
	o := &gaussian.Options{
		Fields: len(n.Fields), Unbiased: n.Denominator == "unbiased", VarSmoothing: n.VarSmoothing,
		Shrinkage: n.Shrinkage.Value, OAS: n.Shrinkage.OAS, RegParam: n.RegParam, Digits: n.digits(),
	}
	switch n.Likelihood {
	case LDA:
		o.Kind = gaussian.LDA
	case QDA:
		o.Kind = gaussian.QDA
	}
	switch n.Variance {
	case "shared":
		o.Variance = gaussian.Shared
	case "isotropic":
		o.Variance = gaussian.Isotropic
	}
	return o
}

// FixedBins returns the bins in fixed point with the given digits. It fails if a limit is too large
// for them.
func (h *Histogram) FixedBins(digits int) (categorical.Bins, error) {
	from, err := gaussian.Fixed(h.From, digits)
	if err != nil {
		return categorical.Bins{}, err
	}
	to, err := gaussian.Fixed(h.To, digits)
	return categorical.Bins{From: from, To: to, Count: h.Bins}, err
}

// Full reports whether the block counts the products of its fields, not only their squares.
func (n *Numbers) Full() bool { return n.Options().Full() }
