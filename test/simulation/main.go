package main

import (
	"bytes"
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
	all := flag.Bool("mutants", false, "run each mutant until a schedule goes wrong, or its test fails")
	third := flag.Int("third", 0, "with -mutants: 1, 2 or 3 for a third of them; 0: all")
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
		return runMutants(ctx, module, thirdOf(mutants, *third), *most)
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
	by   string // the schedule that goes wrong, or the test that fails; "": none does
	took time.Duration
	err  error
}

// thirdOf returns the first, second or last third of the mutants; else all.
func thirdOf(all []mutant, third int) []mutant {
	if third < 1 || third > 3 {
		return all
	}
	return all[(third-1)*len(all)/3 : third*len(all)/3]
}

// runMutants says of each mutant which schedule goes wrong with it, or which test fails. Two are built and run at once:
// the linker has one thread, and most mutants are caught by one of the first schedules.
func runMutants(ctx context.Context, module string, mutants []mutant, most uint64) error {
	results := make([]chan result, len(mutants))
	places := make(chan struct{}, 2)
	for i, m := range mutants {
		results[i] = make(chan result, 1)
		go func() {
			places <- struct{}{}
			defer func() { <-places }()
			results[i] <- m.run(ctx, module, most)
		}()
	}
	var missed []string
	var failed error
	for i, m := range mutants {
		switch r := <-results[i]; {
		case r.err != nil:
			failed = errors.Join(failed, r.err)
		case r.by == "":
			missed = append(missed, m.name)
			fmt.Printf("%-40s passes %d schedules, or its test, in %v\n", m.name, most, r.took)
		default:
			fmt.Printf("%-40s caught by %s after %v\n", m.name, r.by, r.took)
		}
	}
	if len(missed) > 0 {
		failed = errors.Join(failed, fmt.Errorf("nothing sees: %s", strings.Join(missed, ", ")))
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
	start := time.Now()
	if t, is := seenBy[m.name]; is {
		r.by, r.err = t.run(ctx, module, overlay)
		r.took = time.Since(start).Round(100 * time.Millisecond)
		return r
	}
	program := filepath.Join(dir, "simulator")
	if err := build(ctx, module, program, overlay); err != nil {
		return result{err: fmt.Errorf("mutant %q: %w", m.name, err)}
	}
	start = time.Now()
	done, err := simulate(ctx, module, program, first[m.name], first[m.name]+most)
	switch {
	case done.seed != "":
		r.by = "seed " + done.seed
	case errors.As(err, new(*exec.ExitError)):
		r.by = "the end of its process"
	default:
		r.err = err
	}
	r.took = time.Since(start).Round(100 * time.Millisecond)
	return r
}

// run runs the test with an overlay, and returns its name if it fails, or its process ends otherwise.
// It is repeated: which goroutine comes first may decide. Nobody reads what rapid would look for when
// a law is broken, half a minute long.
func (t test) run(ctx context.Context, module, overlay string) (by string, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-failfast", "-count", "5", "-overlay", overlay,
		"-run", "^"+t.name+"$", "./"+t.folder, "-rapid.shrinktime=0s")
	cmd.Dir = module
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil && !bytes.Contains(out, []byte("no tests to run")):
		return "", nil
	case err != nil && bytes.Contains(out, []byte("\nFAIL\t")) && !bytes.Contains(out, []byte("[build failed]")) &&
		!bytes.Contains(out, []byte("flag provided but not defined")):
		return t.name, nil
	}
	return "", fmt.Errorf("%s in %s does not run: %w\n%s", t.name, t.folder, err, out)
}
