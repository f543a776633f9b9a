package spec_test

import (
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/alloctest"
)

// What is read from any text is a spec that is written and read again as it is.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "name: a\nclasses: [x, y]\ntext: {field: body, ngrams: 2, stop_words: [the], likelihood: complement}\nprior: {x: 0.25, y: 0.75}\n",
		"numbers: [{fields: [x, y], likelihood: lda, shrinkage: oas}]\ncategories: [{field: c, alpha: 0.5}]\nhistograms: [{field: h, bins: 4, from: 0, to: 1}]",
		"a: &a [*a]", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", "<<: {text: {}}", "text: !!binary aGk=", "--- {}\n--- {}", "limits: {classes: 9223372036854775808}",
		"text: {stop: [the, default, a], shortest: 1, chars: [0, 0]}", "text: {chars: [2, 3], language: none}", "limits: {window: {records: 0}}",
		"loss: {x: {y: 1}}", "decision: {reject: 0.1}", strings.Repeat("{", 3000), strings.Repeat("[", 3000), strings.Repeat("- ", 3000), strings.Repeat("? \t", 3000),
		"scoring: {candidates: [{likelihood: complement, alpha: 2}], share: 3, shadow: {likelihood: multinomial, alpha: 1}}", "scoring: {}\ntext: {weight: 1}\nnumbers: [{fields: [x]}]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s *spec.Spec
		var err error
		alloctest.Bound(t, len(text), func() { s, err = spec.Parse(text) })
		if err != nil {
			return
		}
		again, err := spec.Parse(s.YAML())
		if err != nil {
			t.Fatalf("%s\nis written as\n%s\nwhich cannot be read: %v", text, s.YAML(), err)
		}
		if again.Counting() != s.Counting() || again.Scoring() != s.Scoring() || string(again.YAML()) != string(s.YAML()) {
			t.Fatalf("%s\nis written as\n%s\nand then as\n%s", text, s.YAML(), again.YAML())
		}
	})
}
