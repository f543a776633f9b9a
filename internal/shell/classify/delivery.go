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
	topics []string        // each once, sorted
	rules  []rule          // by status and confidence, in order
	labels map[string]rule // those by label
	other  int             // the index of the topic of what no rule fits
}

// rule is a condition of --route.
type rule struct {
	at     int     // where it is in --route
	topic  int     // the index of its topic
	status string  // of the decision; "": the label or the posterior decides
	below  float64 // the posterior is below it
}

// newRoutes returns the routes of --route.
func newRoutes(c *config.Classify) routes {
	all := c.Routes()
	other := c.LabelsTopic
	for _, route := range all {
		if route.Label == config.OtherLabels {
			other = route.Topic
		}
	}
	r := routes{topics: []string{other}, labels: map[string]rule{}}
	for _, route := range all {
		r.topics = append(r.topics, route.Topic)
	}
	slices.Sort(r.topics)
	r.topics = slices.Compact(r.topics)
	r.other = slices.Index(r.topics, other)
	for i, route := range all {
		rule := rule{i, slices.Index(r.topics, route.Topic), route.Status, route.Below}
		switch route.Label {
		case "":
			r.rules = append(r.rules, rule)
		case config.OtherLabels:
		default:
			r.labels[route.Label] = rule
		}
	}
	return r
}

// of returns the index of the topic of an answer with a decision: of the first rule that fits it.
func (r *routes) of(a *answer) int {
	label, isNamed := r.labels[a.label]
	for _, rule := range r.rules {
		if isNamed && label.at < rule.at {
			break
		}
		if a.status == rule.status || rule.status == "" && a.posterior < rule.below {
			return rule.topic
		}
	}
	if isNamed {
		return label.topic
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
			p.sorted[p.routes.of(a)].add(&a.record, i)
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
	if !p.once.Load() {
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

// exactlyOnce is a value of --delivery.
const exactlyOnce = "exactly-once"

// refuseTransactions goes on at least once, and says why, once.
func (c *classifier) refuseTransactions(why error) {
	if c.once.Swap(false) {
		c.log.Warn("decisions are delivered at least once, not exactly once: after a crash some are there twice", "reason",
			why)
		c.metrics.ExactlyOnce(false)
	}
}
