//go:build largesets

package modelfile_test

import (
	"testing"

	"bayestream/internal/testing/modeltest"
)

func init() {
	corpora = append(corpora, large("ag", "ag_news.test.jsonl.gz"), large("reuters", "reuters21578_modapte_single.train.jsonl.gz"))
}

func large(name, file string) corpus {
	return corpus{name, func(b *testing.B) []item { return readItems(b, modeltest.LargeData(b, file)) }}
}
