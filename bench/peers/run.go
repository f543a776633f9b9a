package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A peer is a program that learns and labels. Its command is called with the files to learn and to label
// and the file for its labels; one without a command is the product itself, as users start it.
type peer struct {
	name    string
	command []string
}

const (
	limit   = "limit"
	ours    = "bayestream"
	process = "bayestream train, predict --json"
)

// peers returns what is measured; tools is the folder that bench/peers.sh fills.
func peers(tools string) []peer {
	own := filepath.Join(tools, "bin", "peer")
	python := func(script, configuration string) []string {
		return []string{filepath.Join(tools, "venv", "bin", "python"), "-B", filepath.Join("bench", "peers", script), configuration}
	}
	return []peer{
		{limit, []string{own, "-limit"}},
		{ours, []string{own}},
		{"bayestream, with evidence", []string{own, "-evidence", "10"}},
		{process, nil},
		{"scikit-learn, counted words", python("sklearn_peer.py", "count")},
		{"scikit-learn, hashed words", python("sklearn_peer.py", "hash")},
		{"scikit-learn, hashed, one by one", python("sklearn_peer.py", "hash-single")},
		{"River", python("river_peer.py", "")},
		{"Vowpal Wabbit", python("vw_peer.py", "")},
		{"fastText, 5 passes", python("fasttext_peer.py", "")},
		{"Weka", []string{"java", "-Xmx2g", "-XX:+UseSerialGC", "-cp", filepath.Join(tools, "weka") + ":" + filepath.Join(tools, "jars", "*"), "WekaPeer"}},
	}
}

// A run is one peer on one set, once.
type run struct {
	train, classify float64 // megabytes of text in a processor second
	right           float64 // share of labels; of the limit none
	memory          float64 // megabytes at the peak
}

// patience is how long one run may take.
const patience = 10 * time.Minute

// measure runs a peer on a set.
func (p *peer) measure(ctx context.Context, o *options, c *corpus, h *held) (r run, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if p.name == process {
		return measureProcess(ctx, o, c, h)
	}
	learn, test := c.paths(o.work)
	out := filepath.Join(o.work, "labels")
	_ = os.Remove(out) // of the one before
	used, err := o.start(ctx, append(p.command[:len(p.command):len(p.command)], learn, test, out)...)
	if err != nil {
		return r, err
	}
	answer, err := os.ReadFile(o.output())
	if err != nil {
		return r, err
	}
	var seconds struct {
		Train, Classify float64
		Classified      int
	}
	if err := json.Unmarshal(answer, &seconds); err != nil || seconds.Train <= 0 || seconds.Classify <= 0 {
		return r, fmt.Errorf("%s answers %q, want seconds", p.name, answer)
	}
	r = run{train: rate(h.learnBytes, seconds.Train), classify: rate(h.bytes(seconds.Classified), seconds.Classify), memory: used.memory}
	if p.name == limit {
		return r, nil
	}
	labels, err := lines(out)
	if err != nil {
		return r, err
	}
	r.right, err = h.right(labels)
	return r, err
}

// measureProcess runs the verbs on files: everything counts, from the start of the process to its end.
func measureProcess(ctx context.Context, o *options, c *corpus, h *held) (r run, err error) {
	learn, test := c.paths(o.work)
	program, file := filepath.Join(o.tools, "bin", "bayestream"), filepath.Join(o.work, "model.db")
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	train, err := o.start(ctx, program, "train", "--model", file, learn)
	if err != nil {
		return r, err
	}
	predict, err := o.start(ctx, program, "predict", "--json", "--model", file, test)
	if err != nil {
		return r, err
	}
	f, err := os.Open(o.output())
	if err != nil {
		return r, err
	}
	defer func() { _ = f.Close() }()
	labels, err := decided(f)
	if err != nil {
		return r, err
	}
	r = run{train: rate(h.learnBytes, train.seconds), classify: rate(h.bytes(len(labels)), predict.seconds), memory: max(train.memory, predict.memory)}
	r.right, err = h.right(labels)
	return r, err
}

// decided returns the labels of decisions, one a line.
func decided(decisions io.Reader) (labels []string, err error) {
	lines := bufio.NewScanner(decisions)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var d struct{ Label string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return nil, fmt.Errorf("decision %d: %w", len(labels), err)
		}
		labels = append(labels, d.Label)
	}
	return labels, lines.Err()
}

// rate returns megabytes a second.
func rate(bytes int, seconds float64) float64 { return float64(bytes) / 1e6 / seconds }

type usage struct{ seconds, memory float64 }

// output is where start leaves what a program writes to its standard output.
func (o *options) output() string { return filepath.Join(o.work, "output") }

// start runs a program on one core, with one thread for its arithmetic, and returns what it used.
func (o *options) start(ctx context.Context, command ...string) (u usage, err error) {
	out, err := os.Create(o.output())
	if err != nil {
		return u, err
	}
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", o.core}, command...)...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &stderr
	if err := errors.Join(cmd.Run(), out.Close()); err != nil {
		return u, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, last(stderr.String()))
	}
	rusage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return u, errors.New("the system does not say what a process used: Linux does")
	}
	u.seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	u.memory = float64(rusage.Maxrss) * 1024 / 1e6
	return u, nil
}

// last returns the last line of a text, which is where a traceback says what was wrong.
func last(text string) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return all[len(all)-1]
}
