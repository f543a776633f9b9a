package tokenize

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSteps(t *testing.T) {
	o := DefaultOptions()
	o.HTML = true
	o.NGrams = 2
	o.Stop = []string{"at"}
	got := newScanner(t, o).Steps(&Segment{Text: []byte("<b>Prizes</b> at http://Example.com/x")})
	want := []Step{
		{"bytes", []string{"<b>Prizes</b> at http://Example.com/x"}},
		{"visible", []string{"Prizes at http://Example.com/x"}},
		{"normalised", []string{"prizes at http://example.com/x"}},
		{"words", []string{"prizes", "at", "http://example.com/x"}},
		{"classes", []string{"prizes", "at", "<url>", "example.com"}},
		{"without stop words", []string{"prizes", "<url>", "example.com"}},
		{"stems", []string{"prize", "<url>", "example.com"}},
		{"terms", []string{"prize", "<url>", "prize <url>", "example.com", "<url> example.com"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The last step is what Scan emits, and without n-grams the stems are the terms.
func TestStepsEndInTheTerms(t *testing.T) {
	s := newScanner(t, DefaultOptions())
	rapid.Check(t, func(t *rapid.T) {
		text := anyText.Draw(t, "text")
		steps := s.Steps(&Segment{Text: text})
		last := steps[len(steps)-1]
		if want := terms(s, string(text)); !slices.Equal(last.Items, want) {
			t.Fatalf("terms of %q: %q in Steps, %q in Scan", text, last.Items, want)
		}
		if stems := steps[len(steps)-2]; !slices.Equal(stems.Items, last.Items) {
			t.Fatalf("stems %q and terms %q of %q", stems.Items, last.Items, text)
		}
	})
}
