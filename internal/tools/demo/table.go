package demo

import (
	"fmt"
	"strings"

	"bayestream/internal/tools/cli/table"
)

const (
	shown      = 10 // decisions in the table
	shownLines = 2  // of a decision
)

// frame is what is drawn in place. What does not fit on the screen is left out: the terminal would
// scroll, and the next frame would not be over this one.
func (v *view) frame(s *score) string {
	columns, rows := v.options.Size()
	width := columns - 1                                             // in the last column a terminal is about to wrap
	around := strings.Count(v.head()+v.table(s, 0, width), "\n") + 1 // the cursor stands below
	fit := min(shown, max(1, (rows-around)/shownLines))
	lines := strings.Split(v.head()+v.table(s, fit, width), "\n")
	for i, line := range lines {
		lines[i] = table.Cut(line, width)
	}
	return strings.Join(lines, "\n")
}

func (v *view) table(s *score, decisions, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  learned %-7d labelled %-7d accuracy %s   last %d %s\n", s.learned, s.labelled,
		v.bold(fmt.Sprintf("%.4f", ratio(s.correct, s.labelled))), recentWindow, v.bold(fmt.Sprintf("%.4f",
			s.recentAccuracy())))
	fmt.Fprintf(&b, "  ok %d   unsure %d   cold %d   empty %d   dead letters %d\n", s.status["ok"], s.status["unsure"],
		s.status["cold"], s.status["empty"], s.dead)
	if s.order.Warning() != "" {
		b.WriteString("  The documents come class after class: --shuffle=1 mixes them.\n")
	}
	for line := range strings.Lines(legend) {
		b.WriteString(v.color("2", strings.TrimSuffix(line, "\n")) + "\n")
	}
	list := s.last(decisions)
	label := v.labelWidth(list, width)
	fmt.Fprintf(&b, "\n     %s%s%-11s%-8s%s\n", table.Pad("DECIDED", label), table.Pad("TRUTH", label), "POSTERIOR",
		"STATUS", "WORDS THAT DECIDED")
	for _, o := range list {
		b.WriteString(v.row(&o, label, width))
	}
	return b.String()
}

// none stands for the label of a decision without one.
const none = "none yet"

// labelWidth returns the width of the columns of labels: the longest label, with two spaces behind
// it, but not more than a sixth of the screen.
func (v *view) labelWidth(list []outcome, width int) int {
	longest := len(none)
	for _, o := range list {
		longest = max(longest, table.Width(o.decision.Label), table.Width(o.item.Label))
	}
	return max(len(none), min(longest, width/6)) + 2
}

func (v *view) row(o *outcome, label, width int) string {
	mark, decided := v.color("32", "✓"), o.decision.Label
	if !o.correct {
		mark = v.color("31", "✗")
	}
	if !o.decision.Labelled {
		decided = none
	}
	cells := fmt.Sprintf("%s%s%-11.4f%-8s", table.Pad(table.Clip(decided, label-2), label),
		table.Pad(table.Clip(o.item.Label, label-2), label), o.decision.Confidence(), o.decision.Status)
	line := strings.Join(strings.Fields(o.item.Text), " ")
	return fmt.Sprintf("  %s  %s%s\n     %s\n", mark, cells, table.Words(o.decision.Evidence, width-5-table.Width(cells)),
		v.color("2", table.Clip(line, max(1, width-5))))
}

func (v *view) bold(s string) string { return v.color("1", s) }

func (v *view) color(code, s string) string {
	if !v.options.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
