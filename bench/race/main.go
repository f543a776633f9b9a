// Command race measures what the race of candidates costs: the user time of train, predict and
// ingest, each in a process of its own, by a spec that lets candidates race as a multiple of that
// by a spec that names multinomial with alpha 1. Both run in turn, and medians of the ratios are
// printed as a table in Markdown.
//
//	go run ./bench/race
//	go run ./bench/race --rounds 15 --only reuters
//
// The sets are the project's own news and, from the folder BAYESTREAM_DATA, some that may not be
// republished: those that are missing are left out. The exit code does not depend on the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"bayestream/bench/labelled"
	"bayestream/bench/program"
	"bayestream/bench/timing"
)

// options are the flags.
type options struct {
	rounds    int
	documents int
	only      string
	data      string
	news      int // stories of the project's own set
}

func main() {
	o := options{news: 20_000}
	flag.IntVar(&o.rounds, "rounds", 9, "number of pairs; medians are printed")
	flag.IntVar(&o.documents, "documents", 10_000, "least number of documents: those of a smaller set are repeated")
	flag.StringVar(&o.only, "only", "", "measure only sets with this in their names")
	flag.StringVar(&o.data, "data", os.Getenv("BAYESTREAM_DATA"), "folder of the sets that may not be republished")
	flag.Parse()
	program.Run("race", func(ctx context.Context) error { return run(ctx, os.Stdout, &o) })
}

// specs are what is compared.
var specs = [...]struct{ name, yaml string }{
	{"named", "text: {likelihood: multinomial, alpha: 1}\n"},
	{"raced", "scoring: {}\n"},
}

// run measures and prints.
func run(ctx context.Context, w io.Writer, o *options) (err error) {
	work, err := os.MkdirTemp("", "bayestream-race-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := &bench{program: filepath.Join(work, "bayestream"), work: work, rounds: o.rounds}
	build := exec.CommandContext(ctx, "go", "build", "-o", b.program, "bayestream/cmd/bayestream")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w: %s", err, out)
	}
	for _, s := range specs {
		if err := os.WriteFile(b.path(s.name+".yaml"), []byte(s.yaml), 0o600); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%s, %s, %d cores, %s; medians of %d pairs\n\n", time.Now().UTC().Format(time.DateOnly), runtime.GOARCH,
		runtime.NumCPU(), runtime.Version(), o.rounds)
	fmt.Fprintln(w, "| | documents | classes | `train` | `predict --json --evidence=10` | `ingest` "+
		"|\n|---|---|---|---|---|---|")
	for _, c := range corpora {
		if !strings.Contains(c.name, o.only) {
			continue
		}
		if err := b.measureSet(ctx, w, &c, o); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// bench is the program and where its files are.
type bench struct {
	program string
	work    string // folder
	rounds  int
}

func (b *bench) path(name string) string { return filepath.Join(b.work, name) }

// measureSet measures one set and prints its row.
func (b *bench) measureSet(ctx context.Context, w io.Writer, c *corpus, o *options) error {
	items, err := labelled.Set(o.data, o.news, c.files...)
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(os.Stderr, "left out: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	records, classes := prepare(items, o.documents)
	if err := os.WriteFile(b.path("learn.jsonl"), []byte(strings.Join(records, "\n")), 0o600); err != nil {
		return err
	}
	in, err := newTopics(ctx, b, records)
	if err != nil {
		return err
	}
	defer in.close()
	var ratios []any
	for _, cost := range []func(context.Context, string) (float64, error){b.train, b.predict, in.ingest} {
		ratio, err := b.compare(ctx, cost)
		if err != nil {
			return err
		}
		ratios = append(ratios, ratio)
	}
	fmt.Fprintf(w, "| %s | %d | %d |", c.about, len(records), classes)
	fmt.Fprintf(w, " %.2f | %.2f | %.2f |\n", ratios...)
	return nil
}

// compare returns the median of the ratios of a cost by the second spec to that by the first, in
// seconds of user time. Every other pair begins with the second.
func (b *bench) compare(ctx context.Context, cost func(ctx context.Context, spec string) (float64, error)) (float64,
	error) {
	var ratios []float64
	for round := range b.rounds {
		var seconds [len(specs)]float64
		for i := range specs {
			side := (i + round) % len(specs)
			used, err := cost(ctx, specs[side].name)
			if err != nil {
				return 0, err
			}
			seconds[side] = used
		}
		ratios = append(ratios, seconds[1]/seconds[0])
	}
	return timing.Median(ratios), nil
}

// train returns the cost of training a model on the set.
func (b *bench) train(ctx context.Context, spec string) (float64, error) {
	if err := os.Remove(b.path(spec + ".db")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	return b.spend(ctx, "train", "--model="+b.path(spec+".db"), "--spec="+b.path(spec+".yaml"), b.path("learn.jsonl"))
}

// predict returns the cost of labelling the set with the model that train left.
func (b *bench) predict(ctx context.Context, spec string) (float64, error) {
	return b.spend(ctx, "predict", "--json", "--evidence=10", "--model="+b.path(spec+".db"), b.path("learn.jsonl"))
}

// spend runs a verb and returns its user time in seconds.
func (b *bench) spend(ctx context.Context, arguments ...string) (float64, error) {
	cmd := exec.CommandContext(ctx, b.program, arguments...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", arguments[0], err, stderr.String())
	}
	return cmd.ProcessState.UserTime().Seconds(), nil
}
