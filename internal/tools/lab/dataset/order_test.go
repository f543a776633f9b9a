package dataset_test

import (
	"strings"
	"testing"

	"bayestream/internal/tools/lab/dataset"
)

// Who has few documents, one class, or classes that come mixed hears nothing.
func TestOrderWarns(t *testing.T) {
	for labels, want := range map[string]string{
		"":                              "",
		"aaaaaaaaabbbbbbbbb":            "",
		strings.Repeat("a", 1000):       "",
		strings.Repeat("ab", 20):        "",
		strings.Repeat("aabbb", 20):     "",
		strings.Repeat("aaaaaaaaab", 9): "",
		"aaaaaaaaaabbbbbbbbbb":          "changes once, in a random order it would some 10 times",
		strings.Repeat("a", 50) + strings.Repeat("b", 50) + strings.Repeat("c", 50): "changes 2 times, in a random order it would some 100 times; --shuffle=1",
	} {
		var o dataset.Order
		for _, label := range strings.Split(labels, "") {
			o.Add(label)
		}
		if got := o.Warning(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", labels, got, want)
		}
	}
}
