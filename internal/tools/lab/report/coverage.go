package report

import (
	"fmt"

	"bayestream/internal/tools/lab/evaluate"
)

// coverageChart draws how often the labels are right that a reject option leaves, over how many it
// leaves.
func coverageChart(r *evaluate.Report) *chart {
	const id, title = "coverage", "Reject option"
	if len(r.Coverage) == 0 {
		return noChart(id, title, "Not drawn: too few documents.")
	}
	c := newChart(id, title, "share accepted", "share right", unit, unit)
	c.About = "What decision.reject would leave: a document is accepted if the risk of its label, which is 1 less its " +
		"posterior or, with losses, the expected loss, is at most that."
	c.Data = &table{Name: "Accepted and right by the cost of no decision",
		Head: []string{"reject", "documents", "share accepted", "share right"}}
	for _, at := range r.Coverage {
		c.Data.Rows = append(c.Data.Rows,
			[]string{fmt.Sprintf("%g", at.Reject), thousands(at.N), score(at.Share), score(at.Accuracy)})
		if at.N == 0 {
			continue
		}
		low, high := evaluate.Wilson(at.Correct, at.N)
		c.Dots = append(c.Dots, dot{
			X: round(c.x.at(float64(at.Share))), Y: round(c.y.at(float64(at.Accuracy))), R: 3, Low: round(c.y.at(low)),
			High: round(c.y.at(high)),
			Text: fmt.Sprintf("reject %g: %.1f %% accepted, right %.4f", at.Reject, 100*at.Share, at.Accuracy),
		})
	}
	if t := r.Threshold; t != nil {
		c.About += " " + thresholdNote(t)
	}
	return c
}

// thresholdNote says which reject option leads to the error that was wanted.
func thresholdNote(t *evaluate.Threshold) string {
	if t.N == 0 {
		return fmt.Sprintf("No value brings the share of wrong labels down to %g.", t.Wanted)
	}
	return fmt.Sprintf("For a share of wrong labels of %g it is %.4g: %.2f %% are accepted, and %d of the %s labels are "+
		"wrong (%.4f; of other documents up to %.4f).",
		t.Wanted, t.Reject, 100*t.Share, t.Errors, thousands(t.N), t.Error, t.High)
}
