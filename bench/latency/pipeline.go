package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/stream"

	"golang.org/x/sync/errgroup"
)

// bench is a running pipeline, and a client of its topics.
type bench struct {
	client                      *stream.Client
	training, documents, labels string

	ctx    context.Context //nolint:containedctx // ends when a worker fails: everything ends with it
	cancel context.CancelFunc
	group  *errgroup.Group
}

// newBench starts ingest and classify on topics with new names.
func newBench(ctx context.Context, brokers []string, dir string, o options, log *slog.Logger) (*bench, error) {
	client, err := stream.Dial(stream.Config{Brokers: brokers})
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("bayestream-latency-%x", time.Now().UnixNano())
	b := &bench{client: client, training: name + "-training", documents: name + "-documents", labels: name + "-labels"}
	for _, topic := range []string{b.training, b.documents, b.labels} {
		if err := client.CreateTopic(ctx, stream.TopicSpec{Name: topic, Partitions: 1}); err != nil {
			client.Close()
			return nil, err
		}
	}
	ctx, b.cancel = context.WithCancel(ctx)
	b.group, b.ctx = errgroup.WithContext(ctx)
	in := config.Default[config.Ingest]()
	in.TrainingTopic = b.training
	cl := config.Default[config.Classify]()
	cl.DocumentsTopic = b.documents
	cl.LabelsTopic = b.labels
	cl.Delivery = o.delivery
	cl.CommitEach = o.commitEach
	for worker, c := range map[string]*config.Worker{"ingest": &in.Worker, "classify": &cl.Worker} {
		c.Kafka.Brokers = brokers
		c.Group = name + "-" + worker
		c.ModelTopic = name + "-model"
		c.DeadTopic = name + "-dead"
		c.State = filepath.Join(dir, worker+".db")
		c.CreateTopics = true
		c.HTTP = ""
	}
	b.group.Go(func() error { return ingest.Run(b.ctx, in, log.With("worker", "ingest")) })
	b.group.Go(func() error { return classify.Run(b.ctx, cl, log.With("worker", "classify")) })
	return b, nil
}

// stop ends the workers.
func (b *bench) stop() {
	b.cancel()
	_ = b.group.Wait() // measure has returned the error of a worker
	b.client.Close()
}

// failed returns why a worker ended, or err when none did.
func (b *bench) failed(err error) error {
	if b.ctx.Err() == nil || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return errors.Join(err, b.group.Wait())
}
