package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"bayestream/internal/config"
	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/wire"
	"bayestream/internal/worker"
)

type ingester struct {
	config   config.Ingest
	worker   *worker.Worker
	log      *slog.Logger
	spec     *spec.Spec
	counting spec.Fingerprint
	decoder  *wire.Decoder

	ends []int64 // with --from end: where the partitions ended at the start

	renewing sync.Mutex // one partition at a time looks after the spec
}

// Run learns from the training topic until ctx ends, then finishes what is in flight and returns.
func Run(ctx context.Context, c config.Ingest, log *slog.Logger) error {
	own, err := Spec(c)
	if err != nil {
		return err
	}
	w, err := worker.Open(ctx, c.Worker, worker.Role{Name: "ingest", Ledger: true}, log)
	if err != nil {
		return err
	}
	in := &ingester{config: c, worker: w, log: log}
	return w.Run(ctx, func(ctx context.Context) error {
		if err := in.prepare(ctx, own); err != nil {
			return err
		}
		w.Serving()
		return w.Consume(ctx, c.TrainingTopic, in.partition)
	})
}

// Spec returns the spec that a configuration gives a model log which has none: that of the file, with the
// format; nil where neither is named.
func Spec(c config.Ingest) (*spec.Spec, error) {
	if c.Spec == "" && c.Format == "" {
		return nil, nil
	}
	var text []byte
	if c.Spec != "" {
		var err error
		if text, err = os.ReadFile(c.Spec); err != nil {
			return nil, fmt.Errorf("read the spec: %w", err)
		}
	}
	s, err := spec.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Spec, err)
	}
	if c.Format != "" {
		s.Format = c.Format
	}
	if s, err = spec.Parse(s.YAML()); err != nil {
		return nil, fmt.Errorf("%s with --format %s: %w", c.Spec, c.Format, err)
	}
	// What the decoder refuses must not get into the log, where it would stay.
	if _, err := wire.NewDecoder(worker.Schema(c.Worker, s, c.LabelField, c.LabelHeader)); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Spec, err)
	}
	return s, nil
}

// prepare checks the topics and agrees on the spec.
func (in *ingester) prepare(ctx context.Context, own *spec.Spec) error {
	c := in.config
	if err := in.worker.EnsureTopic(ctx, worker.Topic{Name: c.TrainingTopic, Partitions: c.Partitions, Refuse: map[string]string{"cleanup.policy": "compact"}}); err != nil {
		return err
	}
	if err := in.noteEnds(ctx); err != nil {
		return err
	}
	if err := in.worker.Replica.CatchUp(ctx); err != nil {
		return err
	}
	if err := in.agree(ctx, own); err != nil {
		return err
	}
	var err error
	in.counting = in.spec.Counting()
	in.decoder, err = wire.NewDecoder(worker.Schema(c.Worker, in.spec, c.LabelField, c.LabelHeader))
	return err
}

// noteEnds looks where --from end is, once for all partitions: it must not move while one changes hands or
// fails before its first delta.
func (in *ingester) noteEnds(ctx context.Context) error {
	if in.config.From != "end" {
		return nil
	}
	n, err := in.worker.TopicPartitions(ctx, in.config.TrainingTopic)
	if err != nil {
		return err
	}
	for part := range n {
		_, end, err := in.worker.Client.Offsets(ctx, in.config.TrainingTopic, part)
		if err != nil {
			return err
		}
		in.ends = append(in.ends, end)
	}
	return nil
}

// agree makes the spec of the log the one this worker counts by. Of several workers that start on an
// empty log the first wins; the others go on with its spec if it counts like theirs.
func (in *ingester) agree(ctx context.Context, own *spec.Spec) error {
	if in.current() == nil {
		first := own
		if first == nil {
			first = spec.Default()
		}
		if err := in.propose(ctx, first); err != nil {
			return err
		}
	}
	in.spec = in.current()
	if in.spec == nil {
		return errors.New("the spec was appended to the model log and is not in force: the log holds something else; look at the errors above")
	}
	if own == nil {
		return nil
	}
	if diff := own.CountingDifference(in.spec); diff != "" {
		return fmt.Errorf("the spec %s counts differently from the model in topic %q: %s; use a new --model-topic for it (docs/tokenizer.md)", in.config.Spec, in.config.ModelTopic, diff)
	}
	if own.Scoring() != in.spec.Scoring() {
		in.log.Info("the scoring part of the spec is replaced", "from", in.spec.Scoring().String(), "to", own.Scoring().String())
		if err := in.propose(ctx, own); err != nil {
			return err
		}
		in.spec = in.current()
	}
	return nil
}

// renew waits until the fold is up to date and sees to it that the log still has the spec which this
// worker counts by: a log that was made anew while the worker ran has none.
func (in *ingester) renew(ctx context.Context) error {
	in.renewing.Lock()
	defer in.renewing.Unlock()
	if err := in.worker.Replica.CatchUp(ctx); err != nil {
		return err
	}
	if in.current() == nil {
		in.log.Warn("the model log was made anew: the spec is appended again, and everything is counted from the start", "topic", in.config.ModelTopic)
		if err := in.propose(ctx, in.spec); err != nil {
			return err
		}
	}
	now := in.current()
	if now == nil || now.Counting() != in.counting {
		return fmt.Errorf("model topic %q was made anew, with a spec that counts differently from the one this worker runs by: start it again", in.config.ModelTopic)
	}
	return nil
}

func (in *ingester) current() (s *spec.Spec) {
	in.worker.Replica.Read(func(st *fold.State) {
		if st.Model() != nil {
			s = st.Model().Spec()
		}
	})
	return s
}

func (in *ingester) propose(ctx context.Context, s *spec.Spec) error {
	value, err := codec.EncodeSpec(s)
	if err != nil {
		return fmt.Errorf("encode spec: %w", err)
	}
	if _, err := in.worker.Replica.Append(ctx, value); err != nil {
		return err
	}
	return in.worker.Replica.CatchUp(ctx)
}

// partition learns one partition until it is taken away.
func (in *ingester) partition(ctx context.Context, a stream.Assignment) error {
	extract, err := model.NewExtractor(in.spec)
	if err != nil {
		return err
	}
	p := &partition{
		ingester: in, assign: a, scorer: model.NewScorer(), begin: fold.Progress{Begin: -1},
		source: fold.Source{Topic: a.Topic, Partition: int32(a.Partition)},
	}
	p.recent = &recent{texts: in.worker, source: p.source}
	p.batch = &batch{
		decoder: in.decoder, extract: extract, builder: model.NewBuilder(in.spec), source: p.source, refs: in.config.RefTopics,
		texts: p.recent, ledger: p.ledger, classes: in.classes, admitted: model.NewAdmission(in.spec), onScored: p.score,
	}
	defer in.worker.Metrics.ForgetLag(a.Partition)
	for err = errMoved; errors.Is(err, errMoved) || errors.Is(err, errAnew); {
		err = p.run(ctx)
	}
	in.worker.ReportPartition(a.Partition, err)
	return err
}

func (p *partition) ledger(id string) (l fold.Learned, ok bool) {
	p.worker.Replica.Read(func(s *fold.State) {
		if ledger := s.Ledger(p.source); ledger != nil {
			l, ok = ledger.Find(id)
		}
	})
	return l, ok
}

func (in *ingester) classes(label string) (known bool, count int) {
	in.worker.Replica.Read(func(s *fold.State) {
		if s.Model() == nil {
			return // the log was made anew; what is counted now will not be appended
		}
		_, known = s.Model().Classes().ID(label)
		count = len(s.Model().Classes().Live())
	})
	return known, count
}
