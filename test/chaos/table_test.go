package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"bayestream/test/chaos/results"
)

var update = flag.Bool("update", false, "write the table of docs/reliability.md again")

const (
	document = "../../docs/reliability.md"
	begin    = "<!-- results: written by go test ./test/chaos -update -->\n"
	end      = "<!-- end of results -->"
)

// TestTable compares the table of docs/reliability.md with the results that are kept.
func TestTable(t *testing.T) {
	all, err := results.Load("results/results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(b), begin)
	got, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", document)
	}
	want := results.Table(all)
	if *update {
		if err := os.WriteFile(document, []byte(before+begin+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("%s is not that of the results: go test ./test/chaos -update", document)
	}
}

// TestRows: every row of the table can be run, and every result belongs to one.
func TestRows(t *testing.T) {
	var s suite
	for _, row := range results.Rows {
		if s.row(row.Name) == nil {
			t.Errorf("the row %s cannot be run", row.Name)
		}
	}
	all, err := results.Load("results/results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		for kind := range all[i].Faults {
			if !known(all[i].Row, kind) {
				t.Errorf("no row has the fault %q of %s", kind, all[i].Row)
			}
		}
	}
}

func known(row, kind string) bool {
	for _, r := range results.Rows {
		for _, k := range r.Kinds {
			if r.Name == row && k.Name == kind {
				return true
			}
		}
	}
	return false
}
