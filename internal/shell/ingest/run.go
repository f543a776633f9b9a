package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// broker is what the work on a partition asks of Kafka. A *stream.Client is one.
type broker interface {
	worker.Comparer
	describer
	ProduceRetry(ctx context.Context, topic string, partition int, records []stream.Record) (base int64, err error)
}

// host is what the work on a partition asks of the worker around it. A *worker.Worker is one.
type host interface {
	DeadLetters(ctx context.Context, partition int32, records []stream.Record) error
	LogMessageBytes() int
	ReportPartition(partition int, err error)
}

// ingester has what the partitions share.
type ingester struct {
	config  config.Ingest
	broker  broker
	host    host
	index   index // nil: no topic of labels is read
	replica *modellog.Replica
	memory  *budget.Budget
	metrics *httpapi.Metrics
	log     *slog.Logger

	key       *spec.TermsKey            // nil: the file of the configuration names none
	spec      *spec.Spec                // of the start, with the key
	newest    atomic.Pointer[spec.Spec] // that was in force with more paths; nil: none was
	counting  spec.Fingerprint
	decoder   *wire.Decoder
	writings  writings
	scratches scratches
	ends      []int64 // with --from end: where the partitions ended at the start

	sums     *sums
	renewing sync.Mutex   // one partition at a time appends a missing spec
	tight    atomic.Value // a string: why long texts may become dead letters
	misread  sync.Once    // says that the texts are in another language
}

// Run learns from the training topic until ctx ends, then finishes what is in flight and returns.
func Run(ctx context.Context, c config.Ingest, log *slog.Logger) error {
	key, err := config.ReadTermsKey(c.TermsKeyFile)
	if err != nil {
		return err
	}
	own, err := Spec(c)
	if err != nil {
		return err
	}
	x := &corrector{}
	w, err := worker.New(c.Worker,
		worker.Role{Name: "ingest", Ledger: true, Settings: config.InForce(c), Correct: x.correct}, log)
	if err != nil {
		return err
	}
	x.worker = w
	x.index = worker.NewIndex(w.Client, c.LabelsTopic, log)
	in := &ingester{config: c, key: key, broker: w.Client, host: w, replica: w.Replica, memory: w.Memory,
		metrics: w.Metrics, log: log, sums: newSums(appendEach)}
	if len(c.LabelsTopic) > 0 {
		in.index = x.index
	}
	prepare := func(ctx context.Context) error {
		err := in.prepare(ctx, w, own)
		if err == nil {
			x.prepared.Store(in)
		}
		return err
	}
	return w.Run(ctx, prepare, func(ctx context.Context) error {
		return in.consume(ctx, x.index.Follow, func() error { return w.Consume(ctx, c.TrainingTopic, in.partition) })
	})
}

// consume calls partitions, which ends some time after ctx, when they have finished what was in
// flight. What they need runs until then.
func (in *ingester) consume(ctx context.Context, follow func(context.Context), partitions func() error) error {
	var others sync.WaitGroup
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	others.Go(func() { follow(following) })
	others.Go(func() { in.sums.run(following) })
	err := partitions()
	stop()
	others.Wait()
	return err
}

// Spec returns the spec that a configuration gives a model log which has none: the file's or
// the preset; nil where none is named.
func Spec(c config.Ingest) (*spec.Spec, error) {
	text, err := c.SpecText(c.Spec)
	if err != nil || text == nil {
		return nil, err
	}
	name := c.SpecName(c.Spec)
	s, err := spec.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if patterns := s.Patterns(); len(patterns) > 0 {
		return nil, fmt.Errorf("%s: %s stands for the fields of a file, and a topic has no header: name the fields, as "+
			"bayestream init --brokers writes them", name, strings.Join(patterns, ", "))
	}
	return s, nil
}

// prepare checks the topics and agrees on the spec.
func (in *ingester) prepare(ctx context.Context, w *worker.Worker, own *spec.Spec) error {
	c := in.config
	training := worker.Topic{Name: c.TrainingTopic, Partitions: c.Partitions, Refuse: worker.RefuseCompacted}
	if err := w.EnsureTopic(ctx, training); err != nil {
		return err
	}
	if c.From == "end" {
		if err := in.noteEnds(ctx, w); err != nil {
			return err
		}
	}
	if err := in.checkOwn(ctx, w.Client, own); err != nil {
		return err
	}
	if err := in.agree(ctx, own); err != nil {
		return err
	}
	err := in.checkLimits(in.spec)
	if err != nil {
		return fmt.Errorf("the spec of the model in topic %q: %w", c.ModelTopic, err)
	}
	if own == nil || own.Limits.Window != in.spec.Limits.Window {
		if err := in.checkWindow(ctx, w.Client, in.spec.Limits.Window); err != nil {
			return err
		}
	}
	in.counting = in.spec.Counting()
	in.decoder = wire.NewDecoder(wire.SchemaOf(in.spec))
	in.decoder.Guessed = in.metrics.Guessed
	return nil
}

// checkOwn refuses a spec that the topics have no room for, before it gets into the log, where it
// would stay.
func (in *ingester) checkOwn(ctx context.Context, topics describer, own *spec.Spec) error {
	if own == nil {
		return nil
	}
	err := in.checkLimits(own)
	if err == nil {
		err = in.checkWindow(ctx, topics, own.Limits.Window)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in.config.SpecName(in.config.Spec), err)
	}
	return nil
}

// checkLimits refuses a spec that takes longer texts than a record of the model topic has room for:
// they would become dead letters.
func (in *ingester) checkLimits(s *spec.Spec) error {
	need := codec.LargestText(s) + codec.BoundScores(len(race.Of(s).Scored()))
	limit := codec.DeltaLimit(in.host.LogMessageBytes())
	if need <= limit {
		return nil
	}
	problem := fmt.Sprintf("limits.terms_per_document is %d: the counts of such a text take up to %d bytes, and a "+
		"record of model topic %q has room for %d",
		s.Limits.TermsPerDocument, need, in.config.ModelTopic, limit)
	if in.config.AllowWeakTopic {
		if in.tight.Swap(problem) != problem { // each partition looks, too
			in.log.Warn("long texts may become dead letters", "reason", problem)
		}
		return nil
	}
	return fmt.Errorf("%s; raise the topic's max.message.bytes, or lower the limit", problem)
}

// noteEnds asks where --from end is, once for all partitions: it must not move while one changes
// hands or fails before its first delta.
func (in *ingester) noteEnds(ctx context.Context, w *worker.Worker) error {
	partitions, err := w.TopicPartitions(ctx, in.config.TrainingTopic)
	if err != nil {
		return err
	}
	in.ends = nil
	for partition := range partitions {
		_, end, err := in.broker.Offsets(ctx, in.config.TrainingTopic, partition)
		if err != nil {
			return err
		}
		in.ends = append(in.ends, end)
	}
	return nil
}

func (in *ingester) partition(ctx context.Context, a stream.Assignment) error {
	err := in.newPartition(a).run(ctx)
	in.host.ReportPartition(a.Partition, err)
	return err
}
