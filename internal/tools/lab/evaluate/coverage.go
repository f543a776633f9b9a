package evaluate

import "math"

// enough is how many documents must be scored before shares of them are worth a table.
const enough = 200

// rejects are the costs of no decision at which coverage is shown.
var rejects = [...]float64{0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001}

// coverage counts the documents whose risk under 0-1 loss is at most each of rejects.
type coverage [len(rejects)]struct{ accepted, correct int64 }

func (c *coverage) add(risk float64, correct bool) {
	for i := range c {
		if risk > rejects[i] {
			continue
		}
		c[i].accepted++
		if correct {
			c[i].correct++
		}
	}
}

// Coverage is what a reject option would leave: a document is accepted, and not unsure, if 1 -
// P(label) is at most Reject.
type Coverage struct {
	Reject   float64 `json:"reject"` // as decision.reject of a spec
	N        int64   `json:"n"`      // documents that are accepted
	Correct  int64   `json:"correct"`
	Share    Number  `json:"share"`
	Accuracy Number  `json:"accuracy"` // of those; null if there are none
}

// Coverage returns what is left at some costs of no decision, from the largest to the smallest; nil
// for fewer than 200 documents.
func (s *Scores) Coverage() []Coverage {
	if s.n < enough {
		return nil
	}
	var out []Coverage
	for i, c := range s.covered {
		out = append(out, Coverage{
			Reject: rejects[i], N: c.accepted, Correct: c.correct, Share: Number(float64(c.accepted) / float64(s.n)),
			Accuracy: Number(float64(c.correct) / float64(c.accepted)),
		})
	}
	return out
}

// risk returns what the reject option is compared with, and whether the label is right: the
// expected loss of the label where it is known, else 1 - P(label | document), from the other
// posteriors, which keeps its digits when it is small.
func (o *Outcome) risk() (risk float64, correct bool) {
	if o.Label != "" && o.Risk > 0 {
		return o.Risk, o.Label == o.Truth
	}
	for i, lp := range o.LogPosterior {
		if o.Classes[i] != o.Label {
			risk += math.Exp(min(lp, 0))
		}
	}
	if o.Label == "" {
		return 1, false
	}
	return risk, o.Label == o.Truth
}
