package classify

import (
	"context"
	"errors"

	"bayestream/internal/shell/stream"
)

// output is where a partition writes its answers, and the group's offset with them. It is a
// transaction, or repeating.
type output interface {
	Produce(ctx context.Context, topic string, partition int, records []stream.Record) error
	Commit(ctx context.Context, offset int64) error
}

// repeating is the output of a delivery at least once: what is written is visible at once, and is
// written again if the offset was not committed before a crash.
type repeating struct {
	broker broker
	assign stream.Assignment
}

// Produce writes the records, perhaps more than once.
func (r repeating) Produce(ctx context.Context, topic string, partition int, records []stream.Record) error {
	_, err := r.broker.ProduceRetry(ctx, topic, partition, records)
	return err
}

// Commit tells the group that everything before offset is answered.
func (r repeating) Commit(_ context.Context, offset int64) error { return r.assign.Commit(offset) }

// open sets p.out and returns the offset that the group has committed. If the brokers refuse
// transactions at the start, this worker delivers at least once from then on. Later it waits until
// they are allowed again.
func (p *partition) open(ctx context.Context) (committed int64, err error) {
	if p.delivers(atLeastOnce) {
		p.out = repeating{p.broker, p.assign}
		return p.assign.Offset, nil
	}
	p.out, committed, err = p.takeOver(ctx, p.assign)
	if err == nil {
		p.transacted.Store(true)
	}
	if errors.Is(err, stream.ErrNoTransactions) && !p.transacted.Load() {
		p.refuseTransactions(err)
		return p.open(ctx)
	}
	return committed, err
}

// The values of --delivery.
const (
	exactlyOnce = "exactly-once"
	atLeastOnce = "at-least-once"
)

// delivers reports whether the delivery is this one.
func (c *classifier) delivers(delivery string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.delivery == delivery
}

// deliver sets the delivery, and says so in the metrics.
func (c *classifier) deliver(delivery string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delivery = delivery
	c.metrics.ExactlyOnce(delivery == exactlyOnce)
}

// refuseTransactions goes on at least once, and says why, once.
func (c *classifier) refuseTransactions(why error) {
	if c.delivers(exactlyOnce) {
		c.log.Warn("decisions are delivered at least once, not exactly once: after a crash some are there twice", "reason",
			why)
	}
	c.deliver(atLeastOnce)
}
