//go:build linux

// Chaos breaks what Bayestream stands on (processes, brokers, topics, the network, disks, files)
// while records flow, counts the topics again by itself, and compares. It needs Java 17 and Maven
// for Kafka; docs/reliability.md says how it works.
//
//	go run ./test/chaos --for 10m                 what is still missing in the table, ten minutes of it
//	go run ./test/chaos --row processes --for 5m  one row of it
//	go run ./test/chaos --small                   ten kills and one killed leader, nothing is written down
//	go run ./test/chaos --row topics --in-process on a broker in this process; nothing is written down
//	go run ./test/chaos --table                   the table so far
//
// Each run ends with a check and adds a line to the file of results, from which the next one
// continues. The folder of a run in which something was wrong is kept below --resume.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bayestream/bench/program"
	"bayestream/test/chaos/results"
)

// suite is the command.
type suite struct {
	log       *slog.Logger
	root, bin string
	dir       string
	commit    string
	results   string
	seed      uint64
	rate      int
	until     time.Time
	small     bool
	inProcess bool
}

// plan is what a run of a row may still do, by kind of fault.
type plan map[string]int

func main() {
	program.Run("chaos", run)
}

func run(ctx context.Context) error {
	var s suite
	rows := flag.String("row", "", "rows to run, separated by commas; all that are not done if empty")
	budget := flag.Duration("for", 10*time.Minute, "begin no run after this time")
	table := flag.Bool("table", false, "print the table of the results and exit")
	flag.StringVar(&s.dir, "resume", filepath.Join(os.TempDir(), "bayestream-chaos"),
		"folder for binaries, and for runs in which something was wrong")
	flag.StringVar(&s.results, "results", filepath.Join("test", "chaos", "results", "results.jsonl"),
		"file of the results")
	flag.Uint64Var(&s.seed, "seed", 0, "added to the time as the seed of the records and faults")
	flag.IntVar(&s.rate, "rate", 0, "for the row soak: records a second in each of the two "+
		"topics, instead of half of the peak")
	flag.BoolVar(&s.small, "small", false, "ten kills of workers and one of a leader; no results are written")
	flag.BoolVar(&s.inProcess, "in-process", false, "for the rows processes and topics: a broker in this process, "+
		"without Java; no results are written")
	flag.Parse()
	if *table {
		all, err := results.Load(s.results)
		fmt.Print(results.Table(all))
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	s.until = time.Now().Add(*budget)
	if s.small {
		return s.runSmall(ctx)
	}
	return s.runRows(ctx, strings.FieldsFunc(*rows, func(r rune) bool { return r == ',' }))
}

// prepare builds the binaries.
func (s *suite) prepare(ctx context.Context) (err error) {
	s.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	if s.root, err = os.Getwd(); err != nil {
		return err
	}
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return err
	}
	s.bin = filepath.Join(s.dir, "bin")
	if err := os.MkdirAll(s.bin, 0o700); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", s.bin, "./cmd/...")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build, from the root of the module: %w: %s", err, out)
	}
	commit, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	s.commit = string(bytes.TrimSpace(commit))
	if exec.CommandContext(ctx, "git", "diff", "--quiet", "HEAD", "--", "cmd", "internal").Run() != nil {
		s.commit += " and changes"
	}
	return err
}

// rows are the runs by name of the row. Each does a part of the plan, as much as it can in some
// minutes.
func (s *suite) row(name string) func(context.Context, plan) (*results.Result, error) {
	return map[string]func(context.Context, plan) (*results.Result, error){
		"processes": s.processes, "brokers": s.brokers, "network": s.network, "topics": s.topics, "disk": s.disks,
		"file": s.files, "clock": s.clocks, "soak": s.soak,
	}[name]
}

// runRows runs what the table lacks, one row after the other, until the time is up.
func (s *suite) runRows(ctx context.Context, names []string) error {
	for _, row := range results.Rows {
		if len(names) > 0 && !slices.Contains(names, row.Name) {
			continue
		}
		for time.Now().Before(s.until) {
			all, err := results.Load(s.results)
			if err != nil {
				return err
			}
			left := missing(row, all)
			if s.inProcess {
				left = missing(row, nil)
				delete(left, "unclean election") // one broker has no other
			}
			if len(left) == 0 {
				break
			}
			if err := s.runOnce(ctx, row.Name, left); err != nil {
				return err
			}
		}
	}
	return nil
}

// missing returns what a row lacks.
func missing(row results.Row, all []results.Result) plan {
	left := plan{}
	for _, kind := range row.Kinds {
		if n := kind.Target - results.Done(all, row.Name, kind.Name); n > 0 {
			left[kind.Name] = n
		}
	}
	return left
}

// runOnce runs a row and writes down what came of it.
func (s *suite) runOnce(ctx context.Context, name string, left plan) error {
	s.log.Info("begin", "row", name, "left", left)
	result, err := s.row(name)(ctx, left)
	if ctx.Err() != nil {
		return errors.Join(err, ctx.Err()) // half a run is none
	}
	if result == nil {
		return err
	}
	if err != nil && !errors.Is(err, errImpatient) {
		return err // of Kafka or of the suite; without a check the run says nothing
	}
	if err != nil {
		result.AddWrong(err.Error())
	}
	s.log.Info("end", "row", name, "faults", result.Faults, "wrong", len(result.Wrong))
	if s.small || s.inProcess {
		if len(result.Wrong) > 0 {
			return fmt.Errorf("%s: %s", name, strings.Join(result.Wrong, "\n"))
		}
		return nil
	}
	return result.Append(s.results)
}

// runSmall is the part for every change.
func (s *suite) runSmall(ctx context.Context) error {
	if err := s.runOnce(ctx, "processes", plan{"SIGKILL": 10}); err != nil {
		return err
	}
	return s.runOnce(ctx, "brokers", plan{"leader killed": 1})
}
