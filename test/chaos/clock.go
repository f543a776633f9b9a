//go:build linux

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/results"
)

// clockOffset is a file of Go's package time, for the binaries of the row clock only.
//
//go:embed testdata/clock_offset.go.txt
var clockOffset []byte

// now is the head of time.Now.
const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"

// clockVariable names, in the environment of a worker, the file with the seconds by which its clock
// is ahead.
const clockVariable = "CHAOS_CLOCK"

// clocks makes the clocks of the workers jump, each for itself. They are never all right.
func (s *suite) clocks(ctx context.Context, left plan) (*results.Result, error) {
	bin, err := s.buildWithClock(ctx)
	if err != nil {
		return nil, err
	}
	return s.in(ctx, "clock", kafka.Options{Nodes: 1, Heap: "512m"}, func(w *world) error {
		w.bin = bin
		return w.underClockFaults(ctx, left)
	})
}

// buildWithClock builds the binaries with a package time whose Now adds an offset to the time of
// day. What is measured between two calls of Now stays right, as it does where a machine's clock is
// set.
func (s *suite) buildWithClock(ctx context.Context) (bin string, err error) {
	overlay, err := s.clockOverlay(ctx)
	if err != nil {
		return "", err
	}
	bin = filepath.Join(s.dir, "bin-clock")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", bin, "./cmd/...")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build with another clock: %w: %s", err, out)
	}
	return bin, nil
}

// clockOverlay writes the file that tells go build what to read in place of Go's package time.
func (s *suite) clockOverlay(ctx context.Context) (file string, err error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(string(bytes.TrimSpace(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(folder, "time.go"))
	if err != nil {
		return "", err
	}
	before, after, found := bytes.Cut(source, []byte(now))
	if !found {
		return "", errors.New("package time of this version of Go has another Now: adapt the row clock")
	}
	changed := bytes.Join([][]byte{before, []byte(now), []byte("\tsec += seconds.Load()\n"), after}, nil)
	replace := map[string]string{}
	for name, content := range map[string][]byte{"time.go": changed, "clock_offset.go": clockOffset} {
		replace[filepath.Join(folder, name)] = filepath.Join(s.dir, name)
		if err := os.WriteFile(filepath.Join(s.dir, name), content, 0o600); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(s.dir, "overlay.json")
	return file, os.WriteFile(file, overlay, 0o600)
}

// clock is the file of a worker's clock.
type clock struct {
	file  string
	usual time.Duration // ahead of the broker's
}

func (c *clock) set(ahead time.Duration) error {
	return os.WriteFile(c.file, []byte(strconv.Itoa(int(ahead/time.Second))), 0o600)
}

func (w *world) underClockFaults(ctx context.Context, left plan) error {
	if err := w.hire(); err != nil {
		return err
	}
	clocks := map[*worker]*clock{}
	rng := rand.New(rand.NewPCG(w.seed, 300))
	for _, one := range w.workers {
		c := &clock{file: filepath.Join(w.dir, one.name+".clock"), usual: time.Duration(rng.IntN(3000)-1500) * time.Second}
		if err := c.set(c.usual); err != nil {
			return err
		}
		clocks[one] = c
		one.wrap = []string{"env", clockVariable + "=" + c.file}
	}
	if err := w.begin(ctx, rate); err != nil {
		return err
	}
	w.eachWorker(draw(left, atOnce, w.seed), func(one *worker, kind string, rng *rand.Rand) error {
		if alive, err := one.Running(); !alive {
			return errors.Join(fmt.Errorf("it has ended: %w", err), one.start())
		}
		return w.jump(ctx, one, clocks[one], kind, rng)
	})
	return w.finish(ctx)
}

// knowsAge asks a worker whose clock has jumped for the age of its checkpoint.
func (w *world) knowsAge(ctx context.Context, one *worker) error {
	metrics, err := one.metrics(ctx)
	if err != nil {
		return err
	}
	if age := metrics["bayestream_checkpoint_age_seconds"]; age < 0 || age > 1000 {
		return fmt.Errorf("its checkpoint is said to be %v s old", age)
	}
	return nil
}

// jumps are the kinds of faults, and by how much the clock goes ahead.
var jumps = map[string]time.Duration{
	"a minute ahead": time.Minute, "a minute back": -time.Minute, "a day ahead": 24 * time.Hour,
	"a day back":                   -24 * time.Hour,
	"held, and half an hour ahead": 30 * time.Minute,
}

// jump sets the clock, and after some seconds sets it right, which is a jump too.
func (w *world) jump(ctx context.Context, one *worker, c *clock, kind string, rng *rand.Rand) (err error) {
	ahead, ok := jumps[kind]
	if !ok {
		return fmt.Errorf("there is no fault %q", kind)
	}
	u := rng.Float64()
	if strings.HasPrefix(kind, "held") { // as a machine that sleeps
		if err := one.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		time.Sleep(time.Duration(10 * u * float64(time.Second)))
		if err := errors.Join(c.set(c.usual+ahead), one.Signal(syscall.SIGCONT)); err != nil {
			return err
		}
	} else if err := c.set(c.usual + ahead); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.set(c.usual)) }()
	time.Sleep(time.Duration((0.2 + 20*u*u*u) * float64(time.Second)))
	return w.knowsAge(ctx, one)
}
