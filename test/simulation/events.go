package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// few is how many schedules may lack an event that seldom happens.
const few = 1000

// missing returns an error if an event of the table did not happen in many schedules: then a fault
// is not tried any more.
func missing(events map[string]int, schedules uint64) error {
	if schedules < few {
		return nil
	}
	var names []string
	for _, g := range groups {
		for _, name := range g.events {
			if events[name] == 0 {
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("in %d schedules there was none of these: %s", schedules, strings.Join(names, ", "))
	}
	return nil
}

// group is a row of the table: events of one kind.
type group struct {
	name   string
	events []string
}

var groups = []group{
	{"requests lost, or made twice", []string{
		"requests lost: append", "requests lost: answer to an append", "requests lost: append that comes late",
		"appends twice",
		"requests lost: fetch", "requests lost: id", "requests lost: offsets",
	}},
	{"processes", []string{"crashes", "pauses", "partitions given", "starts from a copy of a model file", "rebuilds",
		"checkpoints"}},
	{"topics", []string{
		"elections", "unclean elections", "model logs created again", "heads cut off", "training topics created again",
		"generations of a source", "texts deleted",
	}},
	{"controls", []string{"specs changed", "rollbacks", "forgets owed behind a rollback", "voids with recount", "renames",
		"resets"}},
	{"records produced", []string{
		"produced: document", "produced: ref", "produced: forget", "produced: relabel", "produced: forwarded",
		"produced: bad_batch", "produced: bad_id", "produced: bad_label", "produced: bad_weight", "produced: no_label",
		"produced: not_json", "produced: labelled",
	}},
	{"ledgers", []string{"left a ledger that is full", "left a window of records", "left a window by age",
		"taken out by upkeep"}},
	{"records skipped", []string{
		"skipped: ahead_of_time", "skipped: cannot_unlearn", "skipped: forwarded", "skipped: lost", "skipped: ref_denied",
		"skipped: ref_gone",
		"skipped: superseded", "skipped: too_many_classes", "skipped: unknown_id",
	}},
	{"the fold", []string{
		"folded accepted", "folded stale", "folded gap", "folded foreign", "folded invalid", "folded voided",
		"folded controlled", "folded repeated", "folded respecified",
	}},
	{"sums", []string{"sums of partitions", "sums that one partition spoilt"}},
	{"the race", []string{"leaders"}},
}

// table returns how often each event happened in 1,000 schedules, in Markdown.
func table(events map[string]int, schedules uint64) string {
	var out strings.Builder
	out.WriteString("| of | in 1,000 schedules |\n|---|---|\n")
	for _, g := range groups {
		var cells []string
		for _, name := range g.events {
			_, short, isLong := strings.Cut(name, ": ")
			if !isLong {
				short = name
			}
			cells = append(cells, fmt.Sprintf("%s: %.0f", short, 1000*float64(events[name])/float64(schedules)))
		}
		fmt.Fprintf(&out, "| %s | %s |\n", g.name, strings.Join(cells, "; "))
	}
	return out.String()
}

// readEvents reads the file with what happened in all runs.
func readEvents(path string) (map[string]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	events := map[string]int{}
	for line := range strings.Lines(string(text)) {
		name, n, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if events[name], err = strconv.Atoi(n); err != nil {
			return nil, fmt.Errorf("%s, line %q: %w", path, line, err)
		}
	}
	return events, nil
}

// addEvents adds to what happened in all runs.
func addEvents(path string, more map[string]int) error {
	events, err := readEvents(path)
	if err != nil {
		return err
	}
	for name, n := range more {
		events[name] += n
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(events)) {
		fmt.Fprintf(&out, "%s\t%d\n", name, events[name])
	}
	return os.WriteFile(path, []byte(out.String()), 0o600)
}
