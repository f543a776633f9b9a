package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/drift"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/httpapi"
)

// scoringSummary says what decides where candidates race.
type scoringSummary struct {
	race.Decider
	Scored int64 `json:"scored"` // documents by which it was chosen
}

// newScoring returns what leads a race; nil if no candidates race, or too few documents are scored
// to choose one.
func newScoring(r *race.State) *scoringSummary {
	if len(r.List().Racing()) == 0 || r.Sums().Scored < race.Enough {
		return nil
	}
	return &scoringSummary{r.Leader().Decider(), r.Sums().Scored}
}

// line returns the summary as a line, "" for nil.
func (s *scoringSummary) line() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s decides, %s: chosen on %d documents that it had not learned\n", s.Candidate,
		temperOf(s.Decider), s.Scored)
}

// decider is what decided in some of the tests of an evaluation.
type decider struct {
	race.Decider
	Tests int `json:"tests"`
}

// deciders returns what decided in the tests, the most frequent first.
func deciders(leaders []race.Leader) []decider {
	tests := map[race.Leader]int{}
	for _, l := range leaders {
		tests[l]++
	}
	var out []decider
	for l, n := range tests {
		out = append(out, decider{l.Decider(), n})
	}
	slices.SortFunc(out, func(a, b decider) int {
		return cmp.Or(cmp.Compare(b.Tests, a.Tests), cmp.Compare(a.Candidate, b.Candidate), cmp.Compare(a.Gamma, b.Gamma),
			cmp.Compare(a.T, b.T))
	})
	return out
}

// decidersInWords says what led in most of the tests and, where it did not decide on all documents,
// what did; nothing where no candidates race. Of a stream it led at the end.
func decidersInWords(all []decider, scored map[string]int, stream bool) (lines []string) {
	if len(all) == 0 {
		return nil
	}
	lines = append(lines, "decided by "+leaders(all))
	var parts []string
	ledAll := true
	for _, name := range slices.SortedFunc(maps.Keys(scored),
		func(a, b string) int { return cmp.Or(scored[b]-scored[a], cmp.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%s on %s", name, counted(scored[name], "document")))
		ledAll = ledAll && slices.ContainsFunc(all, func(d decider) bool { return d.Candidate == name })
	}
	if ledAll {
		return lines
	}
	why := "where no word is known, the best multinomial decides"
	if stream {
		why += ", else what led then"
	}
	return append(lines, "which is "+strings.Join(parts, ", ")+": "+why)
}

// leaders says what led in most of the tests, and in the others.
func leaders(all []decider) string {
	tests := 0
	for _, d := range all {
		tests += d.Tests
	}
	first := all[0]
	parts := []string{first.Candidate, temperOf(first.Decider)}
	if tests > 1 {
		parts[1] += fmt.Sprintf(" in %d of %d tests", first.Tests, tests)
	}
	others := map[string]int{}
	for _, d := range all[1:] {
		others[d.Candidate] += d.Tests
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		with := "by " + name
		if name == first.Candidate {
			with = "with other tempers"
		}
		parts = append(parts, fmt.Sprintf("in %d %s", others[name], with))
	}
	return strings.Join(parts, ", ")
}

func temperOf(d race.Decider) string {
	if d.T == 1 && d.Gamma == 0 {
		return "untempered"
	}
	return fmt.Sprintf("with the temper {t: %v, gamma: %v}", d.T, d.Gamma)
}

func writeRace(out *printer, t *race.Table) {
	if t.Scored < race.Enough {
		out.f("race       %s decides until %d documents are scored; %d are\n", t.Leader.Candidate, race.Enough, t.Scored)
		return
	}
	out.f("race       %s leads, %s; %d documents are scored\n\n", t.Leader.Candidate, temperOf(t.Leader), t.Scored)
	hasCosts := slices.ContainsFunc(t.Candidates, func(c race.Standing) bool { return c.Cost > 0 })
	cost := func(text string) string {
		if !hasCosts {
			return ""
		}
		return fmt.Sprintf("%10s", text)
	}
	width := len("CANDIDATE")
	for _, c := range t.Candidates {
		width = max(width, len(c.Candidate))
	}
	out.f("%-*s%10s%s%10s%12s  %s\n", width, "CANDIDATE", "ERRORS", cost("COST"), "LOG LOSS", "UNTEMPERED", "TEMPER")
	for _, c := range t.Candidates {
		shadow := ""
		if c.Shadow {
			shadow = " (shadow)"
		}
		out.f("%-*s%10d%s%10.4f%12.4f  {t: %v, gamma: %v}%s\n", width, c.Candidate, c.Errors,
			cost(fmt.Sprintf("%.4g", c.Cost)), c.Loss, c.Plain, c.T, c.Gamma, shadow)
	}
	writeCalibration(out, t)
}

// writeCalibration writes how often the leader of a race is right when it is so sure, and how sure
// that makes a decision unless documents are few.
func writeCalibration(out *printer, t *race.Table) {
	if len(t.Calibration) == 0 {
		return
	}
	out.f("\ncalibration of %s: how often a label was right, and the posterior of that, unless the runner-up has few "+
		"documents\n\n", t.Leader.Candidate)
	out.f("%12s%10s%10s%10s\n", "TEMPERED", "DOCUMENTS", "RIGHT", "MADE")
	for _, c := range t.Calibration {
		out.f("%12.4f%10d%10.4f%10.4f\n", c.Posterior, c.Records, c.Right, c.Calibrated)
	}
}

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
