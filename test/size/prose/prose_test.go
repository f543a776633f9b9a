package prose

import (
	"slices"
	"strings"
	"testing"
)

func TestLong(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	code := "```text\n" + words(Most+1) + "\n```\n"
	for text, want := range map[string][]string{
		words(Most):                              nil,
		words(Most + 1):                          {words(Most + 1)},
		words(20) + "\n" + words(20):             {words(40)},
		words(20) + ". " + words(20):             nil,
		words(20) + "\n\n" + words(20):           nil,
		"- " + words(20) + "\n- " + words(20):    nil,
		"| " + words(20) + " | " + words(20):     nil,
		words(20) + "\n" + code + words(20):      nil,
		words(20) + ".\n" + words(30) + " (word": nil,
	} {
		if got := Long(text); !slices.Equal(got, want) {
			t.Errorf("long sentences of %q: got %q, want %q", text, got, want)
		}
	}
}
