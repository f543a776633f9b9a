package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// outcome is what became of schedules.
type outcome struct {
	seed   string         // of one that went wrong, or says that one panicked; "": none did
	output []byte         // then, of the simulator
	events map[string]int // what happened in them, and how often
}

var (
	failedSeed = regexp.MustCompile(`seed (\d+)`)
	summary    = regexp.MustCompile(`(?m)\d+ schedules in [\d.]+ s: (.*)$`)
)

// simulate runs the schedules [from, to), one after the other. A process has one thread: the
// goroutines of a schedule wait for each other all the time, and waking another thread costs more
// than it gains.
func simulate(ctx context.Context, module, program string, from, to uint64) (outcome, error) {
	cmd := exec.CommandContext(ctx, program, "-test.v", "-test.run", "^TestSimulation$", "-test.timeout", "0", "-seeds",
		fmt.Sprintf("%d:%d", from, to))
	cmd.Dir = filepath.Join(module, simulated)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	o := outcome{output: output}
	if err == nil {
		o.events, err = eventsIn(output)
		return o, err
	}
	found := failedSeed.FindSubmatch(output)
	switch {
	case found != nil:
		o.seed = string(found[1])
	case bytes.Contains(output, []byte("panic:")):
		o.seed = fmt.Sprintf("%d to %d, which panics,", from, to-1)
	default:
		return o, fmt.Errorf("the simulator failed, but no schedule: %w\n%s", err, output)
	}
	return o, nil
}

// eventsIn reads the last line of the simulator: what happened, and how often.
func eventsIn(output []byte) (map[string]int, error) {
	found := summary.FindSubmatch(output)
	if found == nil {
		return nil, fmt.Errorf("the simulator does not say what happened:\n%s", output)
	}
	events := map[string]int{}
	for event := range strings.SplitSeq(string(found[1]), ", ") {
		at := strings.LastIndexByte(event, ' ')
		n, err := strconv.Atoi(event[at+1:])
		if err != nil {
			return nil, fmt.Errorf("the simulator says %q: %w", event, err)
		}
		events[event[:at]] = n
	}
	return events, nil
}

// block is how many schedules a process runs.
const block = 1000

// simulateAll runs the schedules [from, to) in as many processes as there are cores, until one goes
// wrong.
func simulateAll(ctx context.Context, module, program string, from, to uint64) (all outcome, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all.events = map[string]int{}
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for {
				mutex.Lock()
				begin := from
				from = min(from+block, to)
				end := from
				mutex.Unlock()
				if begin == end {
					return
				}
				o, failed := simulate(ctx, module, program, begin, end)
				mutex.Lock()
				for event, n := range o.events {
					all.events[event] += n
				}
				isFirst := all.seed == "" && err == nil
				if isFirst && (o.seed != "" || failed != nil) {
					all.seed, all.output, err = o.seed, o.output, failed
					stop()
				}
				mutex.Unlock()
				if o.seed != "" || failed != nil {
					return
				}
			}
		})
	}
	workers.Wait()
	return all, err
}

// prepared compiles the simulator, and removes it behind f.
func prepared(ctx context.Context, module string, f func(program string) error) error {
	dir, err := os.MkdirTemp("", "simulation-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "simulator")
	if err := build(ctx, module, program, ""); err != nil {
		return err
	}
	return f(program)
}

// runSeeds runs schedules, and shows what happened in them.
func runSeeds(ctx context.Context, module, seeds string) error {
	var from, to uint64
	if _, err := fmt.Sscanf(seeds, "%d:%d", &from, &to); err != nil || from >= to {
		return fmt.Errorf("-seeds %q: want FROM:TO", seeds)
	}
	return prepared(ctx, module, func(program string) error {
		events, took, err := runRange(ctx, module, program, from, to)
		if err != nil {
			return err
		}
		fmt.Print(table(events, to-from))
		fmt.Printf("%d to %d: nothing wrong, %v\n", from, to, took)
		return missing(events, to-from)
	})
}

// runRange runs the schedules [from, to). It is an error if one goes wrong.
func runRange(ctx context.Context, module, program string, from, to uint64) (events map[string]int, took time.Duration,
	err error) {
	start := time.Now()
	all, err := simulateAll(ctx, module, program, from, to)
	took = time.Since(start).Round(time.Second)
	if err == nil && all.seed != "" {
		err = fmt.Errorf("seed %s goes wrong\n%s", all.seed, all.output)
	}
	return all.events, took, err
}

// runs is the file with a line for each run: the revision, the schedules, and how long they took.
// seen is the file with what happened in all of them.
const (
	runs = "test/simulation/runs.tsv"
	seen = "test/simulation/events.tsv"
)

// chunk is how many schedules a run has.
const chunk = 10000

// runSchedules goes on from the end of the last run.
func runSchedules(ctx context.Context, module string, until uint64) error {
	revision, err := exec.CommandContext(ctx, "git", "-C", module, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("revision: %w", err)
	}
	return prepared(ctx, module, func(program string) error {
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
			events, took, err := runRange(ctx, module, program, from, to)
			if err != nil {
				return err
			}
			if err := addEvents(filepath.Join(module, seen), events); err != nil {
				return err
			}
			text = fmt.Appendf(text, "%s\t%d\t%d\t%.0f\n", bytes.TrimSpace(revision), from, to, took.Seconds())
			if err := os.WriteFile(filepath.Join(module, runs), text, 0o600); err != nil {
				return err
			}
			fmt.Printf("%d to %d: nothing wrong, %v\n", from, to, took)
		}
	})
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
