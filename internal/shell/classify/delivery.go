package classify

import (
	"context"
	"errors"
	"slices"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
)

// routes say to which topic an answer goes.
type routes struct {
	topics []string       // each once, sorted
	labels map[string]int // the index of their topic
	other  int            // the index of the topic of all other labels, and of no label
}

// newRoutes returns the routes of --route.
func newRoutes(c *config.Classify) routes {
	byLabel := c.Routes()
	other, found := byLabel[config.OtherLabels]
	if !found {
		other = c.LabelsTopic
	}
	r := routes{topics: []string{other}, labels: map[string]int{}}
	for _, topic := range byLabel {
		r.topics = append(r.topics, topic)
	}
	slices.Sort(r.topics)
	r.topics = slices.Compact(r.topics)
	for label, topic := range byLabel {
		r.labels[label] = slices.Index(r.topics, topic)
	}
	r.other = slices.Index(r.topics, other)
	return r
}

// of returns the index of the topic for a label, "" for none.
func (r *routes) of(label string) int {
	if topic, found := r.labels[label]; found && label != config.OtherLabels {
		return topic
	}
	return r.other
}

// routed are the answers of a batch that go to one topic.
type routed struct {
	topic   string
	records []stream.Record
	origins []int // index of the document of each of them
}

// sort sets p.sorted to the first n answers that are no dead letters, by topic. Those to null
// documents go to each topic: the record that they delete may be in any.
func (p *partition) sort(n int) {
	if p.sorted == nil {
		p.sorted = make([]routed, len(p.routes.topics))
	}
	for t := range p.sorted {
		p.sorted[t] = routed{p.routes.topics[t], p.sorted[t].records[:0], p.sorted[t].origins[:0]}
	}
	for i := range p.answers[:n] {
		a := &p.answers[i]
		switch {
		case a.dead:
		case a.status != "":
			p.sorted[p.routes.of(a.label)].add(&a.record, i)
		default:
			for t := range p.sorted {
				p.sorted[t].add(&a.record, i)
			}
		}
	}
}

// add adds the answer to the i-th document.
func (r *routed) add(answer *stream.Record, i int) {
	r.records = append(r.records, *answer)
	r.origins = append(r.origins, i)
}

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
