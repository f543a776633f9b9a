package demo

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"github.com/clipperhouse/displaywidth"
)

// On a small terminal a frame is no longer and no wider than the screen, or the next one would not
// be over it; the head stays, and so do the ends of colours.
func TestAFrameFitsTheTerminal(t *testing.T) {
	s := &score{before: 12000}
	for range shown {
		s.recent = append(s.recent, outcome{
			item:     item{Label: "spam", Text: strings.Repeat("a long text 長い文章 ", 20)},
			decision: model.Decision{Labelled: true, Label: "spam", Status: model.StatusOK, Evidence: []model.Evidence{{Term: "text", Weight: 1}}},
		})
	}
	for _, size := range [][2]int{{80, 24}, {60, 40}, {200, 60}, {20, 5}} {
		var out bytes.Buffer
		v := &view{score: s, out: &out, sample: `{"text":"a vote or a goal"}`, classify: "127.0.0.1:43210", ingest: "127.0.0.1:43211", options: Options{Spec: spec.Default(), Brokers: []string{"127.0.0.1:45678"}, Terminal: true, Color: true, Size: func() (int, int) { return size[0], size[1] }}}
		frame := v.frame()
		if rows := strings.Count(frame, "\n") + 1; rows > max(size[1], 18) {
			t.Errorf("%v: the frame has %d lines", size, rows)
		}
		if !strings.HasPrefix(frame, "Bayestream demo") || !strings.Contains(frame, "long") && size[0] > 20 {
			t.Errorf("%v: the head or the decisions are missing:\n%s", size, frame)
		}
		for _, line := range strings.Split(frame, "\n") {
			if n := displaywidth.String(plain(line)); n >= size[0] {
				t.Errorf("%v: %d columns in %q", size, n, line)
			}
			if size[0] >= 80 && strings.Contains(line, "…") && !strings.Contains(line, "a long text") {
				t.Errorf("%v: %q is cut", size, line)
			}
			if strings.Count(line, "\x1b[") != 2*strings.Count(line, "\x1b[0m") {
				t.Errorf("%v: a colour runs on in %q", size, line)
			}
		}
	}
}

// The table says what is wrong with a file that is sorted by class.
func TestAFrameOfASortedFile(t *testing.T) {
	s := &score{}
	v := &view{score: s, out: &bytes.Buffer{}, options: Options{Spec: spec.Default(), Terminal: true, Size: func() (int, int) { return 80, 24 }}}
	for i := range 100 {
		s.order.Add([]string{"ham", "spam"}[i/50])
		const want = "The documents come class after class: --shuffle=1 mixes them."
		if frame := v.frame(); strings.Contains(frame, want) != (i > 51) { // one change where 5.7 are expected
			t.Fatalf("after %d documents:\n%s", i+1, frame)
		}
	}
}

// A line can be pasted into a shell as it stands, whatever the file of the demo begins with.
func TestTheSampleNeedsNoQuoting(t *testing.T) {
	for text, want := range map[string]string{
		`it's "cheap" $(rm) now, and`:        "it s cheap rm now",
		"été à Paris, monsieur":              "été à Paris",
		"!?":                                 "hello",
		"Donaudampfschifffahrtsgesellschaft": "hello",
	} {
		if got := (&source{spec: spec.Default(), ahead: []item{{Text: text}}}).Sample(); got != `{"text":"`+want+`"}` {
			t.Errorf("got %q of %q, want %q", got, text, want)
		}
	}
	places := modeltest.Spec(t, "categories: [{field: place}]")
	if got := (&source{spec: places, ahead: []item{{Text: `{"place":"L'Aquila"}`}}}).Sample(); got != `{"place":"L\u0027Aquila"}` {
		t.Errorf("got %q", got)
	}
}

// plain takes escape sequences out.
func plain(line string) string {
	for {
		before, after, found := strings.Cut(line, "\x1b[")
		if !found {
			return line
		}
		_, after, _ = strings.Cut(after, "m")
		line = before + after
	}
}

// Each line of --json says how long it took so far and where the model files are, as the last one
// of --once does.
func TestALineOfABlockIsASummary(t *testing.T) {
	var out bytes.Buffer
	so := &score{learned: 5, labelled: 5, correct: 4, started: time.Now().Add(-time.Minute), state: "folder"}
	(&view{score: so, out: &out, options: Options{JSON: true}}).block()
	var s Summary
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Seconds < 60 || s.State != "folder" || s.Accuracy != 0.8 {
		t.Errorf("got %s", out.String())
	}
}
