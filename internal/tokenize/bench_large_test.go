//go:build largesets

package tokenize_test

import (
	"testing"

	"bayestream/internal/testing/modeltest"
)

// BenchmarkLargeCorpora is BenchmarkCorpus on sets that may not be republished.
func BenchmarkLargeCorpora(b *testing.B) {
	for _, name := range []string{"ag_news.test", "imdb.train"} {
		benchmarkCorpus(b, name, modeltest.LargeData(b, name+".jsonl.gz"))
	}
}
