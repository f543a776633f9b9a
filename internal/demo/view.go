package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"bayestream/internal/escape"
)

// view shows how the demo goes: a table that is drawn in place on a terminal, lines elsewhere.
type view struct {
	out      io.Writer
	options  Options
	ingest   string // addresses of HTTP
	classify string
	blocks   int
}

func newView(o Options, p *pipeline, out io.Writer) *view {
	v := &view{out: out, options: o, ingest: p.ingestHTTP, classify: p.classifyHTTP}
	if !o.Once && !o.JSON {
		fmt.Fprint(out, v.head())
	}
	return v
}

func (v *view) head() string {
	return fmt.Sprintf(`Bayestream demo: each message is labelled first and learned afterwards.
  brokers   %s
  classify  http://%s   (POST /v1/classify, /metrics, /readyz)
  ingest    http://%s   (/metrics, /v1/snapshot)
  topics    %s
  state     %s
  Ctrl-C ends it.

`, strings.Join(v.options.Brokers, ","), v.classify, v.ingest,
		strings.Join([]string{topicTraining, topicDocuments, topicLabels, topicModel, topicDead}, " "), v.options.State)
}

// block shows the state after a block.
func (v *view) block(s *score) {
	v.blocks++
	switch {
	case v.options.Once:
	case v.options.JSON:
		_ = json.NewEncoder(v.out).Encode(s.summary())
	case v.options.Terminal:
		// Home, then clear to the end of each line and of the screen: no flicker.
		fmt.Fprint(v.out, "\x1b[H"+strings.ReplaceAll(v.frame(s), "\n", "\x1b[K\n")+"\x1b[J")
	case v.blocks%20 == 0:
		fmt.Fprintf(v.out, "learned %d  labelled %d  accuracy %.4f  last %d: %.4f  dead letters %d\n",
			s.learned, s.labelled, ratio(s.correct, s.labelled), recentWindow, s.recentAccuracy(), s.dead)
	}
}

// done says that the data is at its end while the workers go on.
func (v *view) done(s *score) {
	if !v.options.JSON {
		fmt.Fprintf(v.out, "\nAll %d records are labelled and learned. The workers are still there: ask them, then press Ctrl-C.\n", s.labelled)
	}
}

const (
	shown      = 10 // decisions in the table
	shownLines = 2  // of a decision
)

// frame is what is drawn in place. What does not fit on the screen is left out: the terminal would scroll, and
// the next frame would not be over this one.
func (v *view) frame(s *score) string {
	columns, rows := v.options.Size()
	around := strings.Count(v.head()+v.table(s, 0), "\n") + 1 // the cursor stands below
	fit := min(shown, max(1, (rows-around)/shownLines))
	lines := strings.Split(v.head()+v.table(s, fit), "\n")
	for i, line := range lines {
		lines[i] = narrow(line, columns-1) // in the last column a terminal is about to wrap
	}
	return strings.Join(lines, "\n")
}

// narrow cuts a line to n characters. Escape sequences take no room, and those behind the cut stay, so that no
// colour runs on.
func narrow(line string, n int) string {
	var b strings.Builder
	escape := false
	for _, r := range line {
		switch {
		case r == '\x1b' || escape:
			escape = r != 'm'
			b.WriteRune(r)
		case n > 0:
			n--
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (v *view) table(s *score, decisions int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  learned %-8d labelled %-8d accuracy %s   last %d %s   dead letters %d\n", s.learned, s.labelled,
		v.bold(fmt.Sprintf("%.4f", ratio(s.correct, s.labelled))), recentWindow, v.bold(fmt.Sprintf("%.4f", s.recentAccuracy())), s.dead)
	fmt.Fprintf(&b, "  ok %d   unsure %d   cold %d   empty %d\n\n", s.status["ok"], s.status["unsure"], s.status["cold"], s.status["empty"])
	fmt.Fprintf(&b, "  %-3s%-12s%-12s%-12s%-8s%s\n", "", "DECIDED", "TRUTH", "POSTERIOR", "STATUS", "WORDS THAT DECIDED")
	for _, o := range s.last(decisions) {
		b.WriteString(v.row(&o))
	}
	return b.String()
}

func (v *view) row(o *outcome) string {
	mark, label := v.color("32", "✓"), o.decision.Label
	if !o.correct {
		mark = v.color("31", "✗")
	}
	posterior := 0.0
	for _, c := range o.decision.Classes {
		if c.Name == label {
			posterior = c.Posterior
		}
	}
	if !o.decision.Labelled {
		label = "none yet"
	}
	return fmt.Sprintf("  %s  %-12s%-12s%-12.4f%-8s%s\n    %s\n", mark, clip(label, 11), clip(o.item.Label, 11), posterior, o.decision.Status,
		v.words(o), v.color("2", clip(strings.Join(strings.Fields(o.item.Text), " "), 104)))
}

// words lists the strongest terms; a minus marks those that spoke against the label.
func (v *view) words(o *outcome) string {
	var list []string
	for _, e := range o.decision.Evidence {
		if e.Term == "" || len(list) == 5 {
			continue
		}
		list = append(list, fmt.Sprintf("%s %+.1f", clip(e.Term, 14), math.Round(10*e.Weight)/10))
	}
	return strings.Join(list, "  ")
}

func (v *view) bold(s string) string { return v.color("1", s) }

func (v *view) color(code, s string) string {
	if !v.options.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// clip cuts s to n characters.
func clip(s string, n int) string {
	s = escape.Text(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
