package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"bayestream/bench/timing"
	"bayestream/internal/shell/store"
)

// starts are the models that are loaded, with the goals for their time and memory: models in which
// all classes know every term, the worst case, and models as learned from texts.
var starts = []struct {
	terms   int
	cells   string
	classes func(i int) []int
	seconds float64
	memory  float64 // megabytes
}{
	{1_000_000, "4", allClasses, 0.5, 60},
	{1_000_000, "1.3", someClasses, 0.5, 60},
	{5_000_000, "4", allClasses, 2, 300},
	{5_000_000, "1.3", someClasses, 2, 300},
}

// loaded is the cost of loading a model file in a process.
type loaded struct {
	Seconds   float64 // on the wall
	Processor float64 // seconds of all threads
	Memory    float64 // growth of resident memory in megabytes, right after
	Settled   float64 // likewise, after unused memory was returned to the system
}

// measureStart starts processes that load model files.
func measureStart(ctx context.Context, w io.Writer, o *options) error {
	fmt.Fprintf(w, "### Start\n\nopen a model file of %d classes, check it and load it, in a process of its own\n\n",
		tableClasses)
	fmt.Fprintln(w, "| terms | classes that know one | file MB | seconds | goal | processor "+
		"seconds | resident MB | settled | goal |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, s := range starts {
		path := filepath.Join(o.folder, fmt.Sprintf("start-%d-%s.db", s.terms, s.cells))
		if err := writeModel(path, s.terms, s.classes); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		var seconds, processor, memory, settled []float64
		for range o.rounds {
			l, err := loadElsewhere(ctx, path)
			if err != nil {
				return err
			}
			seconds = append(seconds, l.Seconds)
			processor = append(processor, l.Processor)
			memory = append(memory, l.Memory)
			settled = append(settled, l.Settled)
		}
		fmt.Fprintf(w, "| %d | %s | %.0f | %.2f | %.1f | %.2f | %.0f | %.0f | %.0f |\n", s.terms, s.cells,
			float64(info.Size())/1e6,
			timing.Median(seconds), s.seconds, timing.Median(processor), timing.Median(memory), timing.Median(settled), s.memory)
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return nil
}

// writeModel writes a model file.
func writeModel(path string, terms int, classes func(i int) []int) error {
	l, err := newLearner()
	if err != nil {
		return err
	}
	if err := l.fill(terms, classes); err != nil {
		return err
	}
	s, err := store.Open(path, time.Second)
	if err != nil {
		return err
	}
	if err := s.Write(store.Collect(l.state)); err != nil {
		return err
	}
	return s.Close()
}

// loadElsewhere loads a file in a new process of this program.
func loadElsewhere(ctx context.Context, path string) (l loaded, err error) {
	self, err := os.Executable()
	if err != nil {
		return l, err
	}
	cmd := exec.CommandContext(ctx, self, "-load", path)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return l, fmt.Errorf("load %s: %w", path, err)
	}
	return l, json.Unmarshal(out, &l)
}

// load loads a model file as a worker does when it starts, and writes the cost as JSON.
func load(w io.Writer, path string) error {
	debug.FreeOSMemory()
	before, err := resident()
	if err != nil {
		return err
	}
	start := time.Now()
	var l loaded
	var s *store.Store
	var state any
	l.Processor, err = processor(func() (err error) {
		s, err = store.Open(path, time.Second)
		if err != nil {
			return err
		}
		state, err = s.Load()
		return err
	})
	if err != nil {
		return err
	}
	l.Seconds = time.Since(start).Seconds()
	after, err := resident()
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	settled, err := resident()
	if err != nil {
		return err
	}
	runtime.KeepAlive(state)
	l.Memory = after - before
	l.Settled = settled - before
	if err := json.NewEncoder(w).Encode(l); err != nil {
		return err
	}
	return s.Close()
}

// resident returns the resident memory of the process in megabytes, without that of mapped files.
func resident() (float64, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	return anonymous(string(b))
}
