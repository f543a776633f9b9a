//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/bench/labelled"
	"bayestream/internal/testing/filetest"
)

func TestSplit(t *testing.T) {
	var items []labelled.Item
	for i := range 10 {
		items = append(items, labelled.Item{ID: fmt.Sprint(i)})
	}
	learn, test := split(slices.Clone(items))
	if len(learn) != 8 || len(test) != 2 {
		t.Fatalf("%d to learn and %d to label, want 8 and 2", len(learn), len(test))
	}
	seen := map[string]bool{}
	for _, x := range slices.Concat(learn, test) {
		seen[x.ID] = true
	}
	if len(seen) != 10 {
		t.Errorf("%d items of 10 are left", len(seen))
	}
	if again, _ := split(slices.Clone(items)); !slices.Equal(again, learn) {
		t.Error("the same items are divided in another way")
	}
	if slices.Equal(learn, items[:8]) {
		t.Error("the items are as they were: a file that is sorted by class would be cut between classes")
	}
}

// The files of a set hold what the peers read.
func TestCutOwnNews(t *testing.T) {
	c := &corpora[0]
	folder := t.TempDir()
	if err := c.cut("", folder); err != nil {
		t.Fatal(err)
	}
	h, err := hold(c.paths(folder))
	if err != nil {
		t.Fatal(err)
	}
	if want := ownNews * (parts - learned) / parts; len(h.labels) != want || h.bytes(want) <= h.bytes(want-1) || h.learnBytes < 2*h.bytes(want) {
		t.Errorf("%d labels, %d bytes to label, %d to learn", len(h.labels), h.bytes(want), h.learnBytes)
	}
	wrong := slices.Clone(h.labels)
	wrong[0] = "?"
	for _, x := range []struct {
		labels []string
		want   float64
	}{{h.labels, 1}, {wrong, 1 - 1/float64(len(wrong))}} {
		if got, err := h.right(x.labels); err != nil || got != x.want {
			t.Errorf("right: %v, %v; want %v", got, err, x.want)
		}
	}
	if _, err := h.right(wrong[1:]); err == nil {
		t.Error("a label is missing, and it is no error")
	}
}

func TestMissing(t *testing.T) {
	folder := t.TempDir()
	both := &corpus{learn: "a.jsonl", test: "b.jsonl"}
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		path := filepath.Join(folder, name)
		if got := both.missing(folder); got != path {
			t.Errorf("missing is %q, want %q", got, path)
		}
		filetest.Write(t, path, "")
	}
	if got := both.missing(folder); got != "" {
		t.Errorf("%q is said to be missing", got)
	}
	if got := (&corpus{}).missing(folder); got != "" {
		t.Errorf("the project's own news misses %q", got)
	}
}

func TestDecided(t *testing.T) {
	got, err := decided(strings.NewReader("{\"label\":\"a\",\"margin\":1}\n{\"label\":\"b\"}\n"))
	if err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("labels %q, error %v", got, err)
	}
	if _, err := decided(strings.NewReader("{\"label\":\"a\"}\nnothing\n")); err == nil {
		t.Error("a line is no decision, and it is no error")
	}
}
