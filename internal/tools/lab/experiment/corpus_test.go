package experiment_test

import (
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/experiment"
)

// A corpus keeps the ids of all documents, and so knows one that comes again, wherever the reader
// had them.
func TestCorpusKeepsIDs(t *testing.T) {
	s := spec.Default()
	for name, o := range map[string]dataset.Options{
		"labels of their own": {Format: dataset.JSONL, Spec: s},
		"one label for all":   {Format: dataset.JSONL, Spec: s, Label: "spam"},
	} {
		var lines strings.Builder
		var want []string
		for _, id := range strings.Fields("a1 b2 c3 a1 d4 e5 b2 f6 g7 h8 i9 j0 d4 k1") {
			lines.WriteString(`{"id":"` + id + `","label":"ham","text":"offer"}` + "\n")
			if !slices.Contains(want, id) {
				want = append(want, id)
			}
		}
		r, err := dataset.Open(o, strings.NewReader(lines.String()))
		if err != nil {
			t.Fatal(err)
		}
		bad := &dataset.OnBad{Skip: true}
		c, err := experiment.ReadCorpus(s, r, bad)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range c.Documents {
			got = append(got, c.Documents[i].ID)
		}
		if !slices.Equal(got, want) || bad.Skipped != 3 {
			t.Errorf("%s: got %q and %d skipped, want %q and 3", name, got, bad.Skipped, want)
		}
	}
}

// A label beyond limits.classes is an error of its record, as it is in training.
func TestCorpusLimitsClasses(t *testing.T) {
	s := modeltest.Spec(t, "limits: {classes: 2}")
	read := func(skip bool) (*experiment.Corpus, *dataset.OnBad, error) {
		var lines strings.Builder
		for _, label := range strings.Fields("a b c a d b") {
			lines.WriteString(`{"label":"` + label + `","text":"offer"}` + "\n")
		}
		r, err := dataset.Open(dataset.Options{Format: dataset.JSONL, Spec: s}, strings.NewReader(lines.String()))
		if err != nil {
			t.Fatal(err)
		}
		bad := &dataset.OnBad{Skip: skip}
		c, err := experiment.ReadCorpus(s, r, bad)
		return c, bad, err
	}
	if c, bad, err := read(true); err != nil || len(c.Documents) != 4 || bad.Skipped != 2 {
		t.Errorf("%v: %d documents and %d skipped, want 4 and 2", err, len(c.Documents), bad.Skipped)
	}
	if _, _, err := read(false); err == nil || !strings.Contains(err.Error(), `:3: too many classes: label "c"`) {
		t.Errorf("got %v, want an error of line 3", err)
	}
}
