package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"

	"golang.org/x/sync/errgroup"
)

// Role is what distinguishes the two workers.
type Role struct {
	Name   string // ingest or classify
	Ledger bool   // the state must hold the ledgers
	// Settings are what GET /v1/worker says of the configuration.
	Settings []config.Setting
	// Classify answers POST /v1/classify, with spans if ?spans=1; nil: not offered.
	Classify func(ctx context.Context, to io.Writer, body []byte, spans bool) error
	// Correct answers POST /v1/labels.
	Correct func(ctx context.Context, c *wire.Correction, wait time.Duration) (httpapi.Corrected, error)
	// Decision answers GET /v1/decisions/{id}; nil: not offered.
	Decision func(id string) (decision []byte, found bool)
}

// Worker is a running worker without its loop.
type Worker struct {
	Client  *stream.Client
	Memory  *budget.Budget
	Replica *modellog.Replica
	Metrics *httpapi.Metrics

	config  config.Worker
	role    Role
	topics  describer // the Client
	log     *slog.Logger
	storeMu sync.Mutex        // a checkpoint and a snapshot do not run at once
	store   *store.Store      // nil: none is open; written by keep
	schemas map[string][]byte // of a file that was closed, for the next one
	taken   int64             // Next of the snapshot that was taken last because the log was cut; 0: none

	notices  notices
	receipts receipts // of corrections

	mu       sync.Mutex
	serving  bool
	trouble  map[string]string // by part of the work
	watched  []Topic           // whose settings are compared again and again
	weak     string            // settings of the model topic that may lose records, and are allowed
	logBytes int               // max.message.bytes of the model topic; 0: not known
	unseen   []string          // topics whose settings the brokers do not show
	unread   []string          // fields of the spec that no record had
	deadPart int               // partitions of the dead-letter topic
	topic    string            // that the group divides; "": none yet
	assigned []int             // its partitions of this worker
}

// New returns a worker with an empty state. Run loads the model file; neither it nor Kafka is asked
// for anything before.
func New(c config.Worker, role Role, log *slog.Logger) (*Worker, error) {
	size, err := budget.Parse(c.Memory)
	if err != nil {
		return nil, err
	}
	sc := c.Kafka.Stream()
	sc.Memory = budget.New(size)
	sc.Log = log
	w := &Worker{Memory: sc.Memory, Metrics: httpapi.NewMetrics(role.Name), config: c, role: role,
		log: log, notices: notices{log: log}, trouble: map[string]string{}}
	sc.Schemas, err = c.Kafka.Schemas(w, log)
	if err != nil {
		return nil, err
	}
	client, err := stream.Dial(sc)
	if err != nil {
		return nil, err
	}
	w.Client = client
	w.topics = client
	observer := modellog.Observer{
		Folded: w.Metrics.Folded, Rebuild: w.rebuild, Differed: w.Metrics.Mismatched, Accepted: w.receipts.note,
		Halted: func(reason error) { w.report(partLog, reason) },
	}
	if c.Bootstrap != "" {
		observer.Truncated = w.truncated
	}
	w.Replica = modellog.New(client, c.ModelTopic, fold.New(role.Ledger), observer, log)
	w.Metrics.ObserveState(w.Replica.Read)
	w.Metrics.ObserveMemory(w.Memory)
	return w, nil
}

// open loads the model file, or a snapshot where there is none. A file that is damaged, or lacks
// the ledgers that the role needs, is moved aside: the log has everything.
func (w *Worker) open(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(w.config.State), 0o700); err != nil {
		return fmt.Errorf("folder of the model file: %w", err)
	}
	if err := w.bootstrap(ctx); err != nil {
		return err
	}
	w.storeMu.Lock()
	defer w.storeMu.Unlock()
	state, err := w.load()
	if err == nil {
		err = w.checkSchemas()
	}
	if err == nil {
		w.Replica.Swap(state)
	}
	return err
}

// load reads the model file, or starts a new one where it cannot be used.
func (w *Worker) load() (*fold.State, error) {
	state, reason := w.tryLoad()
	mayBeReplaced := errors.Is(reason, store.ErrDamaged) || errors.Is(reason, errNoLedger) ||
		errors.As(reason, new(*codec.RevisionError))
	if !mayBeReplaced {
		return state, reason
	}
	return fold.New(w.role.Ledger), w.setAside(reason)
}

// errNoLedger says that a file comes from a worker that keeps no ledgers.
var errNoLedger = errors.New("the model file has no ledger, which ingest needs to replace and forget")

// tryLoad opens the model file and loads its state, a new one from a new file.
func (w *Worker) tryLoad() (*fold.State, error) {
	if w.store == nil {
		if err := w.openStore(); err != nil {
			return nil, err
		}
	}
	state, err := w.store.Load()
	switch {
	case err != nil:
		return nil, err
	case state == nil:
		return fold.New(w.role.Ledger), nil
	case w.role.Ledger && !state.KeepsLedger():
		return nil, errNoLedger
	}
	return state, nil
}

// lockWait is how long a start waits for a process that is about to end.
const lockWait = 5 * time.Second

// openStore opens the model file.
func (w *Worker) openStore() error {
	s, err := store.Open(w.config.State, lockWait)
	if err != nil {
		return err
	}
	w.keep(s)
	if len(w.schemas) == 0 {
		return nil
	}
	return s.KeepSchemas(w.schemas)
}

// closeStore closes the model file, if one is open, so that another can take its place.
func (w *Worker) closeStore() {
	if w.store == nil {
		return
	}
	if schemas, err := w.store.Schemas(); err == nil { // else the registry is asked again
		w.schemas = schemas
	}
	if err := w.store.Close(); err != nil {
		w.log.Warn("the old model file did not close", "error", err)
	}
	w.keep(nil)
}

// keep makes s the open model file. It holds mu too, because the readiness asks for it and must not
// wait for a checkpoint.
func (w *Worker) keep(s *store.Store) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store = s
}

// setAside moves the model file away and opens a new one.
func (w *Worker) setAside(reason error) error {
	w.closeStore()
	name := "unusable"
	level := slog.LevelError
	if errors.As(reason, new(*fold.VoidedError)) {
		name = "voided"
		level = slog.LevelInfo
	}
	aside, err := store.MoveAside(w.config.State, name, time.Now())
	if err != nil {
		return err
	}
	w.log.Log(context.Background(), level, "the model file cannot be used and was moved aside; it is rebuilt from the "+
		"model log", "reason", reason, "moved", aside)
	return w.openStore()
}

// rebuild moves the model file aside when the log is not the one that its state came from. A void
// of what was counted, which somebody asked for, is no other log.
func (w *Worker) rebuild(reason error, swap func()) {
	if !errors.As(reason, new(*fold.VoidedError)) {
		w.Metrics.Rebuilt()
	}
	w.storeMu.Lock()
	defer w.storeMu.Unlock()
	swap()
	if err := w.setAside(reason); err != nil {
		w.report("model file", err) // the next checkpoint fails and stops the worker
	}
}

// setServing marks the start as over.
func (w *Worker) setServing() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serving = true
}

// Parts of the work that can be in trouble.
const (
	partLog   = "model log"
	partModel = "model" // it lacks documents
	partGroup = "group"
	// partSnapshot is there while one is fetched.
	partSnapshot = "snapshot"
)

// partPartition begins the name of the part of the work that is a partition.
const partPartition = "partition "

// ReportPartition is report for the work on a partition. A nil error ends the trouble that was
// reported before: the worker is ready again.
func (w *Worker) ReportPartition(partition int, err error) {
	w.report(partPartition+strconv.Itoa(partition), err)
}

// ReportModel is report for the model that the work needs.
func (w *Worker) ReportModel(err error) { w.report(partModel, err) }

// report sets the state of a part of the work: nil, or what is wrong, which makes the worker not
// ready.
func (w *Worker) report(part string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, stream.ErrGenerationEnded) {
		delete(w.trouble, part)
		return
	}
	w.trouble[part] = err.Error()
}

// Run serves HTTP, loads the model file, checks the topics that all workers need, follows the log,
// writes checkpoints, and runs prepare and then loop, until ctx ends or one of them fails. prepare
// runs again if Kafka was away. loop gets a context that ends with ctx; everything else goes on
// until loop has returned.
func (w *Worker) Run(ctx context.Context, prepare, loop func(ctx context.Context) error) error {
	server, err := w.serve()
	if err != nil {
		return errors.Join(err, w.close())
	}
	err = w.open(ctx)
	if err == nil {
		err = w.insist(ctx, w.ensureTopics)
	}
	if err == nil {
		err = w.runWithTopics(ctx, prepare, loop)
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = nil
	}
	end, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	return errors.Join(err, server.Shutdown(end), w.close())
}

// runWithTopics is Run when the topics are there and HTTP is served.
func (w *Worker) runWithTopics(ctx context.Context, prepare, loop func(ctx context.Context) error) error {
	behind, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	front, cancel := context.WithCancel(ctx)
	defer cancel()
	var g errgroup.Group
	g.Go(func() error {
		defer cancel() // without the log nothing can be learned or labelled
		return w.Replica.Follow(behind)
	})
	g.Go(func() error {
		defer cancel()
		return w.checkpoints(behind)
	})
	g.Go(func() error { return w.notify(behind) })
	g.Go(func() error { return w.compareSettings(behind) })
	g.Go(func() error {
		defer stop()
		err := w.insist(front, prepare)
		if err == nil {
			w.setServing()
			err = loop(front)
		}
		if errors.Is(err, context.Canceled) && front.Err() != nil {
			return nil
		}
		return err
	})
	return g.Wait()
}

func (w *Worker) close() error {
	w.Client.Close()
	if w.store == nil {
		return nil
	}
	return w.store.Close()
}

// Consume runs handle on the partitions of topic that the group gives to this worker.
func (w *Worker) Consume(ctx context.Context, topic string, handle stream.Handler) error {
	w.mu.Lock()
	w.topic = topic
	w.mu.Unlock()
	return w.Client.Consume(ctx, stream.GroupConfig{
		Group: w.config.Group, Topic: topic, SessionTimeout: w.config.SessionTimeout,
		RebalanceTimeout: w.config.SessionTimeout, OnGeneration: w.generation,
		OnRefused: func(err error) { w.report(partGroup, err) },
	}, handle)
}

// generation is called with the partitions of each generation. It forgets trouble with those of the
// generation before, which may be another worker's now.
func (w *Worker) generation(assigned []int) {
	w.Metrics.Assigned(assigned)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.assigned = assigned
	for part := range w.trouble {
		if strings.HasPrefix(part, partPartition) {
			delete(w.trouble, part)
		}
	}
}
