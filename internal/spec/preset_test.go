package spec_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/spec"
)

// TestPresets: each preset is a spec, changes how words are counted, and leaves open how they are scored.
func TestPresets(t *testing.T) {
	var names []string
	for i := range spec.Presets {
		p := &spec.Presets[i]
		names = append(names, p.Name)
		s := p.Spec()
		if s.Text == nil || s.Text.Field != "text" || s.Format != cmp.Or(p.Format, "json") {
			t.Errorf("%s: %s", p.Name, s.YAML())
		}
		if s.Counting() == spec.Default().Counting() {
			t.Errorf("%s counts as the default does", p.Name)
		}
		for _, key := range []string{"alpha", "likelihood", "temper", "scoring"} {
			if strings.Contains(p.YAML(""), key+":") {
				t.Errorf("%s names %s", p.Name, key)
			}
		}
		other, err := spec.Parse([]byte(p.YAML("body")))
		if err != nil || other.Text.Field != "body" || other.Text.NGrams != s.Text.NGrams {
			t.Errorf("%s of another field: %v", p.Name, err)
		}
		if found, err := spec.FindPreset(p.Name); err != nil || found != p {
			t.Errorf("FindPreset(%q): %v, %v", p.Name, found, err)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("%q are not in order", names)
	}
	_, err := spec.FindPreset("tweets")
	if want := `there is no preset "tweets": want one of mail, reviews, sms, topics`; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
