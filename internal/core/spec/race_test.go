package spec_test

import (
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"github.com/google/go-cmp/cmp"
)

// A race is written in full, and reads back as the race that it is.
func TestRaceIsWrittenInFull(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"scoring: {}", `scoring:
    candidates:
        - {likelihood: one_vs_all, alpha: 0.1, sublinear: true, shape: true, edges: true}
        - {likelihood: multinomial, alpha: 0.1, sublinear: true, shape: true, edges: true}
        - {likelihood: one_vs_all, alpha: 1, sublinear: true, shape: true, edges: true}
        - {likelihood: complement, alpha: 1, sublinear: true}
        - {likelihood: one_vs_all, alpha: 0.1, sublinear: true, shape: true}
        - {likelihood: one_vs_all, alpha: 0.03, shape: true}
    share: 32
`},
		{"scoring: {candidates: [{likelihood: complement, alpha: 0.5}], share: 4, shadow: {likelihood: multinomial, alpha: 2}}", `scoring:
    candidates:
        - {likelihood: complement, alpha: 0.5}
    share: 4
    shadow: {likelihood: multinomial, alpha: 2}
`},
		{"scoring: {}\ntext: {stem: false, weight: 2}\ncategories: [{field: c}]", "        - {likelihood: one_vs_all, alpha: 0.03, shape: true}\n    share: 32\n"},
		{"scoring: {}\ntext: {}\ncategories: [{field: c}]", "        - {likelihood: multinomial, alpha: 0.3, sublinear: true, shape: true, edges: true}\n    share: 32\n"},
		{"name: text\nscoring: {}\ntext: {fields: [alpha, likelihood], language: english}", "text:\n    fields: [alpha, likelihood]\n    language: english\n    stem: true\n    ngrams: 1\nscoring:\n"},
		{"scoring: {}\nprior: {a: 0.4, b: 0.6}", "        - {likelihood: multinomial, alpha: 0.3, sublinear: true, shape: true, edges: true}\n    share: 32\n"},
		{"scoring: {by: balanced}\nprior: uniform", "        - {likelihood: one_vs_all, alpha: 0.03, shape: true}\n    by: balanced\n    share: 32\n"},
		{"prior: {a: 0.5, b: 0.5}", "        - {likelihood: one_vs_all, alpha: 0.03, shape: true}\n    share: 32\n"},
	} {
		s := modeltest.Spec(t, c.yaml)
		text := string(s.YAML())
		if !strings.Contains(text, c.want) || strings.Contains(text, "ngrams: 1\n    likelihood") || strings.Contains(text, "ngrams: 1\n    alpha") {
			t.Errorf("%q is written as\n%swant in it\n%s", c.yaml, text, c.want)
		}
		if s.Text.Likelihood != spec.Multinomial || s.Text.Alpha != 1 {
			t.Errorf("%q: until a candidate leads %s decides", c.yaml, s.Candidate())
		}
	}
}

// What says nothing of scoring has the default race.
func TestRaceIsTheDefault(t *testing.T) {
	want := modeltest.Spec(t, "scoring: {}")
	for _, yaml := range []string{"", "scoring:", "text: {}", "decision: {ties: first}"} {
		if diff := cmp.Diff(want.Race, modeltest.Spec(t, yaml).Race); diff != "" {
			t.Errorf("%q (-scoring: {} +got):\n%s", yaml, diff)
		}
	}
}

// What names one way to score, or has no words, has no race.
func TestRaceIsOff(t *testing.T) {
	for _, yaml := range []string{
		"text: {alpha: 1}", "text: {likelihood: multinomial}", "text: {likelihood: bernoulli}", "text: {temper: {}}", "numbers: [{fields: [x]}]",
	} {
		s := modeltest.Spec(t, yaml)
		if s.Race != nil || strings.Contains(string(s.YAML()), "scoring") {
			t.Errorf("%q: there is a race:\n%s", yaml, s.YAML())
		}
	}
}

// A race is scoring: it may change on the same counts, whatever in it changes.
func TestRaceIsScoring(t *testing.T) {
	seen := map[spec.Fingerprint]string{}
	for _, yaml := range []string{
		"text: {alpha: 1}", "text: {alpha: 0.1}", "scoring: {}", "scoring: {share: 1}", "scoring: {shadow: {likelihood: complement, alpha: 2}}", "scoring: {candidates: [{likelihood: multinomial, alpha: 1}]}",
	} {
		s := modeltest.Spec(t, yaml)
		if got := s.CountingDifference(modeltest.Spec(t, "")); got != "" {
			t.Errorf("%q counts differently: %s", yaml, got)
		}
		if other, twice := seen[s.Scoring()]; twice {
			t.Errorf("%q has the scoring fingerprint of %q", yaml, other)
		}
		seen[s.Scoring()] = yaml
	}
}

// The shadow is scored behind the candidates, whose list stays as it is.
func TestScoredHasTheShadow(t *testing.T) {
	r := modeltest.Spec(t, "scoring: {candidates: [{likelihood: complement, alpha: 0.5}], shadow: {likelihood: multinomial, alpha: 2}}").Race
	want := []spec.Candidate{{Likelihood: spec.Complement, Alpha: 0.5}, {Likelihood: spec.Multinomial, Alpha: 2}}
	if diff := cmp.Diff(want, r.Scored()); diff != "" || len(r.Candidates) != 1 {
		t.Errorf("candidates %v, scored (-want +got):\n%s", r.Candidates, diff)
	}
}

// Corrections have candidates that read them, of which the first decides; they are for a race, and
// change what is counted.
func TestCorrections(t *testing.T) {
	s := modeltest.Spec(t, "text: {corrections: true}")
	without := modeltest.Spec(t, "")
	if n := len(s.Race.Candidates); n > 8 || s.Race.Candidates[0].Corrections == 0 || s.Counting() == without.Counting() {
		t.Errorf("%d candidates, the first is %v", n, s.Race.Candidates[0])
	}
	if again := modeltest.Spec(t, string(s.YAML())); again.Counting() != s.Counting() || again.Scoring() != s.Scoring() {
		t.Errorf("written and read again it is\n%s", again.YAML())
	}
	if got, ok := without.WithCorrections(true); !ok || !got.Text.Characters || got.Race.Candidates[0].Corrections != spec.RunWeight ||
		got.Counting() == s.Counting() {
		t.Errorf("with corrections of characters it is\n%s", got.YAML())
	}
	if got, ok := without.WithCorrections(false); !ok || got.Scoring() != s.Scoring() || got.Counting() != s.Counting() {
		t.Errorf("with corrections it is\n%s", got.YAML())
	}
	for text, want := range map[string]string{
		"text: {characters: true}":                                                                                 "text.characters says of what corrections are, and text.corrections is not set",
		"text: {corrections: true, likelihood: complement}":                                                        "text.corrections is for candidates that race, and text.likelihood names",
		"text: {corrections: true}\nscoring: {candidates: [{likelihood: multinomial, alpha: 1}]}":                  "none of scoring.candidates reads them",
		"scoring: {candidates: [{likelihood: multinomial, alpha: 1, corrections: 0.25}]}":                          "scoring.candidates[0].corrections is for a spec with text.corrections",
		"text: {corrections: true}\nscoring: {candidates: [{likelihood: multinomial, alpha: 1, corrections: -1}]}": "scoring.candidates[0].corrections is -1",
	} {
		if _, err := spec.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
