package docs

import (
	"bayestream/internal/core/fold"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestMetrics compares the metrics that documents name with those that the workers export, and
// wants each of these explained in docs/operations.md.
func TestMetrics(t *testing.T) {
	exported := map[string]bool{}
	line := regexp.MustCompile(`(?m)^(bayestream_\w+) (\w+)`)
	for _, m := range line.FindAllStringSubmatch(read(t, filepath.Join(root, "internal", "shell", "httpapi", "testdata", "metrics.txt")), -1) {
		exported[m[1]] = true
	}
	if len(exported) == 0 {
		t.Fatal("no metric is exported")
	}
	name := regexp.MustCompile(`\bbayestream_[a-z_]+[a-z]`)
	for _, d := range documents(t) {
		for _, word := range name.FindAllString(d.prose, -1) {
			if !exported[word] {
				t.Errorf("%s names the metric %s, which no worker exports", d.name, word)
			}
		}
	}
	operations := one(t, "docs/operations.md")
	explained := operations.spans()
	for metric := range exported {
		if !slices.Contains(explained, metric) {
			t.Errorf("docs/operations.md does not say what %s means", metric)
		}
	}
}

// TestOutcomes looks for each outcome of the fold in protocol.md.
func TestOutcomes(t *testing.T) {
	protocol := one(t, "docs/protocol.md")
	explained := protocol.spans()
	for _, outcome := range fold.Outcomes {
		if !slices.Contains(explained, string(outcome)) {
			t.Errorf("docs/protocol.md does not say what %s means", outcome)
		}
	}
}
