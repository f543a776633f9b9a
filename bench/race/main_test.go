package main

import (
	"regexp"
	"strings"
	"testing"

	"bayestream/bench/labelled"
)

// TestRun measures a small set on all verbs.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, &options{rounds: 1, documents: 1, news: 500, only: "news"}); err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`\n\| the project's own news \| 500 \| 2 \| \d+\.\d\d \| \d+\.\d\d \| \d+\.\d\d \|\n$`)
	if !row.MatchString(out.String()) {
		t.Errorf("it printed\n%s", out.String())
	}
}

// A small set begins again, with other ids.
func TestPrepare(t *testing.T) {
	records, classes := prepare([]labelled.Item{{Label: "a", Text: "x"}, {Label: "b", Text: "y"}}, 3)
	want := `{"id":"document-0","label":"a","text":"x"} {"id":"document-1","label":"b","text":"y"} {"id":"document-2","label":"a","text":"x"}`
	if got := strings.Join(records, " "); got != want || classes != 2 {
		t.Errorf("records %s of %d classes, want %s of 2", got, classes, want)
	}
}
