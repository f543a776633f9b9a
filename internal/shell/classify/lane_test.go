package classify

import (
	"errors"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
)

// A prior in a body may name the classes of the model and those of the spec, and no others: a
// mistyped class would be ignored.
func TestBodyRefusesAPriorForNoClass(t *testing.T) {
	for _, c := range []struct{ spec, body, says string }{
		{"", `{"text":"x"}`, ""},
		{"", `{"text":"x","prior":{"ham":0.9,"spam":0.1}}`, ""},
		{"", `{"text":"x","prior":{"ham":0.9}}`, ""},
		{"", `{"text":"x","prior":{"ham":0.9,"sapm":0.1}}`, `bad prior: the model has no class "sapm"; it has ["ham" "spam"]`},
		{"classes: [ham, spam, eggs]", `{"text":"x","prior":{"eggs":0.1}}`, ""},
		{"prior: {eggs: 0.1, ham: 0.9}", `{"text":"x","prior":{"eggs":0.5}}`, ""},
		{"classes: [ham, spam, eggs]", `{"text":"x","prior":{"egg":0.1}}`, `bad prior: the model has no class "egg"; it has ["eggs" "ham" "spam"]`},
	} {
		s := modeltest.Spec(t, c.spec)
		state := fold.Offline(s)
		for i, name := range []string{"spam", "ham"} {
			if err := state.Model().Classes().Restore(i, name, 3); err != nil {
				t.Fatal(err)
			}
		}
		state.Model().Prepare()
		settings := config.Default[config.Classify]()
		l, err := newLane(&settings, s, nil, 0, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := l.body(nil, []byte(c.body), state)
		var r *wire.Reject
		switch {
		case c.says == "" && (err != nil || !strings.Contains(string(answer), `"ham"`)):
			t.Errorf("%s %s: %s, %v", c.spec, c.body, answer, err)
		case c.says != "" && (!errors.As(err, &r) || err.Error() != c.says):
			t.Errorf("%s %s: %s, %v; want %s", c.spec, c.body, answer, err, c.says)
		}
	}
}

// A document that comes over HTTP gets a decision in the form of the others.
func TestBodyHasTheForm(t *testing.T) {
	s := modeltest.Spec(t, "")
	state := fold.Offline(s)
	for i, name := range []string{"a", "b", "c", "d"} {
		if err := state.Model().Classes().Restore(i, name, int64(8-i)); err != nil {
			t.Fatal(err)
		}
	}
	state.Model().Prepare()
	settings := config.Default[config.Classify]()
	settings.Classes, settings.Digits = 1, 2
	l, err := newLane(&settings, s, nil, 0, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := l.body(nil, []byte(`{"text":"x"}`), state)
	if want := `"posterior":{"a":0.31,"b":0.27},"others":{"classes":2,"posterior":0.42},`; err != nil || !strings.Contains(string(answer), want) {
		t.Errorf("%v, want %s: %s", err, want, answer)
	}
}

// --emit=enrich is refused where documents are no JSON, and where its field is one of the document's own.
func TestEnrichIsRefused(t *testing.T) {
	for yaml, says := range map[string]string{
		"": "", "format: text": "documents are text", "format: mail": "documents are mail", "text: {field: bayestream}": `the field "bayestream"`,
	} {
		s := modeltest.Spec(t, yaml)
		c := &classifier{config: config.Default[config.Classify]()}
		if err := c.checkEmit(s); err != nil {
			t.Errorf("%q: event: %v", yaml, err)
		}
		c.config.Emit = wire.EmitEnrich
		if err := c.checkEmit(s); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, want %q", yaml, err, says)
		}
	}
}
