package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli/table"
	"bayestream/internal/tools/lab/dataset"
)

// view shows how the demo goes: a table that is drawn in place on a terminal, lines elsewhere.
type view struct {
	*score

	out      io.Writer
	options  Options
	ingest   string // addresses of HTTP
	classify string
	console  string // its address, with the token
	sample   string // a document to ask for, without what a shell would take for something else
	blocks   int
}

// begin shows what runs where. notes is where --once and --json say what is no result.
func (v *view) begin(notes io.Writer) {
	if v.options.Once || v.options.JSON {
		fmt.Fprint(notes, v.earlier())
		return
	}
	if !v.options.Terminal {
		fmt.Fprint(v.out, v.head()+legend+"\n")
	}
}

// earlier says, on a line, that the model is not a new one; "" if it is.
func (v *view) earlier() string {
	if v.before == 0 {
		return ""
	}
	documents := "1 document"
	if v.before != 1 {
		documents = fmt.Sprintf("%d documents", v.before)
	}
	return "  model   learned " + documents + " before: the accuracy is not a new model's\n"
}

func (v *view) head() string {
	state := cmp.Or(v.state, "removed at the end; --state=DIR keeps it")
	return fmt.Sprintf(`Bayestream demo: each message is labelled, then learned. Ctrl-C ends it.
  console %s
  broker  %s
  topics  demo-training demo-documents demo-labels demo-model demo-dead-letters
  state   %s
  pages   http://%s (classify)  http://%s (ingest)
  curl %s '%s' http://%s/v1/classify
%s
`, v.console, strings.Join(v.options.Brokers, ","), state, v.classify, v.ingest, v.send(), v.sample, v.classify, v.earlier())
}

// send returns the flags by which curl sends a document.
func (v *view) send() string {
	if v.options.Spec.IsJSON() {
		return "--json"
	}
	return "-H 'Content-Type: application/octet-stream' --data-binary"
}

// legend explains the states of a decision.
const legend = `  ok      decided                           unsure  too close to call
  cold    a class has under 20 documents    empty   no word of it is known
`

// isDrawn reports whether the table is drawn in place.
func (v *view) isDrawn() bool { return v.options.Terminal && !v.options.Once && !v.options.JSON }

func (v *view) block() {
	v.blocks++
	switch {
	case v.options.Once:
	case v.options.JSON:
		_ = json.NewEncoder(v.out).Encode(v.summary())
	case v.options.Terminal:
		// Home, then clear to the end of each line and of the screen: no flicker.
		fmt.Fprint(v.out, "\x1b[H"+strings.ReplaceAll(v.frame(), "\n", "\x1b[K\n")+"\x1b[J")
	case v.blocks%20 == 1:
		fmt.Fprintf(v.out, "learned %d  labelled %d  accuracy %.4f  last %d: %.4f  dead letters %d\n",
			v.learned, v.labelled, ratio(v.correct, v.labelled), recentWindow, v.recentAccuracy(), v.dead)
	}
}

// done says that the data is at its end while the workers go on.
func (v *view) done() {
	if !v.options.JSON {
		fmt.Fprintf(v.out, "\nAll %d records are labelled and learned. The workers are still "+
			"there: ask them, then press Ctrl-C.\n", v.labelled)
	}
}

const (
	shown      = 10 // decisions in the table
	shownLines = 2  // of a decision
)

// frame is what is drawn in place. What does not fit on the screen is left out: the terminal would
// scroll, and the next frame would not be over this one.
func (v *view) frame() string {
	columns, rows := v.options.Size()
	width := columns - 1                                          // in the last column a terminal is about to wrap
	around := strings.Count(v.head()+v.table(0, width), "\n") + 1 // the cursor stands below
	fit := min(shown, max(1, (rows-around)/shownLines))
	lines := strings.Split(v.head()+v.table(fit, width), "\n")
	for i, line := range lines {
		lines[i] = table.Cut(line, width)
	}
	return strings.Join(lines, "\n")
}

func (v *view) table(decisions, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  learned %-7d labelled %-7d accuracy %s   last %d %s\n", v.learned, v.labelled,
		v.color("1", fmt.Sprintf("%.4f", ratio(v.correct, v.labelled))), recentWindow, v.color("1", fmt.Sprintf("%.4f",
			v.recentAccuracy())))
	fmt.Fprintf(&b, "  ok %d   unsure %d   cold %d   empty %d   dead letters %d\n", v.status["ok"], v.status["unsure"],
		v.status["cold"], v.status["empty"], v.dead)
	if v.order.Warning() != "" {
		b.WriteString("  The documents come class after class: --shuffle=1 mixes them.\n")
	}
	for line := range strings.Lines(legend) {
		b.WriteString(v.color("2", strings.TrimSuffix(line, "\n")) + "\n")
	}
	list := v.last(decisions)
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

func (v *view) color(code, s string) string {
	if !v.options.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// recentWindow is the number of decisions of the recent accuracy.
const recentWindow = 200

type outcome struct {
	item     item
	decision model.Decision
	correct  bool
}

// score counts decisions and how many of them are correct.
type score struct {
	learned, labelled, correct, dead int64
	recent                           []outcome // the last recentWindow
	status                           map[string]int64
	order                            dataset.Order // of the source
	started                          time.Time
	state                            string // folder of the model files; "": removed at the end
	before                           int64  // documents that the model had at the start
}

func (s *score) decided(x item, answer *wire.Decision) {
	o := outcome{item: x, decision: answer.Decision, correct: answer.Decision.Labelled && answer.Decision.Label == x.Label}
	s.labelled++
	if o.correct {
		s.correct++
	}
	if s.status == nil {
		s.status = map[string]int64{}
	}
	s.status[o.decision.Status]++
	s.recent = append(s.recent, o)
	if len(s.recent) > 2*recentWindow {
		s.recent = append(s.recent[:0], s.recent[len(s.recent)-recentWindow:]...)
	}
}

// last returns the newest n outcomes, oldest first.
func (s *score) last(n int) []outcome { return s.recent[max(0, len(s.recent)-n):] }

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// recentAccuracy returns the accuracy of the last recentWindow decisions.
func (s *score) recentAccuracy() float64 {
	var right, n int64
	for _, o := range s.last(recentWindow) {
		n++
		if o.correct {
			right++
		}
	}
	return ratio(right, n)
}

func (s *score) summary() Summary {
	return Summary{
		Learned: s.learned, Labelled: s.labelled, DeadLetters: s.dead, Correct: s.correct, Accuracy: ratio(s.correct,
			s.labelled),
		Seconds: time.Since(s.started).Seconds(), State: s.state, LearnedBefore: s.before,
	}
}
