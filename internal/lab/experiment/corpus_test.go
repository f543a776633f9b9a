package experiment_test

import (
	"slices"
	"strings"
	"testing"

	"bayestream/internal/lab/dataset"
	"bayestream/internal/lab/experiment"
	"bayestream/internal/spec"
)

// A corpus keeps the ids of all documents, and so knows one that comes again, wherever the reader had them.
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
