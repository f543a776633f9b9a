package main

import (
	"fmt"

	"bayestream/bench/labelled"
)

// corpus is a labelled set.
type corpus struct {
	name  string
	about string
	files []string // in the folder of the sets; "": the project's own news
}

var corpora = []corpus{
	{name: "news", about: "the project's own news", files: []string{""}},
	{name: "reuters", about: "Reuters-21578",
		files: []string{"reuters21578_modapte_single.train.jsonl.gz", "reuters21578_modapte_single.test.jsonl.gz"}},
	{name: "ag", about: "AG News", files: []string{"ag_news.test.jsonl.gz"}},
	{name: "imdb", about: "IMDb reviews", files: []string{"imdb.train.jsonl.gz"}},
}

// prepare returns training records of all items, which begin again until there are n, and how many
// classes they have.
func prepare(items []labelled.Item, n int) (records []string, classes int) {
	labels := map[string]bool{}
	for i := range max(n, len(items)) {
		x := &items[i%len(items)]
		labels[x.Label] = true
		records = append(records, string(labelled.AppendTraining(nil, fmt.Sprintf("document-%d", i), x.Label, x.Text)))
	}
	return records, len(labels)
}
