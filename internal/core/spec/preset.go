package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/tokenize"

	"go.yaml.in/yaml/v3"
)

// Preset is the beginning of a spec for one kind of text: how its words are counted. It leaves open
// how they are scored, except for mails, where an error at the very beginning of a stream counts.
// docs/quality.md says why it has its settings, bench/RESULTS.md by which measurements.
type Preset struct {
	Name     string
	About    string    // which texts it is for
	Format   string    // of the records; "": as they are
	Scoring  []Setting // keys of the spec, outside of its blocks
	Text     []Setting
	Decision []Setting
}

// Setting is a key of a spec with its value, as YAML, and what it does.
type Setting struct{ Key, Value, Why string }

var (
	pairs = Setting{"ngrams", "2", "pairs of words count, too"}
	words = Setting{"stem", "false", "words as they stand, without endings taken off"}
	once  = Setting{"cap", "1", "a term counts once in a text, however often it is repeated"}
	marks = Setting{"punctuation", "true", "signs count, too: !!!, £, :-)"}

	// Corrections is no part of a preset: documents at hand tell whether they win.
	Corrections = Setting{"corrections", "true", "documents that were decided wrong count once more"}
	// Characters is beside it.
	Characters = Setting{"characters", "true", "what counts once more are runs of characters, not words"}

	one = Setting{"scoring", "{candidates: [{likelihood: multinomial, alpha: 0.05, corrections: 0.8}]}",
		"one way to score the words, from the first mail on; few mails tell what a word means"}
	even = Setting{"prior", "{ham: 0.5, spam: 0.5}",
		"the first mails do not tell how many are spam, nor that all are. Name your labels here"}
	lostMail = Setting{"loss", "{ham: {spam: 19}}",
		"a lost mail costs as much as 19 spams that are read: a mail is spam with a posterior over 0.95. " +
			"Name your labels here"}
)

// Presets are all presets, by name.
var Presets = []Preset{
	{Name: "comments", About: "comments: a few words, often misspelt", Text: []Setting{marks, once}},
	{Name: "mail", About: "mails", Format: "mail", Scoring: []Setting{even, one},
		Text: []Setting{pairs, words, marks, once, Corrections, Characters}, Decision: []Setting{lostMail}},
	{Name: "reviews", About: "reviews: opinions of some sentences", Text: []Setting{pairs, words, once}},
	{Name: "sms", About: "messages: a sentence or two", Text: []Setting{pairs, words, marks, once}},
	{Name: "topics", About: "news, articles, tickets: which of many topics", Text: []Setting{pairs, words}},
}

// FindPreset returns the preset of a name.
func FindPreset(name string) (*Preset, error) {
	var names []string
	for i := range Presets {
		if Presets[i].Name == name {
			return &Presets[i], nil
		}
		names = append(names, Presets[i].Name)
	}
	return nil, fmt.Errorf("there is no preset %q: want one of %s", name, strings.Join(names, ", "))
}

// With returns the preset with another value of a key of text.
func (p *Preset) With(s Setting) *Preset {
	changed := *p
	changed.Text = slices.DeleteFunc(slices.Clone(p.Text), func(o Setting) bool { return o.Key == s.Key })
	changed.Text = append(changed.Text, s)
	return &changed
}

// Suit changes how words are counted to what texts are written in, and returns the change; nil:
// there is none. Character n-grams suit all languages, and words that are not stemmed those with
// spaces; none is the choice of somebody.
func (t *Text) Suit(written tokenize.Tongue) *Setting {
	switch {
	case t.HTML || len(t.Chars) > 0:
	case written.NGrams > t.NGrams:
		t.NGrams = written.NGrams
		return &Setting{"ngrams", strconv.Itoa(t.NGrams), written.Reason + ", which has no spaces between words"}
	case written.NGrams == 1 && t.Stem && t.Language != "none" && t.Language != written.Language:
		t.Language = written.Language
		return &Setting{"language", t.Language, written.Reason}
	}
	return nil
}

// Spec returns the spec of the preset for the field text.
func (p *Preset) Spec() *Spec {
	s, err := Parse([]byte(p.YAML("")))
	if err != nil {
		panic(err) // a test reads all of them
	}
	return s
}

// Count returns the spec with what the preset sets of its text. Everything else stays, and so do
// longer n-grams, which suit the language of the texts.
func (p *Preset) Count(s *Spec) (*Spec, error) {
	type plain Text // a missing key has no default here
	text := plain(*s.Text)
	for _, set := range p.Text {
		if err := yaml.Unmarshal([]byte(set.Key+": "+set.Value), &text); err != nil {
			return nil, err
		}
	}
	text.NGrams = max(text.NGrams, s.Text.NGrams)
	return Parse(s.withText(func(t *Text) { *t = Text(text) }).YAML())
}

// YAML returns the preset as the beginning of a spec, with comments; field is the field of the
// text, "" for the usual one.
func (p *Preset) YAML(field string) string {
	var b strings.Builder
	if p.Format != "" {
		fmt.Fprintf(&b, "format: %s\n", p.Format)
	}
	for _, s := range p.Scoring {
		fmt.Fprintf(&b, "%s: %s # %s\n", s.Key, s.Value, s.Why)
	}
	if len(p.Decision) > 0 {
		b.WriteString("decision:\n")
		writeSettings(&b, p.Decision)
	}
	fmt.Fprintf(&b, "text:   # as the preset %s: for %s\n", p.Name, p.About)
	if field != "" {
		fmt.Fprintf(&b, "  field: %s\n", field)
	}
	writeSettings(&b, p.Text)
	return b.String()
}

// writeSettings writes settings, one a line, with their comments in one column.
func writeSettings(b *strings.Builder, settings []Setting) {
	width := 16
	for _, s := range settings {
		width = max(width, len(s.Key+": "+s.Value))
	}
	for _, s := range settings {
		fmt.Fprintf(b, "  %-*s # %s\n", width, s.Key+": "+s.Value, s.Why)
	}
}
