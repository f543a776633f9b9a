package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// view shows how the demo goes: a table that is drawn in place on a terminal, lines elsewhere.
type view struct {
	out      io.Writer
	options  Options
	ingest   string // addresses of HTTP
	classify string
	console  string // its address, with the token
	state    string // folder that is kept; "": none
	before   int64  // documents that the model had at the start
	sample   string // a document to ask for, without what a shell would take for something else
	blocks   int
}

func newView(o Options, p *pipeline, console, sample string, out io.Writer) *view {
	return &view{out: out, console: console, options: o, ingest: p.ingestHTTP, classify: p.classifyHTTP, sample: sample}
}

// begin shows what runs where. notes is where --once and --json say what is no result.
func (v *view) begin(s *score, notes io.Writer) {
	v.state = s.state
	v.before = s.before
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
	return fmt.Sprintf("  model   learned %d documents before: the accuracy is not a new model's\n", v.before)
}

func (v *view) head() string {
	state := "removed at the end; --state=DIR keeps it"
	if v.state != "" {
		state = v.state
	}
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
	return "-H 'Content-Type: " + bodyType(v.options.Spec) + "' --data-binary"
}

// legend explains the states of a decision.
const legend = `  ok      decided                           unsure  too close to call
  cold    a class has under 20 documents    empty   no word of it is known
`

// isDrawn reports whether the table is drawn in place.
func (v *view) isDrawn() bool { return v.options.Terminal && !v.options.Once && !v.options.JSON }

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
	case v.blocks%20 == 1:
		fmt.Fprintf(v.out, "learned %d  labelled %d  accuracy %.4f  last %d: %.4f  dead letters %d\n",
			s.learned, s.labelled, ratio(s.correct, s.labelled), recentWindow, s.recentAccuracy(), s.dead)
	}
}

// done says that the data is at its end while the workers go on.
func (v *view) done(s *score) {
	if !v.options.JSON {
		fmt.Fprintf(v.out, "\nAll %d records are labelled and learned. The workers are still "+
			"there: ask them, then press Ctrl-C.\n", s.labelled)
	}
}
