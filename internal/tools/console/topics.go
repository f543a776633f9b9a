package console

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"

	"golang.org/x/sync/errgroup"
)

// lookAgain is the time after which the console tries again, and looks for new partitions. For
// topics that are missing it looks after lookSoon, and then the more seldom the longer they are
// missing: workers that start beside it make them at any moment.
const (
	lookAgain = 2 * time.Second
	lookSoon  = 50 * time.Millisecond
)

// awaitTopic waits until a topic is there and returns how many partitions it has.
func (c *Console) awaitTopic(ctx context.Context, topic string) (int, error) {
	for wait := lookSoon; ; wait = min(wait+wait/8, lookAgain) {
		info, exists, err := c.client.FindTopic(ctx, topic)
		switch {
		case err == nil && exists && info.Partitions > 0:
			return info.Partitions, nil
		case err != nil && !errors.Is(err, stream.ErrRetriable):
			return 0, err
		case err != nil:
			c.log.Warn("a topic cannot be described, trying again", "topic", topic, "error", err)
		}
		if !stream.Sleep(ctx, wait) {
			return 0, ctx.Err()
		}
	}
}

// read reads the tails of the topics of labels and of training, and then what comes.
func (c *Console) read(ctx context.Context) error {
	if err := c.awaitSpec(ctx); err != nil {
		return err
	}
	var past []*entry
	labels, err := c.past(ctx, c.options.Topics.Labels, func(rec *stream.Record) {
		if e := remember(rec, c.options.EnrichField); e != nil {
			past = append(past, e)
		}
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(past, byTime)
	c.memory.add(past)
	for _, e := range past {
		c.saw(e)
	}
	training, err := c.past(ctx, []string{c.options.Topics.Training}, func(rec *stream.Record) { c.learned(rec) })
	if err != nil {
		return err
	}
	c.ready.Store(true)
	g, ctx := errgroup.WithContext(ctx)
	for _, topic := range c.options.Topics.Labels {
		g.Go(func() error { return c.tail(ctx, topic, labels[topic], c.decided) })
	}
	g.Go(func() error {
		return c.tail(ctx, c.options.Topics.Training, training[c.options.Topics.Training],
			func(_ context.Context, batch []stream.Record) {
				for i := range batch {
					c.learned(&batch[i])
				}
			})
	})
	return g.Wait()
}

// awaitSpec waits until the replica has caught up with the log, and the log has a spec.
func (c *Console) awaitSpec(ctx context.Context) error {
	if _, err := c.awaitTopic(ctx, c.options.Topics.Model); err != nil {
		return err
	}
	err := c.patiently(ctx, "the model log cannot be read, trying again", func() error {
		_, err := c.replica.CatchUp(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return c.replica.Wait(ctx, func(s *fold.State) bool { return s.Spec() != nil })
}

// past calls f for the last records of each partition of the topics that are there, and returns by
// topic the offsets behind them. f is called by one goroutine at a time, and again for the same
// records if the brokers were in trouble.
func (c *Console) past(ctx context.Context, topics []string, f func(*stream.Record)) (map[string][]int64, error) {
	next := map[string][]int64{}
	err := c.patiently(ctx, "the last records cannot be read, trying again", func() error {
		tails, err := c.pastTails(ctx, topics)
		for _, t := range tails {
			next[t.Topic] = t.Until
		}
		if err != nil {
			return err
		}
		return c.client.EachOfAll(ctx, tails, func(rec *stream.Record) error {
			f(rec)
			return nil
		})
	})
	return next, err
}

// patiently calls f until it succeeds, as long as its trouble may pass.
func (c *Console) patiently(ctx context.Context, trouble string, f func() error) error {
	for {
		err := f()
		if !errors.Is(err, stream.ErrRetriable) && !errors.Is(err, stream.ErrOffsetOutOfRange) {
			return err
		}
		c.log.Warn(trouble, "error", err)
		if !stream.Sleep(ctx, lookAgain) {
			return ctx.Err()
		}
	}
}

// pastTails returns the last records of each partition of the topics that are there.
func (c *Console) pastTails(ctx context.Context, topics []string) (tails []stream.Tail, err error) {
	for _, topic := range topics {
		_, exists, err := c.client.FindTopic(ctx, topic)
		if err != nil {
			return nil, err
		}
		if !exists {
			continue
		}
		t, err := c.client.TailFrom(ctx, topic, stream.TailStart{})
		if err != nil {
			return nil, err
		}
		for p := range t.From {
			t.From[p] = max(t.From[p], t.Until[p]-int64(c.options.Keep))
		}
		tails = append(tails, t)
	}
	return tails, nil
}

// tail calls f for the batches of all partitions of a topic as they come, from the given offsets
// on, and for records of new partitions from their start.
func (c *Console) tail(ctx context.Context, topic string, next []int64,
	f func(context.Context, []stream.Record)) error {
	var g sync.WaitGroup
	defer g.Wait()
	for started := 0; ; {
		n, err := c.awaitTopic(ctx, topic)
		if err != nil {
			return err
		}
		for ; started < n; started++ {
			from := int64(0)
			if started < len(next) {
				from = next[started]
			}
			p := started
			g.Go(func() { c.tailPartition(ctx, topic, p, from, f) })
		}
		if !stream.Sleep(ctx, 5*lookAgain) {
			return ctx.Err()
		}
	}
}

// tailPartition calls f for the batches of a partition until ctx ends. What was deleted or cannot
// be read is passed over.
func (c *Console) tailPartition(ctx context.Context, topic string, p int, next int64,
	f func(context.Context, []stream.Record)) {
	for ctx.Err() == nil {
		got, err := worker.FetchUnread(ctx, c.client, stream.FetchRequest{Topic: topic, Partition: p, Offset: next,
			MaxBytes: tailBytes, Schemas: topic == c.options.Topics.Training})
		var out *stream.OffsetError
		switch {
		case err == nil:
			if len(got.Records) > 0 {
				f(ctx, got.Records)
			}
			next = got.Next
			c.meter.reached(topic, p, next, got.LastStable)
		case errors.As(err, &out):
			if out.End >= 0 && out.End < next {
				c.memory.leavePartition(topic, p)
				c.corrections.leavePartition(topic, p)
			}
			next = max(out.LogStart, 0)
			stream.Sleep(ctx, lookAgain)
		case ctx.Err() == nil:
			c.log.Warn("a partition cannot be read, trying again", "topic", topic, "partition", p, "error", err)
			stream.Sleep(ctx, lookAgain)
		}
	}
}

const tailBytes = 1 << 20
