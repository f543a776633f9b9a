package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if err := simulation(); err != nil {
		fmt.Fprintln(os.Stderr, "simulation:", err)
		os.Exit(1)
	}
}

// simulation does what the flags say.
func simulation() error {
	until := flag.Uint64("until", 0, "run the schedules from the end of the last run up to "+
		"this seed, and write the run down")
	seeds := flag.String("seeds", "", "run the schedules FROM:TO, and write nothing down")
	all := flag.Bool("mutants", false, "run each mutant until a schedule goes wrong")
	most := flag.Uint64("most", usualMost, "schedules that a mutant may pass")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	module, err := os.Getwd()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(module, "go.mod")); err != nil {
		return fmt.Errorf("run it in the folder of the module: %w", err)
	}
	switch {
	case *all:
		return runMutants(ctx, module, *most)
	case *seeds != "":
		return runSeeds(ctx, module, *seeds)
	}
	return runSchedules(ctx, module, *until)
}

// simulated is the folder of the package that the simulator tests.
const simulated = "internal/shell/ingest"

// build compiles the simulator, with an overlay if one is named. It leaves out what debuggers need:
// linking takes half of the time then.
func build(ctx context.Context, module, program, overlay string) error {
	args := []string{"test", "-c", "-vet=off", "-ldflags", "-s -w", "-o", program}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+simulated)...)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the simulator: %w\n%s", err, out)
	}
	return nil
}

// result is what became of a mutant.
type result struct {
	seed string // of the schedule that goes wrong; "": none does
	took time.Duration
	err  error
}

// runMutants says of each mutant which schedule goes wrong with it. Two are built and run at once:
// the linker has one thread, and most mutants are caught by one of the first schedules.
func runMutants(ctx context.Context, module string, most uint64) error {
	results := make([]chan result, len(mutants))
	places := make(chan struct{}, 2)
	for i, m := range mutants {
		results[i] = make(chan result, 1)
		if m.isRare() && most <= usualMost {
			continue
		}
		go func() {
			places <- struct{}{}
			defer func() { <-places }()
			results[i] <- m.run(ctx, module, most)
		}()
	}
	var missed []string
	var failed error
	for i, m := range mutants {
		if m.isRare() && most <= usualMost {
			fmt.Printf("%-40s is rare: a run with -most above %d must see it\n", m.name, usualMost)
			continue
		}
		switch r := <-results[i]; {
		case r.err != nil:
			failed = errors.Join(failed, r.err)
		case r.seed == "":
			missed = append(missed, m.name)
			fmt.Printf("%-40s passes %d schedules in %v\n", m.name, most, r.took)
		default:
			fmt.Printf("%-40s caught by seed %s after %v\n", m.name, r.seed, r.took)
		}
	}
	if len(missed) > 0 {
		failed = errors.Join(failed, fmt.Errorf("the simulator does not see: %s", strings.Join(missed, ", ")))
	}
	return failed
}

// run builds the mutant and runs it.
func (m mutant) run(ctx context.Context, module string, most uint64) (r result) {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return result{err: err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := m.overlay(module, dir)
	if err != nil {
		return result{err: err}
	}
	program := filepath.Join(dir, "simulator")
	if err := build(ctx, module, program, overlay); err != nil {
		return result{err: fmt.Errorf("mutant %q: %w", m.name, err)}
	}
	start := time.Now()
	done, err := simulate(ctx, module, program, first[m.name], first[m.name]+most)
	r.seed, r.err = done.seed, err
	r.took = time.Since(start).Round(100 * time.Millisecond)
	return r
}
