// Package labelled reads the labelled sets of the benchmarks.
package labelled

import (
	"bayestream/internal/tools/demo/news"
	"os"
	"path/filepath"
)

// published is the folder, from the root of the project, of the sets that are part of it.
const published = "testdata/data"

// Find returns the path of a file of a set: a published one, or one in the folder data.
func Find(data, name string) string {
	path := filepath.Join(published, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	return filepath.Join(data, name)
}

// Missing returns the path of the first of some files that does not exist, "" if all do. An empty
// name is none.
func Missing(data string, names ...string) string {
	for _, name := range names {
		path := Find(data, name)
		if _, err := os.Stat(path); name != "" && err != nil {
			return path
		}
	}
	return ""
}

// Read returns the labelled texts of a file of JSON Lines, compressed or not.
func Read(path string) (items []Item, err error) {
	err = Each(path, func(x *Item) { items = append(items, *x) })
	return items, err
}

// Set returns the texts of files of a set. The name "" is so many of the project's own stories.
func Set(data string, stories int, names ...string) (items []Item, err error) {
	for _, name := range names {
		if name == "" {
			for g := news.New(1); len(items) < stories; {
				x := g.Next()
				items = append(items, Item{ID: x.ID, Label: x.Label, Text: x.Text})
			}
			continue
		}
		more, err := Read(Find(data, name))
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	return items, nil
}
