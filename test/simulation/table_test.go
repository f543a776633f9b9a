package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/generated"
)

var update = flag.Bool("update", false, "write the tables of test/RESULTS.md again")

// TestTable compares what test/RESULTS.md says of the runs with the files that they have written.
func TestTable(t *testing.T) {
	text := filetest.Read(t, "runs.tsv")
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
	want := fmt.Sprintf("%d schedules were run, each that went wrong again behind its mend, and this happened in them:\n\n%s", schedules, table(events, schedules))
	generated.Part(t, "../RESULTS.md", "schedules", "go test ./test/simulation -update", want, *update)
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
