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
	"regexp"
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
	until := flag.Uint64("until", 0, "run the schedules from the end of the last run up to this seed")
	all := flag.Bool("mutants", false, "run each mutant until a schedule goes wrong")
	most := flag.Uint64("most", 10000, "schedules that a mutant may pass")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return run(ctx, *until, *all, *most)
}

func run(ctx context.Context, until uint64, all bool, most uint64) error {
	module, err := os.Getwd()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(module, "go.mod")); err != nil {
		return fmt.Errorf("run it in the folder of the module: %w", err)
	}
	if all {
		return runMutants(ctx, module, most)
	}
	return runSchedules(ctx, module, until)
}

// build compiles the simulator, with an overlay if one is named. It leaves out what debuggers need: linking takes half of
// the time then.
func build(ctx context.Context, module, program, overlay string) error {
	args := []string{"test", "-c", "-ldflags", "-s -w", "-o", program}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./internal/ingest")...)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the simulator: %w\n%s", err, out)
	}
	return nil
}

var failedSeed = regexp.MustCompile(`seed (\d+)`)

// simulate runs the schedules [from, to). The seed is that of a schedule that went wrong, or says that one
// panicked; "" if all went well.
func simulate(ctx context.Context, module, program string, from, to uint64) (seed string, out []byte, err error) {
	cmd := exec.CommandContext(ctx, program, "-test.run", "^TestSimulation$", "-test.timeout", "0", "-seeds", fmt.Sprintf("%d:%d", from, to))
	cmd.Dir = filepath.Join(module, "internal", "ingest")
	out, err = cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		return "", out, ctx.Err()
	}
	found := failedSeed.FindSubmatch(out)
	if found == nil && bytes.HasPrefix(out, []byte("panic:")) {
		return "that panics", out, nil
	}
	if found == nil {
		return "", out, fmt.Errorf("the simulator failed, but no schedule: %w\n%s", err, out)
	}
	return string(found[1]), out, nil
}

// result is what became of a mutant.
type result struct {
	seed string // of the schedule that goes wrong; "": none does
	took time.Duration
	err  error
}

// runMutants says of each mutant which schedule goes wrong with it. Two are built and run at once: the linker has one
// thread, and most mutants are caught by one of the first schedules.
func runMutants(ctx context.Context, module string, most uint64) error {
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
	r.seed, _, r.err = simulate(ctx, module, program, first[m.name], first[m.name]+most)
	r.took = time.Since(start).Round(100 * time.Millisecond)
	return r
}

// runs is the file with a line for each run: the revision, the schedules, how long they took, and what went wrong.
const runs = "test/simulation/runs.tsv"

// chunk is how many schedules a run has.
const chunk = 10000

// runSchedules goes on from the end of the last run.
func runSchedules(ctx context.Context, module string, until uint64) error {
	dir, err := os.MkdirTemp("", "simulation-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "simulator")
	if err := build(ctx, module, program, ""); err != nil {
		return err
	}
	revision, err := exec.CommandContext(ctx, "git", "-C", module, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("revision: %w", err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(module, runs))
		if err != nil {
			return err
		}
		from, err := endOf(text)
		if err != nil || from >= until {
			return err
		}
		to := min(until, from+chunk)
		start := time.Now()
		seed, out, err := simulate(ctx, module, program, from, to)
		if err != nil {
			return err
		}
		if seed != "" {
			return fmt.Errorf("seed %s goes wrong\n%s", seed, out)
		}
		text = fmt.Appendf(text, "%s\t%d\t%d\t%.0f\n", bytes.TrimSpace(revision), from, to, time.Since(start).Seconds())
		if err := os.WriteFile(filepath.Join(module, runs), text, 0o600); err != nil {
			return err
		}
		fmt.Printf("%d to %d: nothing wrong, %v\n", from, to, time.Since(start).Round(time.Second))
	}
}

// endOf returns the seed after the last of a table of runs.
func endOf(text []byte) (end uint64, err error) {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines[1:] {
		var revision string
		var from, to uint64
		var seconds float64
		if _, err := fmt.Sscan(line, &revision, &from, &to, &seconds); err != nil {
			return 0, fmt.Errorf("%s, line %q: %w", runs, line, err)
		}
		if from != end {
			return 0, fmt.Errorf("%s: a run begins at seed %d, the one before ends at %d", runs, from, end)
		}
		end = to
	}
	return end, nil
}
