package main

import (
	"strings"
	"time"

	"bayestream/internal/core/drift"
	"bayestream/internal/shell/httpapi"
)

// writeDrift writes the drifts that were found in the stream, and the classes and words that moved.
func writeDrift(out *printer, d *httpapi.Drift) {
	if d.Found == 0 {
		out.f("drift      none in the stream: %d errors in %d scored records\n", d.Errors, d.Records)
		return
	}
	out.f("drift      %d found in the stream\n", d.Found)
	for _, a := range d.Alarms {
		out.f("           offset %d, %s, %s/%d: errors from %.3f to %.3f\n", a.Offset, a.Time.Format(time.RFC3339), a.Topic,
			a.Partition, a.Before, a.After)
		for _, c := range a.Classes {
			out.f("             %s: share from %.3f to %.3f, errors from %.3f to %.3f%s\n", c.Name, c.ShareBefore, c.ShareAfter,
				c.ErrorsBefore, c.ErrorsAfter, movedWords(&a, c.Name))
		}
	}
}

// movedWords returns the words that moved in a class: + before those that became more frequent, -
// before the others.
func movedWords(a *httpapi.DriftAlarm, class string) string {
	var words []string
	for _, w := range a.Words {
		if w.Class != class {
			continue
		}
		sign := "+"
		if w.Ratio < 0 {
			sign = "-"
		}
		words = append(words, sign+drift.WordName(w.Table, w.Term))
	}
	if len(words) == 0 {
		return ""
	}
	return "; " + strings.Join(words, " ")
}
