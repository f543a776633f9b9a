package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// arrays are the fitted attributes of scikit-learn's MultinomialNB, ComplementNB and BernoulliNB,
// under their names without the trailing underscore.
type arrays struct {
	Likelihood string  `json:"likelihood"` // multinomial, complement, one_vs_all or bernoulli
	Alpha      float64 `json:"alpha"`
	Norm       bool    `json:"norm"`      // of ComplementNB
	Cap        int     `json:"cap"`       // how often a term counts in one document; 0: as often as it occurs
	Sublinear  bool    `json:"sublinear"` // a term that comes x times weighs 1 + ln x
	// of the score of the words, before the shape, the edges and the temper; 1 for a likelihood
	Weight        float64        `json:"weight"`
	Shape         tables         `json:"shape"`       // null: the shape of a text does not enter
	Edges         tables         `json:"edges"`       // null: the words at its ends do not enter
	Temper        *temper        `json:"temper"`      // null: the plain posterior
	Calibration   [][2]float64   `json:"calibration"` // log odds of a confidence, and what they are made; null: no race
	Classes       []string       `json:"classes"`
	ClassCount    []int64        `json:"class_count"`
	ClassLogPrior []float64      `json:"class_log_prior"`
	Vocabulary    map[string]int `json:"vocabulary"`    // term -> column
	FeatureCount  [][]int64      `json:"feature_count"` // by class, then by column
	// what the score of a token has more, in units of lambda, likewise; missing: corrections do not enter
	Corrections [][]int64 `json:"corrections,omitempty"`
	Lambda      float64   `json:"lambda,omitempty"`
}

// tables is, by block and value, how many documents of each class have a size, or a word at an end.
// Smoothed by 1, they are the likelihood of that value, which scikit-learn has no place for either.
type tables map[string]map[string][]int64

// newTables returns empty tables of blocks.
func newTables(blocks []string) tables {
	t := tables{}
	for _, block := range blocks {
		t[block] = map[string][]int64{}
	}
	return t
}

// temper is what scikit-learn has no place for: the factor min(1, T/n^gamma) of the joint log
// likelihood of a document with n known tokens, or without the 1 where it may amplify. For n = 0 it
// is 1.
type temper struct {
	T         float64 `json:"t"`
	Gamma     float64 `json:"gamma"`
	Amplifies bool    `json:"amplifies"`
}

// WriteArrays writes a model of words as one JSON object with the fitted attributes of
// scikit-learn's MultinomialNB, ComplementNB or BernoulliNB, as the model decides: where candidates
// race, by the leader. docs/examples/sklearn_model.py loads it.
func WriteArrays(ctx context.Context, w io.Writer, m *model.Model) error {
	s := m.Spec()
	if s.Text == nil || s.HasFields() {
		return errors.New("scikit-learn's models of words have no numbers and categories beside " +
			"them: export the model with --format=json")
	}
	if m.ReadsCharacters() {
		return errCharacters
	}
	choices := m.Classes().Choices()
	lead, _ := m.Deciding()
	a := &arrays{Likelihood: lead.Likelihood, Alpha: lead.Alpha, Norm: lead.Norm, Cap: lead.Cap, Sublinear: lead.Sublinear,
		Weight: lead.Weight, Classes: []string{}, Vocabulary: map[string]int{}, Lambda: m.Lambda()}
	if lead.Shape {
		a.Shape = newTables(model.TextBlocks[:spec.ShapeTables])
	}
	if lead.Edges {
		a.Edges = newTables(model.TextBlocks[spec.ShapeTables:])
	}
	if lead.Temper != nil {
		a.Temper = &temper{lead.Temper.T, lead.Temper.Gamma, s.Amplifies()}
	}
	if m.Spec().Race != nil {
		a.Calibration = append([][2]float64{}, m.Calibration().Knots()...)
	}
	a.ClassLogPrior = logPriors(m)
	for _, c := range choices {
		a.Classes, a.ClassCount = append(a.Classes, m.Classes().Name(c)), append(a.ClassCount, m.Classes().Documents(c))
		a.FeatureCount = append(a.FeatureCount, make([]int64, m.Text().Vocabulary()))
		if a.Lambda != 0 {
			a.Corrections = append(a.Corrections, make([]int64, m.Text().Vocabulary()))
		}
	}
	row := map[string]int{}
	for i, name := range a.Classes {
		row[name] = i
	}
	task := showProgress(ctx, m)
	defer task.End()
	for c := range cells(m, task) {
		switch {
		case c.value == corrections:
			if c.enters(m) {
				a.Corrections[row[c.class]][a.Vocabulary[string(c.term)]] = c.count
			}
		case c.value != "":
			a.Shape.add(&c, row[c.class], len(choices))
			a.Edges.add(&c, row[c.class], len(choices))
		default:
			a.FeatureCount[row[c.class]][a.column(c.term)] = c.count
		}
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if err := out.Encode(a); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// column returns the column of a term, a new one if it has none.
func (a *arrays) column(term []byte) int {
	column, ok := a.Vocabulary[string(term)]
	if !ok {
		column = len(a.Vocabulary)
		a.Vocabulary[string(term)] = column
	}
	return column
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

// add adds the count of a value, if it is of one of the tables.
func (t tables) add(c *cell, class, classes int) {
	of := t[c.value]
	if of == nil {
		return
	}
	value := string(c.term)
	if of[value] == nil {
		of[value] = make([]int64, classes)
	}
	of[value][class] = c.count
}
