//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bayestream/bench/probe"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/broker"
)

// figures are what was measured of a row.
type figures struct {
	idle, peak int // MiB
	killed     bool
	took       time.Duration
}

func (f *figures) above() string {
	if f.killed {
		return fmt.Sprintf("over %d, killed", f.peak-f.idle)
	}
	return strconv.Itoa(f.peak - f.idle)
}

// bench is a broker, a client of it, and a folder for the workers of a row.
type bench struct {
	row
	options
	brokers []string
	client  *stream.Client
	dir     string
}

const (
	patience = 10 * time.Minute
	tick     = 10 * time.Millisecond
)

// measure measures a row on topics of its own.
func measure(ctx context.Context, r row, o options) (f figures, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	server, err := broker.Start(broker.Options{})
	if err != nil {
		return f, err
	}
	defer server.Close()
	client, err := stream.Dial(stream.Config{Brokers: server.Addrs})
	if err != nil {
		return f, err
	}
	defer client.Close()
	dir, err := os.MkdirTemp("", "bayestream-memory-")
	if err != nil {
		return f, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &bench{row: r, options: o, brokers: server.Addrs, client: client, dir: dir}
	for topic, partitions := range map[string]int{"training": r.partitions, "documents": r.partitions,
		"labels": r.partitions, "dead": 1} {
		if err := client.CreateTopic(ctx, stream.TopicSpec{Name: topic, Partitions: partitions}); err != nil {
			return f, err
		}
	}
	if err := b.teach(ctx); err != nil {
		return f, err
	}
	if o.role == "ingest" {
		return b.burden(ctx, "training", "bayestream_learned_records_total")
	}
	return b.burden(ctx, "documents", "bayestream_decisions_total", "bayestream_dead_letters_total")
}

// teach has the model learn a document of each label.
func (b *bench) teach(ctx context.Context) error {
	spec := fmt.Sprintf("text: {field: text}\nlimits: {classes: %d}\n", max(b.labels+1, 1000)) // and that of the backlog
	if err := os.WriteFile(filepath.Join(b.dir, "spec.yaml"), []byte(spec), 0o600); err != nil {
		return err
	}
	label := func(i int) string { return fmt.Sprintf("%05d-%s", i, strings.Repeat("x", max(0, b.length-6))) }
	value := func(i int) []byte { return fmt.Appendf(nil, `{"label":%q,"text":"word%d common"}`, label(i), i) }
	if err := b.fill(ctx, "training", b.labels, value); err != nil {
		return err
	}
	w, err := b.start(ctx, "ingest")
	if err != nil {
		return err
	}
	defer w.kill()
	return w.until(ctx, b.labels, nil, "bayestream_learned_records_total")
}

// burden starts the worker, notes its memory while it is idle, and then that while it works through
// a backlog, which comes while it stands still. An ingest is idle on the model behind the backlog.
func (b *bench) burden(ctx context.Context, topic string, counters ...string) (f figures, err error) {
	w, err := b.start(ctx, b.role)
	if err != nil {
		return f, err
	}
	defer w.kill()
	if err := w.until(ctx, b.partitions, nil, "bayestream_assigned_partitions"); err != nil {
		return f, err
	}
	f.idle = w.rest()
	if err := w.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return f, err
	}
	value := func(i int) []byte {
		return fmt.Appendf(nil, `{"id":"d%d","label":"00001","text":"word%d %s"}`, i, i%b.labels, b.words(i))
	}
	if err := b.fill(ctx, topic, b.documents, value); err != nil {
		return f, err
	}
	begun := time.Now()
	if err := w.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return f, err
	}
	err = w.until(ctx, b.documents, func() bool {
		f.peak = max(f.peak, w.resident())
		f.killed = f.peak > b.most
		return f.killed
	}, counters...)
	f.took = time.Since(begun)
	if err == nil && b.role == "ingest" {
		f.idle, err = b.grown(ctx, w)
	}
	return f, err
}

// grown returns the memory of the idle worker on the model that it has learned.
func (b *bench) grown(ctx context.Context, w *process) (idle int, err error) {
	if err := w.stop(); err != nil {
		return 0, err
	}
	again, err := b.start(ctx, b.role)
	if err != nil {
		return 0, err
	}
	defer again.kill()
	if err := again.until(ctx, b.partitions, nil, "bayestream_assigned_partitions"); err != nil {
		return 0, err
	}
	return again.rest(), nil
}

// words returns the text of the i-th document.
func (b *bench) words(i int) string {
	if !b.distinct {
		return strings.Repeat("common words of a text ", b.text/23+1)[:b.text]
	}
	var text strings.Builder
	for k := 0; text.Len() < b.text; k++ {
		fmt.Fprintf(&text, "d%dw%d ", i, k)
	}
	return text.String()
}

// fill writes n records to the partitions of a topic in turn.
func (b *bench) fill(ctx context.Context, topic string, n int, value func(i int) []byte) error {
	const batch = 512 << 10 // bytes
	for partition := range min(n, b.partitions) {
		var records []stream.Record
		size := 0
		for i := partition; i < n; i += b.partitions {
			records = append(records, stream.Record{Value: value(i)})
			size += records[len(records)-1].Size()
			if size < batch && i+b.partitions < n {
				continue
			}
			if _, err := b.client.ProduceRetry(ctx, topic, partition, records); err != nil {
				return err
			}
			records = nil
			size = 0
		}
	}
	return nil
}

// process is a running worker.
type process struct {
	cmd  *exec.Cmd
	http string
}

// start starts a worker, which is this program.
func (b *bench) start(ctx context.Context, role string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, err := probe.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{
		role, "--brokers=" + strings.Join(b.brokers, ","), "--create-topics", "--model-topic=model",
		"--dead-letter-topic=dead", fmt.Sprintf("--group=%s-%d", role, time.Now().UnixNano()),
		"--session-timeout=5m", "--state=" + filepath.Join(b.dir, role+".db"), "--http=" + address,
	}
	if b.memory != "" {
		args = append(args, "--memory="+b.memory)
	}
	if role == "ingest" {
		args = append(args, "--training-topic=training", "--spec="+filepath.Join(b.dir, "spec.yaml"))
	} else {
		args = append(args, "--documents-topic=documents", "--labels-topic=labels")
	}
	w := &process{cmd: exec.CommandContext(ctx, self, args...), http: address}
	if b.verbose {
		w.cmd.Stderr = os.Stderr
	}
	return w, w.cmd.Start()
}

// rest returns the most memory of a worker that has nothing to do.
func (w *process) rest() (idle int) {
	for range 200 {
		idle = max(idle, w.resident())
		time.Sleep(tick)
	}
	return idle
}

// stop ends a worker in order.
func (w *process) stop() error {
	if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	return w.cmd.Wait()
}

func (w *process) kill() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait() // it was killed
}

// until waits until metrics of the worker, summed over their series, are n; or until stop says so,
// which is called often.
func (w *process) until(ctx context.Context, n int, stop func() bool, metrics ...string) error {
	got := make(chan int, 1)
	asking := false
	sum := 0
	for {
		if stop != nil && stop() || sum >= n {
			return nil
		}
		if !asking {
			asking = true
			go func() {
				time.Sleep(20 * tick)
				m, _ := probe.Ask(ctx, w.http) // 0 if the worker does not answer
				got <- int(m.Sum(metrics...))
			}()
		}
		select {
		case sum = <-got:
			asking = false
		case <-time.After(tick):
		case <-ctx.Done():
			return fmt.Errorf("%q: %d of %d after %s", metrics, sum, n, patience)
		}
	}
}

// resident returns the resident memory of the worker in MiB, 0 when it has ended.
func (w *process) resident() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kilobytes, _ := strconv.Atoi(fields[1]) // the kernel writes a number
			return kilobytes >> 10
		}
	}
	return 0
}
