package model

import (
	"slices"
	"strconv"
	"strings"
)

// The statuses of a decision. The first that holds is given.
const (
	// no field voted and no token is known: only the prior decides, the shape of the text where it
	// enters, and under Bernoulli what is absent
	StatusEmpty  = "empty"
	StatusCold   = "cold"   // the label or the runner-up has fewer than min_documents
	StatusUnsure = "unsure" // the reject option costs less than the best label
	StatusOK     = "ok"

	// StatusImpossible is the status without a label of a document that has probability 0 in every
	// class: each has a value that no document of the class had, in a block with alpha 0. It comes
	// before the others.
	StatusImpossible = "impossible"
)

// ClassScore is the result for one class. Logarithms are natural.
type ClassScore struct {
	Name         string
	LogPosterior float64 // ln P(class | document); -Inf: the class is impossible
	Posterior    float64
	LogPrior     float64 // ln P(class)
	Risk         float64 // expected loss of deciding for this class, under the spec's loss; only with Decision.HasRisk
}

// Evidence is the weight of evidence (Good 1950) of one term or one block for the label against the
// runner-up: the difference of its log likelihoods.
type Evidence struct {
	Term   string // "" for a block
	Number uint32 // of the term in the lexicon of the features
	// the words of the term as they stand in the document, if one differs from it in more than case;
	// see Extractor.SetWords
	As     []string
	Count  int      // tokens in the document
	Spans  []Span   // where they stand in Decision.Segments; nil without Extractor.SetSpans
	Block  string   // "numbers[0]", "categories[1]", one of TextBlocks; "" for a term
	Fields []string // of the block
	Value  string   // of a block of values, as it was read: a category, a number, a size, or a word
	Weight float64  // natural logarithm

	Correction float64 // the part of the weight that corrections say, the rest is of the counts

	// FieldWeights are the parts of the weight by field, of a block of several fields that are
	// independent; nil for others. They are valid until the Scorer decides again.
	FieldWeights []float64
}

// Word returns the first word of the term as it stands in the document, if that is known to differ
// from the term.
func (e *Evidence) Word() string {
	if len(e.As) > 0 {
		return e.As[0]
	}
	return e.Term
}

// ModelInfo says which state of the model decided.
type ModelInfo struct {
	Name      string
	Spec      string // both fingerprints, short
	Offset    int64  // of the last record of the model log that was folded; -1: none, an offline file
	Documents int64  // learned, by weight
}

// Version returns the name with the offset, like sms@12, or the name alone of a model without a
// log.
func (m *ModelInfo) Version() string {
	if m.Offset < 0 {
		return m.Name
	}
	return m.Name + "@" + strconv.FormatInt(m.Offset, 10)
}

// Scoring says what scored a document.
type Scoring struct {
	// Candidate is how the words were scored, like multinomial/1, where candidates race or the spec
	// has a temper; "" elsewhere.
	Candidate string
	// Temper is the factor of the joint log likelihood, by the race or by text.temper of the spec; 1
	// without either. All numbers of the decision are those after it.
	Temper float64
}

// Decision is the answer to one document. With at least two classes
//
//	prior[Label] - prior[runner-up] + sum of Evidence weights + Rest = Margin.
//
// A Decision may be used again for the next document.
type Decision struct {
	Label     string // of minimum expected risk, whatever the status
	Labelled  bool   // false: no class has documents yet, or all are impossible
	Status    string
	Classes   []ClassScore // every class that has documents or is expected, sorted by name
	RunnerUp  string       // the best other class by posterior; "" with one class
	Margin    float64      // ln posterior of Label minus that of RunnerUp; infinite if one of them is impossible
	HasMargin bool         // false with fewer than two classes
	HasRisk   bool         // the spec has a loss or a reject option: the risks say why this label
	Tokens    int          // of the text
	Known     int          // of them, what the model has counted before
	Truncated bool         // the document has more terms than limits.terms_per_document: those that occur first decided
	Evidence  []Evidence   // sorted by size of the weight
	Rest      float64      // absent terms and all evidence that was cut off; 0 if the evidence is infinite
	Scoring
	ModelInfo

	Segments []Segment // the text as it was read; nil without Extractor.SetSpans
}

// indexOf returns where a class is among the scores, -1 if it takes no part.
func (d *Decision) indexOf(class string) int {
	for i := range d.Classes {
		if d.Classes[i].Name == class {
			return i
		}
	}
	return -1
}

// Posterior returns P(class | document), 0 for a class that takes no part.
func (d *Decision) Posterior(class string) float64 {
	if i := d.indexOf(class); i >= 0 {
		return d.Classes[i].Posterior
	}
	return 0
}

// Confidence returns the posterior of the label, 0 without one.
func (d *Decision) Confidence() float64 {
	if !d.Labelled {
		return 0
	}
	return d.Posterior(d.Label)
}

// Clone returns a copy that shares no memory with the next decision, nor with the lexicon of the
// terms.
func (d *Decision) Clone() *Decision {
	c := *d
	c.Classes = slices.Clone(d.Classes)
	c.Evidence = CloneEvidence(d.Evidence)
	return &c
}

// CloneEvidence returns a copy that shares no memory with the next decision, nor with the lexicon
// of the terms.
func CloneEvidence(list []Evidence) []Evidence {
	list = slices.Clone(list)
	for i := range list {
		e := &list[i]
		e.Term = strings.Clone(e.Term)
		e.Value = strings.Clone(e.Value)
		e.As = slices.Clone(e.As)
		for k := range e.As {
			e.As[k] = strings.Clone(e.As[k])
		}
		e.FieldWeights = slices.Clone(e.FieldWeights)
	}
	return list
}
