package results

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Row is what the suite runs of one kind.
type Row struct {
	Name  string // as in a Result
	Title string
	Kinds []Kind
}

// Kind is a kind of fault.
type Kind struct {
	Name   string
	Target int // how many are wanted
}

// Rows are all rows of the suite.
var Rows = []Row{
	{"processes", "Processes end: one broker, two ingest, two classify",
		[]Kind{{"SIGKILL", 80}, {"SIGSTOP 5 to 60 s", 60}, {"SIGTERM", 60}}},
	{"brokers", "Brokers end: three of them", []Kind{{"leader killed", 20}, {"rolling restart", 5}, {"all killed", 3}}},
	{"topics", "Topics change below the workers", []Kind{
		{"model created again", 5}, {"model deleted", 5}, {"training created again, shorter", 5},
		{"training created again, longer", 5},
		{"documents created again, shorter", 5}, {"documents created again, longer", 5}, {"labels created again", 5},
		{"unclean election", 5},
		{"retention past the reader", 5}, {"head of the log cut", 5},
	}},
	{"network", "The network is bad, for each worker by itself", []Kind{
		{"acknowledgements dropped", 50}, {"30 s delay", 50}, {"half open", 50}, {"cut in mid-frame", 50},
		{"requests dropped", 50}, {"both directions stalled", 50},
	}},
	{"clock", "The clock of a worker jumps", []Kind{
		{"a minute ahead", 20}, {"a minute back", 20}, {"a day ahead", 20}, {"a day back", 20},
		{"held, and half an hour ahead", 20},
	}},
	{"disk", "The disk is bad", []Kind{{"disk full", 6}, {"file size limit", 6}, {"failing fsync", 6}, {"read-only", 6}}},
	{"file", "The model file is damaged", []Kind{{"bit flipped", 1000}, {"sector zeroed", 1000}, {"cut at a page", 200}}},
	{"soak", "An hour under load, with a rebalance every five minutes", []Kind{{"minute", 60}, {"rebalance", 12}}},
}

// Done returns how many faults of a kind were injected, in all runs.
func Done(all []Result, row, kind string) (n int) {
	for i := range all {
		if all[i].Row == row {
			n += all[i].Faults[kind]
		}
	}
	return n
}

// Table returns the table of test/RESULTS.md.
func Table(all []Result) string {
	var b strings.Builder
	b.WriteString("| fault | injected | seen |\n|---|---|---|\n")
	for _, row := range Rows {
		var runs []Result
		for i := range all {
			if all[i].Row == row.Name {
				runs = append(runs, all[i])
			}
		}
		fmt.Fprintf(&b, "| **%s** (`%s`) | %s%s | %s |\n", row.Title, row.Name, period(runs), wrong(runs), seen(runs))
		addKinds(&b, row, all, runs)
	}
	return b.String()
}

// addKinds writes what each kind of a row took. The kinds without times are in one line.
func addKinds(b *strings.Builder, row Row, all, runs []Result) {
	var names, counts []string
	for _, kind := range row.Kinds {
		done := injected(Done(all, row.Name, kind.Name), kind.Target)
		if times := took(runs, kind.Name); times != "" {
			fmt.Fprintf(b, "| %s | %s | %s |\n", kind.Name, done, times)
			continue
		}
		names = append(names, kind.Name)
		counts = append(counts, done)
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "| %s | %s | |\n", strings.Join(names, "; "), strings.Join(counts, "; "))
	}
}

// injected says how often a fault was injected, and how often it is to be if that is more.
func injected(done, target int) string {
	if done < target {
		return fmt.Sprintf("%d of %d", done, target)
	}
	return strconv.Itoa(done)
}

func period(runs []Result) string {
	if len(runs) == 0 {
		return "not run yet"
	}
	minutes := 0
	for i := range runs {
		minutes += runs[i].Seconds
	}
	return fmt.Sprintf("%d %s, %d min", len(runs), plural(len(runs), "run"), (minutes+30)/60)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// seen sums up what the runs did.
func seen(runs []Result) string {
	var sum Result
	outcomes, most := map[string]int{}, map[string]int{}
	for i := range runs {
		r := &runs[i]
		sum.Training += r.Training
		sum.Decisions += r.Decisions
		sum.DecisionsTwice += r.DecisionsTwice
		sum.DeadLetters += r.DeadLetters
		sum.DeadLettersTwice += r.DeadLettersTwice
		for what, n := range r.Outcomes {
			outcomes[what] += n
		}
		for what, n := range r.Most {
			most[what] = max(most[what], n)
		}
	}
	var parts []string
	if sum.Training > 0 { // the oldest runs of the row topics did not keep how many
		parts = append(parts, fmt.Sprintf("%d training records", sum.Training))
	}
	if sum.Decisions > 0 {
		parts = append(parts, fmt.Sprintf("%d decisions, %d twice", sum.Decisions, sum.DecisionsTwice))
	}
	if sum.DeadLetters > 0 {
		parts = append(parts, fmt.Sprintf("%d dead letters, %d twice", sum.DeadLetters, sum.DeadLettersTwice))
	}
	maps.Copy(outcomes, most)
	for _, what := range slices.Sorted(maps.Keys(outcomes)) {
		parts = append(parts, fmt.Sprintf("%s: %d", what, outcomes[what]))
	}
	return strings.Join(parts, "; ")
}

func wrong(runs []Result) string {
	n, last := 0, ""
	for i := range runs {
		if len(runs[i].Wrong) > 0 {
			n++
			last = runs[i].At.Format("2006-01-02 15:04")
		}
	}
	switch {
	case len(runs) == 0:
		return ""
	case n == 0:
		return ", 0 wrong"
	}
	return fmt.Sprintf(", %d wrong, the last %s: see below", n, last)
}

// busy is the load average beyond which a time says more about the machine. On two cores three
// brokers that start bring 15 by themselves.
const busy = 20

// took returns the median and the largest of the times of a kind, and apart from these those on a
// busy machine.
func took(runs []Result, kind string) string {
	var calm, slow []float64
	for i := range runs {
		if runs[i].Load > busy {
			slow = append(slow, runs[i].Took[kind]...)
		} else {
			calm = append(calm, runs[i].Took[kind]...)
		}
	}
	var parts []string
	if len(calm) > 0 {
		parts = append(parts, spread(calm))
	}
	if len(slow) > 0 {
		parts = append(parts, "busy: "+spread(slow))
	}
	return strings.Join(parts, "; ")
}

// spread sorts times and names the one in the middle and the largest.
func spread(seconds []float64) string {
	slices.SortFunc(seconds, cmp.Compare)
	return fmt.Sprintf("%.1f, %.1f s", seconds[len(seconds)/2], seconds[len(seconds)-1])
}
