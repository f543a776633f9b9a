package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"bayestream/internal/tools/lab/evaluate"
)

// writeCosts writes what the decisions come to if one kind of error costs more than the other.
func (e *evaluation) writeCosts(out *printer) {
	if e.Binary == nil || len(e.Binary.Costs) == 0 {
		return
	}
	out.f("\n%-32s%10s%10s%10s%10s%10s\n", "COST OF A FALSE POSITIVE", "FPR", "FNR", "COST", "BEST", "TRIVIAL")
	for _, c := range e.Binary.Costs {
		out.f("%-32g%9.2f%%%9.2f%%%10.4f%10.4f%10.4f\n", c.Cost, 100*c.FPR, 100*c.FNR, c.PerDocument, c.Best, c.Trivial)
	}
}

// writeThreshold writes the reject option for the error that was wanted.
func (e *evaluation) writeThreshold(out *printer) {
	t := e.Threshold
	if t.N == 0 {
		out.f("\nno decision.reject brings the error down to %g: the surest labels are wrong more often\n", t.Wanted)
		return
	}
	out.f("\nfor an error of %g: decision.reject %s, %d documents accepted (%.2f%%), %d of them wrong (%.4f, of others "+
		"up to %.4f), %d get no label\n",
		t.Wanted, short(float64(t.Reject)), t.N, 100*t.Share, t.Errors, t.Error, t.High, t.Rejected)
}

// writeCoverage writes what a reject option would leave.
func (e *evaluation) writeCoverage(out *printer) {
	out.f("\n%-25s%10s%10s\n", "REJECT: RISK OVER", "ACCEPTED", "ACCURACY")
	for _, c := range e.Coverage {
		accuracy := "-"
		if c.N > 0 {
			accuracy = fmt.Sprintf("%.4f", c.Accuracy)
		}
		out.f("%-26g%9.2f%%%10s\n", c.Reject, 100*c.Share, accuracy)
	}
}

// scoredDocument is a line of --dump.
type scoredDocument struct {
	ID           string                     `json:"id"`
	Label        string                     `json:"label"`
	Predicted    *string                    `json:"predicted"` // null: the model had no class yet
	LogPosterior map[string]evaluate.Number `json:"log_posterior"`
}

// dump collects the lines of a file, which is written once all documents were tested.
type dump struct{ bytes.Buffer }

// add adds the line of a document.
func (d *dump) add(o *evaluate.Outcome) error {
	line := scoredDocument{ID: o.ID, Label: o.Truth, LogPosterior: map[string]evaluate.Number{}}
	if o.Label != "" {
		line.Predicted = &o.Label
	}
	for i, class := range o.Classes {
		line.LogPosterior[class] = evaluate.Number(o.LogPosterior[i])
	}
	return json.NewEncoder(d).Encode(line)
}
