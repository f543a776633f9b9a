package experiment

import (
	"errors"

	"bayestream/internal/gaussian"
)

// Rows are the documents of a corpus as vectors of all their numbers, for classifiers that keep no
// counts. Documents that lack a number are left out.
type Rows struct {
	X      [][]float64
	Labels []string
	Index  []int // index of the document in the corpus
}

// NumericRows returns the rows of a corpus. Its spec must have numbers and nothing else.
func NumericRows(c *Corpus) (*Rows, error) {
	s := c.Spec
	if s.Text != nil || s.ValueTables() > 0 || len(s.Numbers) == 0 {
		return nil, errors.New("the comparison with other classifiers is over numbers: want a " +
			"spec that has numbers and nothing else")
	}
	r := &Rows{}
	for i := range c.Documents {
		d := &c.Documents[i]
		x := make([]float64, 0, len(d.Features.Numbers))
		for _, n := range d.Features.Numbers {
			if n.Present {
				x = append(x, gaussian.Float(n.Value, s.Digits()))
			}
		}
		if len(x) < len(d.Features.Numbers) {
			continue
		}
		r.X = append(r.X, x)
		r.Labels = append(r.Labels, d.Label)
		r.Index = append(r.Index, i)
	}
	return r, nil
}
