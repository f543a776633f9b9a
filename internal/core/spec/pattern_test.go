package spec_test

import (
	"slices"
	"strings"
	"testing"

	"bayestream/internal/testing/modeltest"
)

// TestExpand: patterns stand for the names that match, each once, where the pattern stood.
func TestExpand(t *testing.T) {
	s := modeltest.Spec(t, "numbers: [{fields: [last, word_freq_*, '*_average']}, {fields: [x]}]")
	if got := s.Patterns(); !slices.Equal(got, []string{"word_freq_*", "*_average"}) {
		t.Fatalf("the patterns are %q", got)
	}
	if err := s.Expand([]string{"word_freq_b", "length_average", "word_freq_", "last", "word_freq_average", "x", "word"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"last", "word_freq_b", "word_freq_", "word_freq_average", "length_average"}
	if got := s.Numbers[0].Fields; !slices.Equal(got, want) || len(s.Patterns()) != 0 || s.Numbers[1].Fields[0] != "x" {
		t.Errorf("the fields are %q, want %q", got, want)
	}
	if again := modeltest.Spec(t, string(s.YAML())); again.Counting() != s.Counting() {
		t.Error("the expanded spec reads back as another one")
	}
	err := modeltest.Spec(t, "numbers: [{fields: [a_*]}]").Expand([]string{"a", "b_c"})
	if err == nil || !strings.Contains(err.Error(), "numbers[0].fields: no numeric field of the records matches a_*") {
		t.Errorf("nothing matches: %v", err)
	}
}
