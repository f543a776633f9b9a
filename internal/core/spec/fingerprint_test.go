package spec_test

import (
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
	"testing"
)

// The fingerprints of a spec are what ties a program to the models that were counted with it: a
// change here makes every model in the world foreign, and needs a new major version.
func TestFingerprintsDoNotDrift(t *testing.T) {
	for _, c := range []struct{ spec, counting, scoring string }{
		{"", "567a32bbe155826d", "b5b7f8c053e75604"},
		{"text: {likelihood: multinomial, alpha: 1}", "567a32bbe155826d", "87dc4221dcb84b32"},
		{"numbers: [{fields: [x, y], likelihood: lda, shrinkage: oas}]\ncategories: [{field: c}]\nprior: {pseudo: {a: 1}}\ndecision: {reject: 0.1}", "9e490064903f4a0d", "b70391e1a2423898"},
	} {
		s := modeltest.Spec(t, c.spec)
		if s.Counting().String() != c.counting || s.Scoring().String() != c.scoring {
			t.Errorf("%q: got %s and %s, want %s and %s", c.spec, s.Counting(), s.Scoring(), c.counting, c.scoring)
		}
	}
}

// Empty lists are no lists, before and after the log.
func TestEmptyListsKeepTheFingerprint(t *testing.T) {
	want := spec.Default()
	for _, text := range []string{"classes: []", "text: {stop: []}", "text: {chars: []}", "numbers: []", "categories: []"} {
		s := modeltest.Spec(t, text)
		if s.Counting() != want.Counting() {
			t.Errorf("%s counts differently: %s", text, s.CountingDifference(want))
		}
		if again := modeltest.Spec(t, string(s.YAML())); again.Counting() != s.Counting() || again.Scoring() != s.Scoring() {
			t.Errorf("%s reads back with other fingerprints", text)
		}
	}
}

// What makes the same terms has one fingerprint, however it is written.
func TestSameTermsHaveOneFingerprint(t *testing.T) {
	for _, c := range [][2]string{
		{"text: {shortest: 1}", "text: {}"},
		{"text: {chars: [0, 0]}", "text: {}"},
		{"text: {stop: [the, a, the]}", "text: {stop: [a, the]}"},
		{"text: {stop: [default, default]}", "text: {stop: [default, the]}"},
		{"text: {chars: [3, 5], stem: true}", "text: {chars: [3, 5], stem: false}"},
		{"text: {language: none, stem: true}", "text: {language: none, stem: false}"},
	} {
		a := modeltest.Spec(t, c[0])
		b := modeltest.Spec(t, c[1])
		if a.Counting() != b.Counting() || a.Scoring() != b.Scoring() {
			t.Errorf("%s and %s count alike and have other fingerprints: %s", c[0], c[1], a.CountingDifference(b))
		}
		if again := modeltest.Spec(t, string(a.YAML())); again.Counting() != a.Counting() || string(again.YAML()) != string(a.YAML()) {
			t.Errorf("%s reads back as another spec:\n%s", c[0], again.YAML())
		}
	}
}
