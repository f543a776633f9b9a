package model

// The statuses of a decision. The first that holds is given.
const (
	StatusEmpty  = "empty"  // no field voted and no token is known: only the prior decides, the shape of the text where it enters, and under Bernoulli what is absent
	StatusCold   = "cold"   // the label or the runner-up has fewer than min_documents
	StatusUnsure = "unsure" // the reject option costs less than the best label
	StatusOK     = "ok"

	// StatusImpossible is the status without a label of a document that has probability 0 in every class: each has a value
	// that no document of the class had, in a block with alpha 0. It comes before the others.
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
	Term   string   // "" for a block
	Number uint32   // of the term in the lexicon of the features
	As     []string // the words of the term as they stand in the document, if one differs from it in more than case; see Extractor.SetWords
	Count  int      // tokens in the document
	Spans  []Span   // where they stand in Decision.Segments; nil without Extractor.SetSpans
	Block  string   // "numbers[0]", "categories[1]", one of TextBlocks; "" for a term
	Fields []string // of the block
	Value  string   // of TextBlocks: a size, or a word
	Weight float64  // natural logarithm

	// FieldWeights are the parts of the weight by field, of a block of several fields that are independent; nil for
	// others. They are valid until the Scorer decides again.
	FieldWeights []float64
}

// Word returns the first word of the term as it stands in the document, if that is known to differ from the term.
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

// Scoring says what scored a document where candidates race, or the spec has a temper. Else it is zero.
type Scoring struct {
	Candidate string  // how the words were scored, like multinomial/1
	Temper    float64 // the factor of the joint log likelihood; all numbers of the decision are those after it
}

// Decision is the answer to one document. With at least two classes
//
//	prior[Label] - prior[runner-up] + sum of Evidence weights + Rest = Margin.
//
// A Decision may be used again for the next document.
type Decision struct {
	Label       string // of minimum expected risk, whatever the status
	Labelled    bool   // false: no class has documents yet, or all are impossible
	Status      string
	Classes     []ClassScore // every class that has documents or is expected, sorted by name
	RunnerUp    string       // the best other class by posterior; "" with one class
	Margin      float64      // ln posterior of Label minus that of RunnerUp; infinite if one of them is impossible
	HasMargin   bool         // false with fewer than two classes
	HasRisk     bool         // the spec has a loss or a reject option: the risks say why this label
	TokensTotal int
	TokensKnown int
	Truncated   bool       // the document has more terms than limits.terms_per_document: those that occur first decided
	Evidence    []Evidence // sorted by size of the weight
	Rest        float64    // absent terms and all evidence that was cut off; 0 if the evidence is infinite
	Scoring     Scoring
	Model       ModelInfo

	Segments []Segment // the text as it was read; nil without Extractor.SetSpans
}

// Posterior returns the posterior of the label, 0 without one.
func (d *Decision) Posterior() float64 {
	for i := range d.Classes {
		if d.Classes[i].Name == d.Label {
			return d.Classes[i].Posterior
		}
	}
	return 0
}
