package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/reliability.md again")

const (
	document = "../../docs/reliability.md"
	begin    = "<!-- schedules: written by go test ./test/simulation -update -->\n"
	end      = "<!-- end of schedules -->"
)

// TestTable compares what docs/reliability.md says of the runs with the files that they have written.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("runs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	schedules, err := endOf(text)
	if err != nil {
		t.Fatal(err)
	}
	events, err := readEvents("events.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if err := missing(events, schedules); err != nil {
		t.Error(err)
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
	want := fmt.Sprintf("%d schedules were run, none went wrong, and this happened in them:\n\n%s", schedules, table(events, schedules))
	if *update {
		if err := os.WriteFile(document, []byte(before+begin+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("%s does not say what the runs have seen: go test ./test/simulation -update", document)
	}
}

// TestMissing: an event that did not happen in many schedules is named, in a few it may be chance.
func TestMissing(t *testing.T) {
	events := map[string]int{}
	for _, g := range groups {
		for _, name := range g.events {
			events[name] = 1
		}
	}
	if err := missing(events, few); err != nil {
		t.Error(err)
	}
	delete(events, "rollbacks")
	if err := missing(events, few); err == nil || !strings.HasSuffix(err.Error(), ": rollbacks") {
		t.Errorf("the error is %v, want one that names rollbacks", err)
	}
	if err := missing(events, few-1); err != nil {
		t.Error(err)
	}
}

// TestEventsIn reads what the simulator writes.
func TestEventsIn(t *testing.T) {
	events, err := eventsIn([]byte("=== RUN\n    simulation_test.go:88: 300 schedules in 80.1 s: appends twice 240, requests lost: id 65\n--- PASS\n"))
	if err != nil || len(events) != 2 || events["appends twice"] != 240 || events["requests lost: id"] != 65 {
		t.Errorf("%v, %v", events, err)
	}
	for _, bad := range []string{"PASS\n", "3 schedules in 1.0 s: crashes many\n"} {
		if _, err := eventsIn([]byte(bad)); err == nil {
			t.Errorf("%q is understood", bad)
		}
	}
}
