package bayestream

import (
	"slices"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
)

// The statuses of a decision. The first that holds is given.
const (
	// StatusEmpty: the model knows nothing of the document, or has learned nothing. The label is that of the prior, or of the shape of its text where that enters.
	StatusEmpty = model.StatusEmpty
	// StatusCold: the label or the runner-up has fewer documents than decision.min_documents of the spec.
	StatusCold = model.StatusCold
	// StatusUnsure: the reject option of the spec costs less than the best label.
	StatusUnsure = model.StatusUnsure
	// StatusImpossible: the document has probability 0 in every class, by blocks of the spec with alpha 0. There is no label.
	StatusImpossible = model.StatusImpossible
	// StatusOK: none of the others.
	StatusOK = model.StatusOK
)

// Decision is the answer to a document. Logarithms are natural. With two classes or more
//
//	LogPrior of Label - LogPrior of RunnerUp + sum of the weights of Evidence + Rest = Margin.
type Decision struct {
	// Label is the class of minimum expected loss, whatever the status; "" if the model has no class, or none is possible.
	Label string
	// Status is one of the constants above.
	Status string
	// Classes are all classes that have documents or are expected, sorted by name.
	Classes []Class
	// RunnerUp is the best other class, "" if there is none.
	RunnerUp string
	// Margin is ln P(Label) - ln P(RunnerUp), 0 if there is no runner-up.
	Margin float64
	// Evidence is what decided, for Label against RunnerUp, the largest weight first.
	Evidence []Evidence
	// Rest is the weight of what Evidence leaves out.
	Rest float64
	// Tokens and Known are the numbers of tokens in the text, and of those that the model has counted before.
	Tokens, Known int
	// Candidate is how the words were scored, like multinomial/1, where candidates race or the spec has a temper; "" elsewhere.
	Candidate string
	// Temper is the factor in all logarithms, by the race of candidates or text.temper of the spec; 1 without either.
	Temper float64
	// Truncated says that the text has more terms than the model allows: those that occur first decided.
	Truncated bool
	// Offset is that of the last record of the model topic that was counted, -1 for a model that follows none.
	Offset int64
	// Documents is how many documents the model has learned, by weight.
	Documents int64

	id  string
	raw model.Decision
}

// Class is the result for one class.
type Class struct {
	Name         string
	Posterior    float64 // P(class | document)
	LogPosterior float64
	LogPrior     float64
	Risk         float64 // expected loss of deciding for the class; 0 without a loss or a reject option in the spec
}

// Evidence is what one term, or one block of fields, says for the label against the runner-up: the difference of its log
// likelihoods.
type Evidence struct {
	Term   string   // "" for a block
	As     []string // the words of the term as they stand in the document, if one differs from it in more than case
	Count  int      // of the term in the document
	Block  string   // such as "numbers[0]"; "" for a term
	Fields []string // of the block
	Value  string   // of the blocks of a text: its tokens ("length"), the bytes of its longest one ("longest"), those that are no words ("nonwords"), its first and its last word ("first", "last")
	Weight float64

	// FieldWeights are the parts of Weight by field, of a block of several numbers that are independent given the class;
	// nil for others.
	FieldWeights []float64
}

// Posterior returns P(class | document), 0 for a class that takes no part.
func (d *Decision) Posterior(class string) float64 {
	for i := range d.Classes {
		if d.Classes[i].Name == class {
			return d.Classes[i].Posterior
		}
	}
	return 0
}

// MarshalJSON returns the JSON that classify writes to the labels topic by default, without a source. With more than ten
// classes it has the numbers of the likeliest ones; Classes has all.
func (d *Decision) MarshalJSON() ([]byte, error) {
	encoder := wire.DecisionEncoder{Form: wire.Form{Classes: wire.DefaultClasses}}
	return encoder.Append(nil, d.id, wire.Source{}, &d.raw), nil
}

// newDecision copies a decision out of the memory that it shares with the next one.
func newDecision(id string, from *model.Decision) *Decision {
	raw := *from
	raw.Classes = slices.Clone(from.Classes)
	raw.Evidence = slices.Clone(from.Evidence)
	d := &Decision{
		Label: raw.Label, Status: raw.Status, RunnerUp: raw.RunnerUp, Margin: raw.Margin, Rest: raw.Rest,
		Tokens: raw.TokensTotal, Known: raw.TokensKnown, Truncated: raw.Truncated, Temper: 1, Offset: raw.Model.Offset, Documents: raw.Model.Documents,
		Classes: make([]Class, len(raw.Classes)), Evidence: make([]Evidence, len(raw.Evidence)), id: id, raw: raw,
	}
	if raw.Scoring.Candidate != "" {
		d.Candidate, d.Temper = raw.Scoring.Candidate, raw.Scoring.Temper
	}
	for i := range raw.Classes {
		c := &raw.Classes[i]
		d.Classes[i] = Class{Name: c.Name, Posterior: c.Posterior, LogPosterior: c.LogPosterior, LogPrior: c.LogPrior, Risk: c.Risk}
	}
	for i := range raw.Evidence {
		e := &raw.Evidence[i]
		e.Term = strings.Clone(e.Term) // it was part of a lexicon of many
		e.Value = strings.Clone(e.Value)
		e.As = slices.Clone(e.As)
		for k := range e.As {
			e.As[k] = strings.Clone(e.As[k])
		}
		e.FieldWeights = slices.Clone(e.FieldWeights)
		d.Evidence[i] = Evidence{Term: e.Term, As: e.As, Count: e.Count, Block: e.Block, Fields: e.Fields, Value: e.Value, Weight: e.Weight, FieldWeights: e.FieldWeights}
	}
	return d
}
