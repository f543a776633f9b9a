package bayestream

import (
	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
)

// The statuses of a decision. The first that holds is given.
const (
	// StatusEmpty: the model knows nothing of the document, or has learned nothing. The label is that
	// of the prior, or of the shape of its text where that enters.
	StatusEmpty = model.StatusEmpty
	// StatusCold: the label or the runner-up has fewer documents than decision.min_documents of the
	// spec.
	StatusCold = model.StatusCold
	// StatusUnsure: the reject option of the spec costs less than the best label.
	StatusUnsure = model.StatusUnsure
	// StatusImpossible: the document has probability 0 in every class, by blocks of the spec with
	// alpha 0. There is no label.
	StatusImpossible = model.StatusImpossible
	// StatusOK: none of the others.
	StatusOK = model.StatusOK
)

// Decision is the answer to a document. With two classes or more
//
//	LogPrior of Label - LogPrior of RunnerUp + sum of the weights of Evidence + Rest = Margin.
//
// Its fields:
//
//   - ID, of the document; Status, one of the constants above
//   - Label, the class of minimum expected loss; "" if no class has documents or none is possible
//     (Labelled is false)
//   - RunnerUp, the best other class; Margin = ln P(Label) - ln P(RunnerUp). Without a runner-up
//     they are "" and 0
//   - Classes, all that have documents or are expected, by name; Posterior(class) and Confidence()
//     look into them
//   - Evidence, what decided for Label against RunnerUp, the largest weight first; Rest, the weight
//     of what it leaves out
//   - Tokens of the text, and how many of them are Known to the model; Truncated if it had more
//     terms than the model allows
//   - Candidate, how the words were scored; Temper, the factor in all logarithms, 1 without one
//   - Offset, of the last record of the model topic that was counted, -1 without a topic;
//     Documents, what the model has learned
//
// Logarithms are natural. json.Marshal gives what classify writes to the labels topic by default.
type Decision = wire.Decision

// Class is the result for one class. Risk is the expected loss of deciding for it, 0 without a loss
// in the spec.
type Class = model.ClassScore

// Evidence is what one Term, or one Block of Fields, says for the label against the runner-up:
// Weight, the difference of its log likelihoods. As are the words of the term as they stand in the
// document, Value is of a block of the text.
type Evidence = model.Evidence
