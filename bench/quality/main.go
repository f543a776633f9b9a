// Command quality measures the decisions of Bayestream beside those of other text classifiers on
// the same splits. bench/quality.sh compare installs the others and calls it.
//
// Every classifier learns the same documents and decides the same others, one process after the
// other. Each writes the log posteriors of each document, and one program scores all of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"bayestream/bench/program"
)

// options are the flags.
type options struct {
	tools, work, data string
	seeds             int
	sets, only        string
	byHalf, small     bool
	out               *os.File
}

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.tools, "tools", "", "folder of the installed classifiers")
	flag.StringVar(&o.work, "work", "", "folder for splits and scores")
	flag.StringVar(&o.data, "data", "", "folder of the sets that may not be republished")
	flag.IntVar(&o.seeds, "seeds", 10, "number of random splits")
	flag.StringVar(&o.sets, "sets", strings.Join(setNames(), ","), "sets to measure on")
	flag.StringVar(&o.only, "only", "", "measure only these classifiers, by the start of their name, separated by commas")
	flag.BoolVar(&o.byHalf, "halves", false, "choose how words are counted on each half of "+
		"each set, and measure it on the other half")
	flag.BoolVar(&o.small, "small", false, "measure ways of counting with few documents to learn from, "+
		"on "+strings.Join(smallSets, ", "))
	flag.Parse()
	program.Run("quality", o.compare)
}

// compare measures all classifiers on all sets and writes the table.
func (o *options) compare(ctx context.Context) error {
	wanted := strings.Split(o.sets, ",")
	for _, name := range wanted {
		if !slices.Contains(setNames(), name) {
			return fmt.Errorf("unknown set %q: want some of %s", name, strings.Join(setNames(), ", "))
		}
	}
	measure, title := o.mode()
	fmt.Fprintf(o.out, "%s%s", time.Now().UTC().Format(time.DateOnly), title)
	for i := range sets {
		s := &sets[i]
		if !slices.Contains(wanted, s.name) {
			continue
		}
		if missing := s.missing(o.data); missing != "" {
			fmt.Fprintf(os.Stderr, "quality: %s is left out: %s does not exist; BAYESTREAM_DATA names the folder of the sets "+
				"that may not be republished\n", s.name, missing)
			continue
		}
		if err := measure(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// mode returns what is measured on each set, and what stands above its rows, after the date.
func (o *options) mode() (measure func(context.Context, *set) error, title string) {
	switch {
	case o.byHalf:
		return o.presets, "\n\n" + headOfHalves
	case o.small:
		return o.fewDocuments, fmt.Sprintf(", seeds 1 to %d\n\n%s", o.seeds, headOfSmall())
	}
	return o.measure, fmt.Sprintf(", up to %d splits of each set, seeds 1 to %d\n\n%s", o.seeds, o.seeds, head)
}

// measure measures the classifiers on a set and writes their rows. A classifier that fails is left
// out.
func (o *options) measure(ctx context.Context, s *set) error {
	all := o.classifiers(s)
	// later: without the documents before there were two classes
	rows, later := make([]row, len(all)), make([]row, len(all))
	failed := make([]error, len(all))
	for seed := 1; seed <= s.splits(o.seeds); seed++ {
		d, err := s.divide(o, seed)
		if err != nil {
			return err
		}
		for i := range all {
			if failed[i] != nil {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s %d/%d %s\n", s.name, seed, s.splits(o.seeds), all[i].name)
			if err := all[i].run(ctx, d); err != nil {
				failed[i] = err
				continue
			}
			r, err := readScores(d.scores, 0)
			if err != nil {
				failed[i] = err
				continue
			}
			rows[i].add(r, all[i].noPosterior)
			if d.oneClass == 0 {
				continue
			}
			if r, failed[i] = readScores(d.scores, d.oneClass); failed[i] == nil {
				later[i].add(r, all[i].noPosterior)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	var svc *row
	if i := slices.IndexFunc(all, func(c classifier) bool { return strings.HasPrefix(c.name, linearSVC) }); i >= 0 {
		svc = &rows[i]
	}
	for i := range all {
		if failed[i] != nil {
			fmt.Fprintf(os.Stderr, "%s: %s is left out: %v\n", s.name, all[i].name, failed[i])
			continue
		}
		rows[i].write(o.out, s.title, all[i].name, svc)
		if len(later[i].accuracy) > 0 {
			later[i].write(o.out, "the same, once both classes are known", all[i].name, nil)
		}
	}
	return nil
}
