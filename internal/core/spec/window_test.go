package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

// TestWindow reads a window in every unit, and writes it in the longest that fits. It is outside
// both fingerprints.
func TestWindow(t *testing.T) {
	none := modeltest.Spec(t, "{}")
	for text, want := range map[string]struct {
		spec.Window
		written string
	}{
		"{records: 1000}": {spec.Window{Records: 1000}, "{records: 1000}"},
		"{age: 30d}":      {spec.Window{Age: spec.Age{Milliseconds: 30 * spec.Day}}, "{age: 30d}"},
		"{age: 48h}":      {spec.Window{Age: spec.Age{Milliseconds: 2 * spec.Day}}, "{age: 2d}"},
		"{age: 90m}":      {spec.Window{Age: spec.Age{Milliseconds: 5_400_000}}, "{age: 90m}"},
		"{age: 61s}":      {spec.Window{Age: spec.Age{Milliseconds: 61_000}}, "{age: 61s}"},
		"{age: 1500ms}":   {spec.Window{Age: spec.Age{Milliseconds: 1500}}, "{age: 1500ms}"},
		"{}":              {spec.Window{}, "none"},
	} {
		s := modeltest.Spec(t, fmt.Sprintf("limits: {window: %s}", text))
		if s.Limits.Window != want.Window || s.Limits.Window.String() != want.written {
			t.Errorf("%s is %v, want %s", text, s.Limits.Window, want.written)
		}
		if again := modeltest.Spec(t, string(s.YAML())); again.Limits.Window != s.Limits.Window {
			t.Errorf("%s is %v once it is written and read:\n%s", text, again.Limits.Window, s.YAML())
		}
		if s.Counting() != none.Counting() || s.Scoring() != none.Scoring() {
			t.Errorf("%s changes a fingerprint", text)
		}
	}
	if strings.Contains(string(none.YAML()), "window") {
		t.Errorf("a spec without a window names it:\n%s", none.YAML())
	}
	for text, says := range map[string]string{
		"{age: 30}":                   "limits.window.age on line 1",
		"{age: 1.5d}":                 "30d, 12h, 45m or 90s",
		"{age: -1d}":                  "30d, 12h, 45m or 90s",
		"{age: +1d}":                  "30d, 12h, 45m or 90s",
		"{age: 0d}":                   "30d, 12h, 45m or 90s",
		"{age: 40000d}":               "30d, 12h, 45m or 90s",
		"{age: 9999999999999999999d}": "30d, 12h, 45m or 90s",
		"{age: 10ms}":                 "want at least 1s",
		"{records: -1}":               "want 1 to",
		"{records: 5, age: 1d}":       "want one of them",
		"{days: 5}":                   "unknown key days",
		"30d":                         "want keys and their values",
	} {
		if _, err := spec.Parse([]byte("limits: {window: " + text + "}")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

// TestWindowIsMadeShorter: a later spec may make a window shorter, and nothing else.
func TestWindowIsMadeShorter(t *testing.T) {
	for _, c := range []struct{ before, now, says string }{
		{"{records: 5}", "{records: 5}", ""},
		{"{records: 5}", "{records: 1}", ""},
		{"{age: 2d}", "{age: 47h}", ""},
		{"{}", "{}", ""},
		{"{records: 5}", "{records: 6}", "may shorten a window"},
		{"{age: 2d}", "{age: 49h}", "may shorten a window"},
		{"{records: 5}", "{}", "limits.window is none, and the spec in force has {records: 5}"},
		{"{records: 5000}", "{age: 1s}", "may shorten a window"},
		{"{age: 2d}", "{records: 1}", "may shorten a window"},
		{"{}", "{records: 6}", "it needs a new model"},
	} {
		err := modeltest.Spec(t, "limits: {window: "+c.now+"}").Extends(modeltest.Spec(t, "limits: {window: "+c.before+"}"))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s behind %s: %v, want %q", c.now, c.before, err, c.says)
		}
	}
}
