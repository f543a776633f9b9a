//go:build unix

// Command peers measures Bayestream beside other text classifiers on the same texts, on one core.
// bench/peers.sh installs the peers and calls it.
//
// Each peer learns one set and labels another in a separate process; all peers run in turn, round
// by round. The figures are the processor seconds of all threads from texts in memory to counts or
// labels.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"bayestream/bench/program"
)

// options are the flags.
type options struct {
	tools, work, data string
	core              string
	rounds            int
	sets, only        string
	cut               string
}

func main() {
	var o options
	flag.StringVar(&o.tools, "tools", "", "folder of the installed peers")
	flag.StringVar(&o.work, "work", "", "folder for the sets and the output of the peers")
	flag.StringVar(&o.data, "data", "", "folder of the real sets")
	flag.StringVar(&o.core, "core", "1", "core to run on, as an argument of taskset")
	flag.IntVar(&o.rounds, "rounds", 5, "number of rounds; medians are printed")
	flag.StringVar(&o.sets, "sets", "news,sms,ag,reuters", "sets to measure on")
	flag.StringVar(&o.only, "only", "", "measure only peers that this regular expression matches")
	flag.StringVar(&o.cut, "cut", "", "only split this set and write its files")
	flag.Parse()
	program.Run("peers", func(ctx context.Context) error { return measureAll(ctx, os.Stdout, &o) })
}

// measureAll measures all peers on all sets and writes the tables.
func measureAll(ctx context.Context, w io.Writer, o *options) error {
	if o.cut != "" {
		i := slices.IndexFunc(corpora, func(c corpus) bool { return c.name == o.cut })
		if i < 0 {
			return fmt.Errorf("unknown set %q", o.cut)
		}
		return corpora[i].cut(o.data, o.work)
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	all := slices.DeleteFunc(peers(o.tools), func(p peer) bool {
		return p.name != limit && p.name != ours && !only.MatchString(p.name)
	})
	fmt.Fprintf(w, "%s, %s, %d cores, one of them used; medians of %d rounds\n\n", time.Now().UTC().Format(time.DateOnly),
		processorName(), runtime.NumCPU(), o.rounds)
	sets := strings.Split(o.sets, ",")
	for i := range corpora {
		c := &corpora[i]
		if !slices.Contains(sets, c.name) {
			continue
		}
		if missing := c.missing(o.data); missing != "" {
			fmt.Fprintf(w, "### %s: skipped\n\n%s does not exist: BAYESTREAM_DATA names the folder of the sets that may not "+
				"be republished\n\n", c.name, missing)
			continue
		}
		if err := o.cutElsewhere(ctx, c); err != nil {
			return err
		}
		if err := o.measureSet(ctx, w, c, all); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, notes)
	return nil
}

const notes = `MB/s are megabytes of text in a second of processor time, from texts in memory to counts or labels;
the row of the verbs counts whole processes, from files of JSON Lines. Vowpal Wabbit and fastText
read files of lower-case words: their figures include reading the file, but not splitting the text
into words, and those of Vowpal Wabbit do not include loading its model. "One by one" labels a text
at a time, as a stream does, the other rows of scikit-learn all at once. Peak MB is the memory of
the process, its language and the texts included. The limit splits ASCII into words, hashes each and
uses one row of a table, in Go, without stems, Unicode and classes.`

// cutElsewhere splits a set in a separate process, so that this one stays small: Linux counts the
// memory of the parent in the peak memory of a process that it starts.
func (o *options) cutElsewhere(ctx context.Context, c *corpus) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-cut", c.name, "-data", o.data, "-work", o.work)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cut %s: %w", c.name, err)
	}
	return nil
}

// measureSet runs all peers on a set in turn and writes the table.
func (o *options) measureSet(ctx context.Context, w io.Writer, c *corpus, all []peer) error {
	h, err := hold(c.paths(o.work))
	if err != nil {
		return err
	}
	by := map[string]runs{}
	failed := map[string]error{}
	for round := range o.rounds {
		for i := range all {
			p := &all[i]
			if failed[p.name] != nil {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s %d/%d %s\n", c.name, round+1, o.rounds, p.name)
			r, err := p.measure(ctx, o, c, h)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				failed[p.name] = err
				delete(by, p.name)
				continue
			}
			by[p.name] = append(by[p.name], r)
		}
	}
	writeTable(w, c, h, all, by)
	for _, p := range all {
		if err := failed[p.name]; err != nil {
			fmt.Fprintf(w, "%s is left out: %v\n\n", p.name, err)
		}
	}
	if failed[ours] != nil || failed[limit] != nil {
		return fmt.Errorf("%s: %w", c.name, errors.Join(failed[ours], failed[limit]))
	}
	return nil
}

// processorName returns the model name of the processor, or its architecture.
func processorName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
