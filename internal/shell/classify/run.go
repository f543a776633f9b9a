package classify

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// broker is what the work on a partition asks of Kafka. A *stream.Client is one.
type broker interface {
	worker.Comparer
	Topic(ctx context.Context, name string) (stream.TopicInfo, error)
	ProduceRetry(ctx context.Context, topic string, partition int, records []stream.Record) (base int64, err error)
}

// host is what the work on a partition asks of the worker around it. A *worker.Worker is one.
type host interface {
	DeadLetterPartition(partition int) int
	NoteDeadLetter(letter *stream.Record)
	NoteAbstained(block string)
	ReportPartition(partition int, err error)
	ReportModel(err error)
}

// classifier has what the partitions share.
type classifier struct {
	config  config.Classify
	routes  routes
	key     *spec.TermsKey // nil: the file of the configuration names none
	broker  broker
	host    host
	replica *modellog.Replica
	metrics *httpapi.Metrics
	log     *slog.Logger
	epoch   modellog.Epoch // in which the state was up to date at the start
	// takeOver returns a transaction for a partition, and the offset that the group has committed.
	takeOver func(ctx context.Context, a stream.Assignment) (output, int64, error)

	recent *recentOfAll // nil: without HTTP nobody asks for them

	memory    *budget.Budget
	lanes     lanes       // of all partitions
	scratches sync.Pool   // of *scratch
	expected  expectation // of the answers to records
	replies   expectation // of those to requests

	readings readings

	transacted atomic.Bool // a transaction was allowed since the start

	once atomic.Bool // decisions are delivered exactly once, as --delivery says and the brokers allow

	mu   sync.Mutex
	http *lane // answers POST /v1/classify
}

// Run labels the documents topic until ctx ends, then finishes what is in flight and returns.
func Run(ctx context.Context, c config.Classify, log *slog.Logger) error {
	key, err := config.ReadTermsKey(c.TermsKeyFile)
	if err != nil {
		return err
	}
	for _, doubt := range c.RouteDoubts() {
		log.Warn("a condition of --route may be misspelt", "condition", doubt)
	}
	cl := &classifier{config: c, routes: newRoutes(&c), key: key, log: log,
		lanes: newLanes(cmp.Or(c.Workers, runtime.GOMAXPROCS(0)))}
	cl.scratches.New = func() any { return &scratch{} }
	w, err := worker.New(c.Worker,
		worker.Role{Name: "classify", Settings: config.InForce(c), Classify: cl.body, Decision: cl.decided}, log)
	if err != nil {
		return err
	}
	cl.memory = w.Memory
	if c.HTTP != "" {
		cl.recent = newRecentOfAll(c.DocumentsTopic, w.Memory)
	}
	cl.broker = w.Client
	cl.host = w
	cl.replica = w.Replica
	cl.metrics = w.Metrics
	cl.takeOver = func(ctx context.Context, a stream.Assignment) (output, int64, error) {
		return w.Client.TakeOver(ctx, a)
	}
	cl.once.Store(c.Delivery == exactlyOnce)
	cl.metrics.ExactlyOnce(cl.once.Load())
	prepare := func(ctx context.Context) error { return cl.prepare(ctx, w) }
	return w.Run(ctx, prepare, func(ctx context.Context) error { return w.Consume(ctx, c.DocumentsTopic, cl.partition) })
}

// prepare checks the topics and waits for a model that is up to date.
func (c *classifier) prepare(ctx context.Context, w *worker.Worker) error {
	documents := c.config.DocumentsTopic
	if err := w.EnsureTopic(ctx, worker.Topic{Name: documents, Partitions: c.config.Partitions}); err != nil {
		return err
	}
	n, err := w.TopicPartitions(ctx, documents)
	if err != nil {
		return err
	}
	for _, labels := range c.routes.topics {
		if err := w.EnsureTopic(ctx, worker.Topic{Name: labels, Partitions: n}); err != nil {
			return err
		}
	}
	if err := c.checkLabels(ctx, n-1); err != nil {
		return err
	}
	if err := c.waitForDocuments(ctx); err != nil {
		return err
	}
	c.epoch, err = c.upToDate(ctx)
	if err == nil {
		c.epoch.Read(func(s *fold.State) { err = c.checkEmit(s.Spec()) })
	}
	return err
}

// checkLabels refuses topics of decisions that lack a partition of the documents topic: what is
// written to the others before one fails would be written again with each attempt.
func (c *classifier) checkLabels(ctx context.Context, partition int) error {
	for _, labels := range c.routes.topics {
		has, err := c.broker.Topic(ctx, labels)
		if err != nil {
			return err
		}
		if partition < has.Partitions {
			continue
		}
		documents, err := c.broker.Topic(ctx, c.config.DocumentsTopic)
		if err != nil {
			return err
		}
		return fmt.Errorf("topic %q has %d partitions and %q has %d: a decision goes to the "+
			"partition of its document, so add partitions to %q",
			labels, has.Partitions, c.config.DocumentsTopic, documents.Partitions, labels)
	}
	return nil
}

// checkEmit returns an error if answers to documents of the spec cannot have the form that --emit
// says.
func (c *classifier) checkEmit(s *spec.Spec) error {
	_, err := newEmitter(&c.config, wire.SchemaOf(s))
	return err
}

// waitForDocuments waits until the model has learned as many documents as --wait-documents says,
// and reports that it waits: a backlog that is answered before anything is learned has no labels.
// It does not wait for a model that prepare refuses.
func (c *classifier) waitForDocuments(ctx context.Context) error {
	want := int64(c.config.WaitDocuments)
	if want == 0 {
		return nil
	}
	enough := func(s *fold.State) bool {
		return s.Model() != nil && (s.Model().Classes().Total() >= want || c.checkEmit(s.Spec()) != nil)
	}
	if _, err := c.replica.CatchUp(ctx); err != nil {
		return err
	}
	var has bool
	c.replica.Read(func(s *fold.State) { has = enough(s) })
	if has {
		return nil
	}
	c.log.Info("labelling begins when enough documents are learned", "wait-documents", want)
	c.host.ReportModel(fmt.Errorf("fewer than %d documents are learned: labelling begins "+
		"then (--wait-documents; 0 labels at once)", want))
	err := c.replica.Wait(ctx, enough)
	c.host.ReportModel(nil)
	return err
}

// upToDate waits until there is a model and the state holds all of the log. It returns the epoch in
// which that is so.
func (c *classifier) upToDate(ctx context.Context) (modellog.Epoch, error) {
	for {
		epoch, err := c.replica.CatchUp(ctx)
		if err != nil {
			return epoch, err
		}
		hasModel := false
		epoch.Read(func(s *fold.State) { hasModel = s.Model() != nil })
		if hasModel {
			return epoch, nil
		}
		if err := c.replica.Wait(ctx, func(s *fold.State) bool { return s.Model() != nil }); err != nil {
			return epoch, err
		}
	}
}

// partition labels one partition until it is taken away.
func (c *classifier) partition(ctx context.Context, a stream.Assignment) error {
	p := &partition{classifier: c, assign: a, epoch: c.epoch, reading: c.readings.of(a.Partition),
		waiting: c.memory.Open(budget.Waiting)}
	err := p.run(ctx)
	p.waiting.Release()
	c.host.ReportPartition(a.Partition, err)
	return err
}

// abstained notes a decision in which a block could not vote.
func (c *classifier) abstained(block string) {
	c.metrics.Abstained(block)
	c.host.NoteAbstained(block)
}
