package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// corrector answers POST /v1/labels. It never changes a ledger: it writes a training record to the
// partition that holds the document, whoever counts that.
type corrector struct {
	prepared atomic.Pointer[ingester] // nil: there is no spec yet
	worker   *worker.Worker
	index    *worker.Index
}

// correct writes the record of a correction and returns what became of it.
func (x *corrector) correct(ctx context.Context, c *wire.Correction, wait time.Duration) (httpapi.Corrected, error) {
	done, err := x.write(ctx, c, wait)
	return done, worker.RefusalOf(ctx, err)
}

func (x *corrector) write(ctx context.Context, c *wire.Correction, wait time.Duration) (httpapi.Corrected, error) {
	in := x.prepared.Load()
	if in == nil {
		return httpapi.Corrected{}, fmt.Errorf("%w: the model log has no spec yet", httpapi.ErrNotReady)
	}
	f := in.finder(func(ctx context.Context) (int, error) {
		return x.worker.TopicPartitions(ctx, in.config.TrainingTopic)
	})
	f.Index = x.index
	if c.Record != nil {
		return x.learn(ctx, f, c, wait)
	}
	to, err := f.Find(ctx, c)
	if err == nil {
		err = x.check(c, worker.AskNearly)
	}
	if err != nil {
		return httpapi.Corrected{}, err
	}
	rec, err := f.Decoder.CorrectionRecord(to.ID, c, to.Text)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	return x.worker.SendCorrection(ctx, f.Topic, to.Partition, rec, wait)
}

// check asks about a label that the model does not know, unless the client says that it is new.
func (x *corrector) check(c *wire.Correction, ask int) (err error) {
	if !c.New {
		x.prepared.Load().replica.Read(func(s *fold.State) { err = worker.CheckLabel(s, c.Label, ask) })
	}
	if refused, ok := errors.AsType[*httpapi.RefusedError](err); ok {
		refused.Message += " (?new in the address makes it a label)"
	}
	return err
}

// learn writes a whole training record, to the partition that Kafka's own clients would choose.
func (x *corrector) learn(ctx context.Context, f *worker.Finder, c *wire.Correction,
	wait time.Duration) (httpapi.Corrected, error) {
	rec, err := f.Decoder.LearnRecord(c)
	if err == nil {
		err = x.check(c, worker.AskAlike)
	}
	if err != nil {
		return httpapi.Corrected{}, err
	}
	partitions, err := f.Partitions(ctx)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	return x.worker.SendCorrection(ctx, f.Topic, stream.Murmur2Partition(rec.Key, max(1, partitions)), rec, wait)
}

// finder finds documents by the training topic, which has that many partitions. It reads records by
// the paths in force.
func (in *ingester) finder(partitions func(context.Context) (int, error)) *worker.Finder {
	reads := in.latest()
	in.replica.Read(func(s *fold.State) {
		if now := s.Spec(); now != nil { // else the log was created again, and will have this one
			reads = now
		}
	})
	refs := append([]string{}, in.config.RefTopics...) // not nil, which allows all topics
	return &worker.Finder{Topic: in.config.TrainingTopic, Partitions: partitions, Refs: refs,
		Decoder: wire.NewDecoder(wire.SchemaOf(reads)), Key: in.key, Replica: in.replica, Fetcher: in.broker}
}
