package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"bayestream/internal/model"
)

// arrays are the fitted attributes of scikit-learn's MultinomialNB, ComplementNB and BernoulliNB, under their names
// without the trailing underscore.
type arrays struct {
	Likelihood    string         `json:"likelihood"` // multinomial, complement, one_vs_all or bernoulli
	Alpha         float64        `json:"alpha"`
	Norm          bool           `json:"norm"`        // of ComplementNB
	Cap           int            `json:"cap"`         // how often a term counts in one document; 0: as often as it occurs
	Sublinear     bool           `json:"sublinear"`   // a term that comes x times weighs 1 + ln x
	Weight        float64        `json:"weight"`      // of the score of the words, before the length and the temper; 1 for a likelihood
	Lengths       values         `json:"lengths"`     // null: how long a text is does not enter
	First         values         `json:"first"`       // null: the first word does not enter
	Last          values         `json:"last"`        // null: the last word does not enter
	Temper        *temper        `json:"temper"`      // null: the plain posterior
	Calibration   [][2]float64   `json:"calibration"` // log odds of a confidence, and what they are made; null: not
	Classes       []string       `json:"classes"`
	ClassCount    []int64        `json:"class_count"`
	ClassLogPrior []float64      `json:"class_log_prior"`
	Vocabulary    map[string]int `json:"vocabulary"`    // term -> column
	FeatureCount  [][]int64      `json:"feature_count"` // by class, then by column
}

// values is how many documents of each class are so long, or begin or end with a word. Smoothed by 1, they are the likelihood of a length
// or of a word there, which scikit-learn has no place for either.
type values map[string][]int64

// temper is what scikit-learn has no place for: the factor min(1, T/n^gamma) of the joint log likelihood of a document with n
// known tokens, or without the 1 where it may amplify. For n = 0 it is 1.
type temper struct {
	T         float64 `json:"t"`
	Gamma     float64 `json:"gamma"`
	Amplifies bool    `json:"amplifies"`
}

// WriteArrays writes a model of words as one JSON object with the fitted attributes of scikit-learn's MultinomialNB,
// ComplementNB or BernoulliNB, as the model decides: where candidates race, by the leader. docs/examples/sklearn_model.py loads it.
func WriteArrays(ctx context.Context, w io.Writer, m *model.Model) error {
	s := m.Spec()
	if s.Text == nil || s.HasFields() {
		return errors.New("scikit-learn's models of words have no numbers and categories beside them: export the model with --format=json")
	}
	choices := m.Classes().Choices()
	lead, _ := m.Deciding()
	a := &arrays{Likelihood: lead.Likelihood, Alpha: lead.Alpha, Norm: lead.Norm, Cap: lead.Cap, Sublinear: lead.Sublinear, Weight: lead.Weight, Classes: []string{}, Vocabulary: map[string]int{}}
	if lead.Length {
		a.Lengths = values{}
	}
	if lead.Edges {
		a.First = values{}
		a.Last = values{}
	}
	tables := map[string]values{model.LengthBlock: a.Lengths, model.FirstBlock: a.First, model.LastBlock: a.Last}
	if lead.Temper != nil {
		a.Temper = &temper{lead.Temper.T, lead.Temper.Gamma, s.Amplifies()}
	}
	a.Calibration = m.Calibration().Knots()
	a.ClassLogPrior = logPriors(m)
	for _, c := range choices {
		a.Classes, a.ClassCount = append(a.Classes, m.Classes().Name(c)), append(a.ClassCount, m.Classes().Documents(c))
		a.FeatureCount = append(a.FeatureCount, make([]int64, m.Text().Vocabulary()))
	}
	row := map[string]int{}
	for i, name := range a.Classes {
		row[name] = i
	}
	task := showProgress(ctx, m)
	defer task.End()
	for c := range cells(m, task) {
		if c.value != "" {
			tables[c.value].add(&c, row[c.class], len(choices))
			continue
		}
		column, ok := a.Vocabulary[string(c.term)]
		if !ok {
			column = len(a.Vocabulary)
			a.Vocabulary[string(c.term)] = column
		}
		a.FeatureCount[row[c.class]][column] = c.count
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if err := out.Encode(a); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// logPriors returns ln P(c) of the classes that a decision chooses among.
func logPriors(m *model.Model) []float64 {
	var d model.Decision
	model.NewScorer().Decide(&d, m, &model.Features{}, "", model.Options{Evidence: -1})
	out := []float64{}
	for i := range d.Classes {
		out = append(out, d.Classes[i].LogPrior)
	}
	return out
}

// add adds the count of a value, where such values enter.
func (v values) add(c *cell, class, classes int) {
	value := string(c.term)
	switch {
	case v == nil:
		return
	case v[value] == nil:
		v[value] = make([]int64, classes)
	}
	v[value][class] = c.count
}
