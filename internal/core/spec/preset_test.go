package spec_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"bayestream/internal/core/spec"
)

// TestPresets: each preset is a spec, changes how words are counted, and leaves open how they are
// scored, but for mails.
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
		if candidates := len(s.Race.Candidates); candidates > 1 != (p.Name != "mail") {
			t.Errorf("%s: %d candidates race", p.Name, candidates)
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
	mail := spec.Presets[1].Spec()
	if want := map[string]map[string]float64{"ham": {"spam": 19}}; !maps.EqualFunc(mail.Decision.Loss, want, maps.Equal[map[string]float64]) {
		t.Errorf("the losses of mail are %v, want %v", mail.Decision.Loss, want)
	}
	if by := mail.Race.Candidates[0].String(); by != "multinomial/0.05/corrections/0.8" || !slices.Equal(mail.Expected(), []string{"ham", "spam"}) || mail.RacedBy() != spec.ByLoss {
		t.Errorf("mail is scored by %s, led by %s, and expects %v", by, mail.RacedBy(), mail.Expected())
	}
	_, err := spec.FindPreset("tweets")
	if want := `there is no preset "tweets": want one of comments, mail, reviews, sms, topics`; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
