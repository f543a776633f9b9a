package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/shell/stream"

	"google.golang.org/protobuf/proto"
)

// client is the connection of a process to the broker. Its requests take time, and may fail.
type client struct {
	*world
	process *process
}

// actor is a goroutine of a process. It has random numbers of its own, so that what it does depends
// on no other.
type actor struct {
	name string
	rnd  *rand.Rand
}

type actorKey struct{}

func (w *world) actor(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, actorKey{}, &actor{name, w.random(name)})
}

func actorOf(ctx context.Context) *actor { return ctx.Value(actorKey{}).(*actor) }

// errKilled answers the requests of a process that was killed: it has no effect any more.
var errKilled = errors.New("the process was killed")

// sleep lets a random time pass.
func (a *actor) sleep(most time.Duration) { time.Sleep(time.Duration(1 + a.rnd.Int64N(int64(most)))) }

// pass lets the time of one way between process and broker pass.
func (c *client) pass(ctx context.Context) error {
	a := actorOf(ctx)
	a.sleep(10 * time.Millisecond)
	for c.process.asleep() {
		a.sleep(300 * time.Millisecond)
	}
	if c.process.isDead() {
		return errKilled
	}
	return context.Cause(ctx)
}

// fails reports whether one of n requests is this one, and fails.
func (c *client) fails(ctx context.Context, n int) bool {
	return c.o.Network && !c.isCalm() && actorOf(ctx).rnd.IntN(n) == 0
}

func (c *client) lostRequest(what string) error {
	c.count("requests lost: " + what)
	return fmt.Errorf("%s: the connection broke: %w", what, stream.ErrRetriable)
}

// Offsets is that of a *stream.Client.
func (c *client) Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error) {
	if err := c.pass(ctx); err != nil {
		return 0, 0, err
	}
	if c.fails(ctx, 30) {
		return 0, 0, c.lostRequest("offsets")
	}
	first, end, err = c.memory.Offsets(ctx, topic, partition)
	if err := c.pass(ctx); err != nil {
		return 0, 0, err
	}
	return first, end, err
}

// Topic is that of a *stream.Client.
func (c *client) Topic(ctx context.Context, name string) (info stream.TopicInfo, err error) {
	if err := c.pass(ctx); err != nil {
		return info, err
	}
	info, err = c.memory.Topic(ctx, name)
	if err := c.pass(ctx); err != nil {
		return info, err
	}
	return info, err
}

// TopicID is that of a *stream.Client.
func (c *client) TopicID(ctx context.Context, topic string, partition int) (id stream.TopicID, err error) {
	if err := c.pass(ctx); err != nil {
		return id, err
	}
	if c.fails(ctx, 30) {
		return id, c.lostRequest("id")
	}
	id, err = c.memory.TopicID(ctx, topic, partition)
	if err := c.pass(ctx); err != nil {
		return id, err
	}
	return id, err
}

// Fetch is that of a *stream.Client.
func (c *client) Fetch(ctx context.Context, r stream.FetchRequest) (stream.Fetched, error) {
	if err := c.pass(ctx); err != nil {
		return stream.Fetched{}, err
	}
	if c.fails(ctx, 30) {
		return stream.Fetched{}, c.lostRequest("fetch")
	}
	if !c.isCalm() && actorOf(ctx).rnd.IntN(4) == 0 {
		r.MaxBytes = 1
	}
	identify := r.Identify
	r.Identify = false
	got, err := c.memory.Fetch(ctx, r)
	if err := c.pass(ctx); err != nil {
		return stream.Fetched{}, err
	}
	if err != nil {
		return got, err
	}
	if identify && len(got.Records) > 0 { // a request of its own: the topic may be another one by then
		got.TopicID, err = c.TopicID(ctx, r.Topic, r.Partition)
		if err != nil {
			return stream.Fetched{}, err
		}
	}
	return untilDamaged(r, got)
}

// damaged is the value of a record whose batch no client can read.
const damaged = "damaged"

// untilDamaged returns what comes before the first such batch, or the error that a fetch of it
// gets.
func untilDamaged(r stream.FetchRequest, got stream.Fetched) (stream.Fetched, error) {
	i := slices.IndexFunc(got.Records, func(rec stream.Record) bool { return string(rec.Value) == damaged })
	if i < 0 {
		return got, nil
	}
	next := got.Records[i].Offset
	if next == r.Offset {
		return stream.Fetched{}, &stream.BatchError{Topic: r.Topic, Partition: r.Partition, Offset: next, Next: next + 1, Err: errors.New("damaged")}
	}
	got.Records = got.Records[:i]
	got.Next = next
	return got, nil
}

// Produce is that of a *stream.Client: after an error the records may be in the topic, or come
// later.
func (c *client) Produce(ctx context.Context, topic string, partition int, records []stream.Record) (base int64, err error) {
	if err := c.pass(ctx); err != nil {
		return -1, err
	}
	a := actorOf(ctx)
	fault := -1
	if c.fails(ctx, 6) {
		fault = a.rnd.IntN(4)
	}
	switch fault {
	case 0:
		c.trace("%s: %s is lost", a.name, topic)
		return -1, c.lostRequest("append")
	case 1:
		c.later(ctx, topic, partition, records)
		return -1, c.lostRequest("append that comes late")
	case 2:
		c.count("appends twice")
		if _, err := c.deliver(a, topic, partition, records); err != nil {
			return -1, err
		}
		a.sleep(time.Millisecond)
	}
	base, err = c.deliver(a, topic, partition, records)
	if err := c.pass(ctx); err != nil {
		return -1, err
	}
	if fault == 3 {
		c.trace("%s: the answer is lost", a.name)
		return -1, c.lostRequest("answer to an append")
	}
	return base, err
}

// deliver appends records to a topic, until the schedule has gone wrong: what writes on and on
// would fill the memory.
func (c *client) deliver(a *actor, topic string, partition int, records []stream.Record) (int64, error) {
	if c.t.Failed() {
		return -1, errors.New("the schedule has gone wrong")
	}
	base, err := c.memory.Produce(context.Background(), topic, partition, records)
	if topic == "training" && err == nil {
		c.noteForwards(partition, records)
	}
	if c.keeps {
		c.trace("%s appends %s/%d/%d%s", a.name, topic, partition, base, inWords(topic, records[0].Value))
	}
	return base, err
}

// inWords says what a record of the model log is. The checksum would not do: the id of a log is
// random.
func inWords(topic string, value []byte) string {
	var r logpb.Record
	if topic != "model" || proto.Unmarshal(value, &r) != nil || r.GetDelta() == nil {
		return ""
	}
	said := fmt.Sprintf(": %d documents", r.GetDelta().GetCounts().GetDocuments())
	for _, of := range r.GetDelta().GetRanges() {
		said += fmt.Sprintf(", %s/%d [%d, %d), %d bytes of changes of the ledger, skips %v", of.GetTopic(), of.GetPartition(), of.GetStart(), of.GetEnd(),
			len(of.GetLedger().GetChanges()), of.GetSkippedOffset())
	}
	return said
}

// later appends records when nobody waits for it any more.
func (c *client) later(ctx context.Context, topic string, partition int, records []stream.Record) {
	a := actorOf(ctx)
	after := time.Duration(1 + a.rnd.Int64N(int64(8*time.Second)))
	c.late.Go(func() {
		time.Sleep(after)
		_, _ = c.deliver(a, topic, partition, records) // a topic is never gone for good
	})
}

// ProduceRetry is that of a *stream.Client.
func (c *client) ProduceRetry(ctx context.Context, topic string, partition int, records []stream.Record) (base int64, err error) {
	for {
		base, err = c.Produce(ctx, topic, partition, records)
		if !errors.Is(err, stream.ErrRetriable) {
			return base, err
		}
	}
}

// DeadLetters is that of a *worker.Worker.
func (c *client) DeadLetters(ctx context.Context, partition int32, records []stream.Record) error {
	for i := range records {
		if _, err := c.ProduceRetry(ctx, "dead", int(partition), records[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// LogMessageBytes returns that nothing is known.
func (c *client) LogMessageBytes() int { return 0 }

// ReportPartition is that of a *worker.Worker.
func (c *client) ReportPartition(partition int, err error) {
	if err != nil && !errors.Is(err, errKilled) && !errors.Is(err, context.Canceled) {
		c.trace("%s has trouble with partition %d: %v", c.process.name, partition, err)
	}
}
