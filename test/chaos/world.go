//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/results"
)

const partitions = 4

// sourceHeader is the header in which a decision names its document.
const sourceHeader = "bayestream-source"

// names are the topics of a world, and the prefix of its groups.
type names struct{ training, documents, labels, routed, dead, model, group string }

func newNames(prefix string) names {
	return names{prefix + "training", prefix + "documents", prefix + "labels", prefix + "routed", prefix + "dead", prefix +
		"model", prefix}
}

// world is one run: a Kafka, four workers, what is written, and what was found.
type world struct {
	log          *slog.Logger
	bin          string // the folder of the binaries
	root         string // of the module
	dir          string
	seed         uint64
	names        names
	cluster      *kafka.Cluster
	client       *kafka.Client
	workers      []*worker // two ingest, then two classify
	traffic      *traffic
	labels       *kafka.Tail
	result       *results.Result
	mu           sync.Mutex // of what is wrong
	exactly      bool       // classify says that a decision comes once
	badDocuments int64      // of those that were written at once
	kind         string     // of the change of a topic that is under way
}

// in runs a row in a world of its own.
func (s *suite) in(ctx context.Context, row string, o kafka.Options, run func(*world) error) (*results.Result, error) {
	w, err := s.open(ctx, row, o)
	if err != nil {
		return nil, err
	}
	err = run(w)
	return w.result, errors.Join(err, w.close())
}

// open makes an empty world with a cluster. Without nodes its broker is in this process.
func (s *suite) open(ctx context.Context, row string, o kafka.Options) (*world, error) {
	if o.Nodes == 0 || s.inProcess && o.Nodes == 1 && o.Props == nil {
		cluster, err := kafka.StartFake()
		if err != nil {
			return nil, err
		}
		return s.openOn(ctx, row, cluster)
	}
	dir, err := os.MkdirTemp(s.dir, row+"-kafka-")
	if err != nil {
		return nil, err
	}
	o.Dir = dir
	cluster, err := kafka.Start(ctx, s.root, o)
	if err != nil {
		return nil, err
	}
	return s.openOn(ctx, row, cluster)
}

// openOn makes an empty world with a cluster that is up, which it closes in the end.
func (s *suite) openOn(ctx context.Context, row string, cluster *kafka.Cluster) (*world, error) {
	seed := s.seed + uint64(time.Now().UnixNano())
	w := &world{log: s.log.With("row", row), bin: s.bin, root: s.root, seed: seed, names: newNames(""), cluster: cluster,
		result: results.New(row, s.commit, seed)}
	var err error
	if w.dir, err = os.MkdirTemp(s.dir, row+"-"); err != nil {
		return nil, errors.Join(err, cluster.Close())
	}
	if w.client, err = kafka.Dial(w.cluster.Addresses); err != nil {
		return nil, errors.Join(err, w.cluster.Close())
	}
	if err := w.furnish(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// furnish makes the folder, the spec and the input topics.
func (w *world) furnish(ctx context.Context) error {
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	}
	for _, name := range []string{w.names.training, w.names.documents} {
		if err := w.client.CreateTopic(ctx, name, partitions, nil); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(w.dir, "spec.yaml"), []byte(spec), 0o600)
}

// hire prepares two of each role. addresses are the brokers of each worker, those of the cluster if
// there are none.
func (w *world) hire(addresses ...string) error {
	for i, name := range []string{"ingest-1", "ingest-2", "classify-1", "classify-2"} {
		brokers := strings.Join(w.cluster.Addresses, ",")
		if len(addresses) > 0 {
			brokers = addresses[i]
		}
		role, _, _ := strings.Cut(name, "-")
		args := []string{
			"--brokers", brokers, "--group", w.names.group + role, "--model-topic", w.names.model, "--dead-letter-topic",
			w.names.dead, "--create-topics",
			"--partitions", strconv.Itoa(partitions), "--session-timeout", "6s",
		}
		if role == "ingest" {
			args = append(args, "--training-topic", w.names.training, "--ref-topics", w.names.documents, "--spec",
				filepath.Join(w.dir, "spec.yaml"))
		} else {
			args = append(args, "--documents-topic", w.names.documents, "--labels-topic", w.names.labels, "--wait-documents=0")
		}
		hired, err := newWorker(w.bin, w.dir, name, role, args...)
		if err != nil {
			return err
		}
		w.workers = append(w.workers, hired)
	}
	return nil
}

// startAll starts the workers and waits until they are ready.
func (w *world) startAll(ctx context.Context) error {
	for _, one := range w.workers {
		if err := one.start(); err != nil {
			return err
		}
	}
	for _, one := range w.workers {
		err := w.until(ctx, time.Minute, one.name+" is ready", func() (bool, string) {
			if alive, err := one.Running(); !alive {
				w.log.Warn("a worker has ended while it started", "worker", one.name, "error", err)
				w.count("ended by itself while it started")
				return false, fmt.Sprint(one.start())
			}
			return one.isReady(ctx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// begin starts the workers, follows the decisions and starts the traffic.
func (w *world) begin(ctx context.Context, rate int) error {
	if err := w.startAll(ctx); err != nil {
		return err
	}
	if err := w.follow(w.names.labels); err != nil {
		return err
	}
	w.produce(rate)
	return nil
}

// finish waits until everything is worked off, and compares it with the recount.
func (w *world) finish(ctx context.Context) error {
	if err := w.settle(ctx); err != nil {
		return err
	}
	return w.verify(ctx)
}

func (w *world) follow(labels ...string) (err error) {
	w.labels, err = w.client.Follow(sourceHeader, labels...)
	return err
}

func (w *world) produce(rate int) {
	w.traffic = startTraffic(w.client, w.names.training, w.names.documents, rate, w.seed)
}

// close ends what the world has started. What was found wrong leaves its folder behind.
func (w *world) close() error {
	if w.traffic != nil {
		w.traffic.stop()
	}
	for _, one := range w.workers {
		_ = one.End(syscall.SIGKILL, time.Minute)
	}
	if w.labels != nil {
		w.labels.Close()
	}
	w.client.Close()
	err := w.cluster.Close()
	if len(w.result.Wrong) > 0 {
		w.log.Error("something is wrong: the folder is kept", "folder", w.dir)
		return err
	}
	return errors.Join(err, os.RemoveAll(w.dir))
}

// wrong notes what must not be.
func (w *world) wrong(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	w.log.Error(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.result.AddWrong(text)
}

// count notes something that may be.
func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.result.Outcomes[what]++
}

// errImpatient says that a condition did not come.
var errImpatient = errors.New("it did not come")

// until waits for a condition that says what it still waits for.
func (w *world) until(ctx context.Context, patience time.Duration, what string, cond func() (bool, string)) error {
	deadline := time.Now().Add(patience)
	for {
		ok, still := cond()
		if ok {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%w: %s within %v: %s", errImpatient, what, patience, strings.TrimSpace(still))
		}
		time.Sleep(100 * time.Millisecond)
	}
}
