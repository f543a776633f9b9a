//go:build browser && largesets

package browser

import (
	"testing"

	"bayestream/internal/testing/modeltest"
)

// TestReportsOfLargeSets does the same with data that may not be republished.
func TestReportsOfLargeSets(t *testing.T) {
	checkRealReports(t, map[string]realReport{
		"bbc": {func(t *testing.T) []string {
			return []string{"--cv=5", "--stratify", "--ngrams=1", modeltest.LargeData(t, "bbc_news.jsonl.gz")}
		}, "roc pr reliability learning"},
		"reuters": {func(t *testing.T) []string {
			return []string{
				"--ngrams=1",
				"--train=" + modeltest.LargeData(t, "reuters21578_modapte_single.train.jsonl.gz"),
				"--test=" + modeltest.LargeData(t, "reuters21578_modapte_single.test.jsonl.gz"),
			}
		}, "roc pr reliability learning"},
	})
}
