package main

import "fmt"

// writeCalibration writes what a temper would make of the posteriors, and what a reject option would leave.
func (e *evaluation) writeCalibration(out *printer) {
	if t := e.Temper; t != nil {
		out.f("\n%-32s%10s%10s\n", "TEMPER", "LOG LOSS", "ECE")
		out.f("%-32s%10.4f%10.4f\n", "none", t.None.LogLoss, t.None.ECE)
		if t.Best != t.None {
			out.f("%-32s%10.4f%10.4f  the best by these documents, for text.temper in the spec\n", t.Best.Temper(), t.Best.LogLoss, t.Best.ECE)
		}
	}
	if len(e.Coverage) == 0 {
		return
	}
	out.f("\n%-25s%10s%10s\n", "REJECT: 1 - P(LABEL) OVER", "ACCEPTED", "ACCURACY")
	for _, c := range e.Coverage {
		accuracy := "-"
		if c.N > 0 {
			accuracy = fmt.Sprintf("%.4f", c.Accuracy)
		}
		out.f("%-26g%9.2f%%%10s\n", c.Reject, 100*c.Share, accuracy)
	}
}
