package classify

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"

	"bayestream/internal/config"
	"bayestream/internal/fold"
	"bayestream/internal/httpapi"
	"bayestream/internal/stream"
	"bayestream/internal/worker"
)

type classifier struct {
	config  config.Classify
	worker  *worker.Worker
	log     *slog.Logger
	workers int // lanes of a partition

	mu   sync.Mutex
	http *lane // answers POST /v1/classify
}

// Run labels the documents topic until ctx ends, then finishes what is in flight and returns.
func Run(ctx context.Context, c config.Classify, log *slog.Logger) error {
	cl := &classifier{config: c, log: log, workers: c.Workers}
	if cl.workers == 0 {
		cl.workers = runtime.GOMAXPROCS(0)
	}
	w, err := worker.Open(ctx, c.Worker, worker.Role{Name: "classify", Classify: cl.body}, log)
	if err != nil {
		return err
	}
	cl.worker = w
	return w.Run(ctx, func(ctx context.Context) error {
		if err := cl.prepare(ctx); err != nil {
			return err
		}
		w.Serving()
		return w.Consume(ctx, c.DocumentsTopic, cl.partition)
	})
}

// prepare checks the topics and waits for a model that is up to date.
func (c *classifier) prepare(ctx context.Context) error {
	documents, labels := c.config.DocumentsTopic, c.config.LabelsTopic
	if err := c.worker.EnsureTopic(ctx, worker.Topic{Name: documents, Partitions: c.config.Partitions}); err != nil {
		return err
	}
	n, err := c.worker.TopicPartitions(ctx, documents)
	if err != nil {
		return err
	}
	if err := c.worker.EnsureTopic(ctx, worker.Topic{Name: labels, Partitions: n}); err != nil {
		return err
	}
	m, err := c.worker.TopicPartitions(ctx, labels)
	if err != nil {
		return err
	}
	if m < n {
		return fmt.Errorf("topic %q has %d partitions and %q has %d: a decision goes to the partition of its document, so add partitions to %q", labels, m, documents, n, labels)
	}
	return c.upToDate(ctx)
}

// upToDate waits until there is a model and it holds what the log holds now.
func (c *classifier) upToDate(ctx context.Context) error {
	for {
		if err := c.worker.Replica.CatchUp(ctx); err != nil {
			return err
		}
		there := false
		exists := func(s *fold.State) bool { there = s.Model() != nil; return there }
		if c.worker.Replica.Read(func(s *fold.State) { exists(s) }); there {
			return nil
		}
		if err := c.worker.Replica.Wait(ctx, exists); err != nil {
			return err
		}
	}
}

// partition labels one partition until it is taken away.
func (c *classifier) partition(ctx context.Context, a stream.Assignment) error {
	defer c.worker.Metrics.ForgetLag(a.Partition)
	err := (&partition{classifier: c, assign: a, rebuilds: c.worker.Replica.Rebuilds()}).run(ctx)
	c.worker.ReportPartition(a.Partition, err)
	return err
}

// body answers one document that came over HTTP.
func (c *classifier) body(_ context.Context, body []byte) (answer []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err = fmt.Errorf("%w: the model log has no spec yet", httpapi.ErrNotReady)
	c.worker.Replica.Read(func(s *fold.State) {
		if s.Model() == nil {
			return
		}
		if c.http == nil || c.http.spec != s.Model().Spec() {
			if c.http, err = newLane(&c.config, s.Model().Spec(), c.config.Evidence, c.worker.Metrics.Abstained); err != nil {
				return
			}
		}
		answer, err = c.http.body(body, s)
	})
	return answer, err
}
