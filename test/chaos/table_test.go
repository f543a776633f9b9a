//go:build linux

package main

import (
	"flag"
	"testing"

	"bayestream/internal/testing/generated"
	"bayestream/test/chaos/results"
)

var update = flag.Bool("update", false, "write the table of test/RESULTS.md again")

// TestTable compares the table of test/RESULTS.md with the results that are kept.
func TestTable(t *testing.T) {
	all, err := results.Load("results/results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	generated.Part(t, "../RESULTS.md", "results", "go test ./test/chaos -update", results.Table(all), *update)
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
