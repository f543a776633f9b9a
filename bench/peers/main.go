// Command peers measures Bayestream beside other text classifiers on the same texts, on one core.
// bench/peers.sh installs the peers and calls it.
//
// Each peer learns a set and labels another one in a process of its own; all run in turn, round by round.
// What counts are the processor seconds from texts in memory to counts or labels, of all threads.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
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
	flag.StringVar(&o.work, "work", "", "folder for the sets and what the peers write")
	flag.StringVar(&o.data, "data", "", "folder of the real sets")
	flag.StringVar(&o.core, "core", "1", "core that everything runs on, as taskset wants it")
	flag.IntVar(&o.rounds, "rounds", 5, "times that all peers run, in turn; medians are printed")
	flag.StringVar(&o.sets, "sets", "news,sms,ag,reuters", "sets to measure on")
	flag.StringVar(&o.only, "only", "", "measure only peers that this regular expression matches")
	flag.StringVar(&o.cut, "cut", "", "only cut this set")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := measureAll(ctx, os.Stdout, &o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func measureAll(ctx context.Context, w io.Writer, o *options) error {
	if o.cut != "" {
		i := slices.IndexFunc(corpora, func(c corpus) bool { return c.name == o.cut })
		if i < 0 {
			return fmt.Errorf("there is no set %q", o.cut)
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
	fmt.Fprintf(w, "%s, %s, %d cores, one of them used; medians of %d rounds\n\n", time.Now().UTC().Format(time.DateOnly), processorName(), runtime.NumCPU(), o.rounds)
	sets := strings.Split(o.sets, ",")
	for i := range corpora {
		c := &corpora[i]
		if !slices.Contains(sets, c.name) {
			continue
		}
		if missing := c.missing(o.data); missing != "" {
			fmt.Fprintf(w, "### %s: skipped\n\n%s does not exist: BAYESTREAM_DATA names the folder of the sets that may not be republished\n\n", c.name, missing)
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

const notes = `MB/s are megabytes of text in a second of processor time, from texts in memory to counts or labels; the row of the verbs counts
whole processes, from files of JSON Lines. Vowpal Wabbit and fastText get files of words in lower case: cutting the text is not
counted for them, reading the file is; what Vowpal Wabbit takes to load its model is taken off. "One by one" labels a text at a
time, as a stream comes, the other rows of scikit-learn all at once. Peak MB is that of the process, with its language and the
texts. The limit cuts ASCII into words, hashes each and uses one row of a table, in Go; it knows no stems, no Unicode and no classes.`

// cutElsewhere cuts a set in a process of its own. A process that is started is taken to have had the memory
// of who started it, so this one stays small.
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
	by, failed := map[string]runs{}, map[string]error{}
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

// processorName returns what the processor calls itself.
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
