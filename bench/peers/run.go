//go:build unix

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

// peer is a program that learns and labels. Its command is called with the file to learn, the file
// to label and the file for the labels. Without a command it stands for the verbs of the product.
type peer struct {
	name    string
	command []string
}

const (
	limit   = "limit"
	ours    = "bayestream"
	process = "bayestream train, predict --json"
)

// peers returns the programs to measure; tools is the folder that bench/peers.sh fills.
func peers(tools string) []peer {
	own := filepath.Join(tools, "bin", "peer")
	python := func(script, configuration string) []string {
		return []string{filepath.Join(tools, "venv", "bin", "python"), "-B", filepath.Join("bench", "peers", script),
			configuration}
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
		{"Weka", []string{"java", "-Xmx2g", "-XX:+UseSerialGC", "-cp", filepath.Join(tools, "weka") + ":" +
			filepath.Join(tools, "jars", "*"), "WekaPeer"}},
	}
}

// run is the result of one peer on one set in one round.
type run struct {
	train, classify float64 // megabytes of text in a processor second
	right           float64 // share of right labels; the limit has none
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
	_ = os.Remove(out) // of the peer before
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
	r = run{train: rate(h.learnBytes, seconds.Train), classify: rate(h.bytes(seconds.Classified), seconds.Classify),
		memory: used.memory}
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

// measureProcess runs the verbs on files and measures the whole processes.
func measureProcess(ctx context.Context, o *options, c *corpus, h *held) (r run, err error) {
	learn, test := c.paths(o.work)
	program := filepath.Join(o.tools, "bin", "bayestream")
	file := filepath.Join(o.work, "model.db")
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	train, err := o.start(ctx, program, "train", "--alpha=1", "--model", file, learn)
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
	r = run{train: rate(h.learnBytes, train.seconds), classify: rate(h.bytes(len(labels)), predict.seconds),
		memory: max(train.memory, predict.memory)}
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

// usage is the cost of a process: processor seconds and peak megabytes.
type usage struct{ seconds, memory float64 }

// output is the file to which start writes the standard output of a program.
func (o *options) output() string { return filepath.Join(o.work, "output") }

// start runs a program on one core, with one thread for linear algebra, and returns its cost.
func (o *options) start(ctx context.Context, command ...string) (u usage, err error) {
	out, err := os.Create(o.output())
	if err != nil {
		return u, err
	}
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", o.core}, command...)...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1")
	cmd.Stdout = out
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := errors.Join(cmd.Run(), out.Close()); err != nil {
		return u, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, last(stderr.String()))
	}
	rusage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return u, errors.New("the system does not report the cost of a process: want Linux")
	}
	u.seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	u.memory = float64(rusage.Maxrss) * 1024 / 1e6
	return u, nil
}

// last returns the last line of a text, which has the error of a traceback.
func last(text string) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return all[len(all)-1]
}
