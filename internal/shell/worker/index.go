package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// Index tells where the documents are that were labelled, by their ids. It reads the topics of the
// labels from their last records on. What it says is only a hint: whoever uses it reads the record
// and compares the id.
type Index struct {
	client labelsReader
	topics []string
	log    *slog.Logger

	mu      sync.Mutex
	places  Newest[string, Labelled]
	read    map[string][]int64 // next offset of each partition, by topic
	refused map[string]error   // why a topic is not read
}

// Labelled is where a document is that was labelled.
type Labelled struct {
	wire.Ref
	Time time.Time // of the decision: a younger record is another one
}

// labelsReader reads the topics. A *stream.Client is one.
type labelsReader interface {
	FindTopic(ctx context.Context, name string) (info stream.TopicInfo, exists bool, err error)
	Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error)
	Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error)
}

const (
	indexBytes   = 32 << 20 // of ids and places
	indexedBytes = 200      // of a place beside its id, about
	indexRecords = 200_000  // of each topic that are read at the start
)

const (
	indexAgain = 2 * time.Second       // after which a topic that is missing or refused is looked for again
	indexPause = 50 * time.Millisecond // after which somebody who waits for the end of a topic looks again
)

// NewIndex returns an index that reads nothing yet.
func NewIndex(client labelsReader, topics []string, log *slog.Logger) *Index {
	size := func(id string, _ Labelled) int { return len(id) + indexedBytes }
	return &Index{client: client, topics: topics, log: log, places: Newest[string, Labelled]{Most: indexBytes, Size: size},
		read: map[string][]int64{}, refused: map[string]error{}}
}

// Follow reads the topics until ctx ends.
func (x *Index) Follow(ctx context.Context) {
	var g sync.WaitGroup
	defer g.Wait()
	for _, topic := range x.topics {
		g.Go(func() { x.followTopic(ctx, topic) })
	}
}

// followTopic reads the partitions of a topic, and those that it gets later.
func (x *Index) followTopic(ctx context.Context, topic string) {
	var g sync.WaitGroup
	defer g.Wait()
	for started := 0; ctx.Err() == nil; stream.Sleep(ctx, indexAgain) {
		info, exists, err := x.client.FindTopic(ctx, topic)
		if err != nil {
			x.note(topic, err)
		}
		if err != nil || !exists {
			continue
		}
		for ; started < info.Partitions; started++ {
			p, last := started, int64(indexRecords/info.Partitions)
			x.mu.Lock()
			x.read[topic] = append(x.read[topic], 0)
			x.mu.Unlock()
			g.Go(func() { x.followPartition(ctx, topic, p, last) })
		}
	}
}

// followPartition reads a partition from the last so many of its records on.
func (x *Index) followPartition(ctx context.Context, topic string, partition int, last int64) {
	next := int64(-1)
	for ctx.Err() == nil {
		var got Fetched
		var err error
		if next < 0 {
			next, err = x.beginning(ctx, topic, partition, last)
		}
		if err == nil {
			got, err = FetchUnread(ctx, x.client, stream.FetchRequest{Topic: topic, Partition: partition, Offset: next})
		}
		switch {
		case err == nil:
			next = got.Next
			x.add(topic, partition, next, got.Records)
		case errors.Is(err, stream.ErrOffsetOutOfRange):
			next = -1 // the topic is another one
			x.add(topic, partition, 0, nil)
			stream.Sleep(ctx, indexAgain)
		default:
			x.note(topic, err)
			stream.Sleep(ctx, indexAgain)
		}
	}
}

// beginning returns the offset of the last so many records of a partition; -1 with an error.
func (x *Index) beginning(ctx context.Context, topic string, partition int, last int64) (int64, error) {
	first, end, err := x.client.Offsets(ctx, topic, partition)
	if err != nil {
		return -1, err
	}
	return max(first, end-last), nil
}

// note notes why a topic cannot be read.
func (x *Index) note(topic string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	was := x.refused[topic]
	x.refused[topic] = err
	if was == nil && !errors.Is(err, context.Canceled) {
		x.log.Warn("a topic of labels cannot be read: documents that were only labelled are not found by their ids",
			"topic", topic, "error", err)
	}
}

// add remembers the documents of decisions. The next record is at an offset.
func (x *Index) add(topic string, partition int, next int64, records []stream.Record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range records {
		if id, source := wire.ReadSource(&records[i]); id != "" && source != nil {
			x.places.Put(id, Labelled{*source, records[i].Time})
		}
	}
	x.read[topic][partition] = next
	delete(x.refused, topic)
}

// indexTime is how long Find waits for the ends of the topics.
const indexTime = 5 * time.Second

// Find returns where the document is that was labelled last under an id; nil: the topics do not say.
// It says so only when they are read up to where they end now. A nil index knows nothing.
func (x *Index) Find(ctx context.Context, id string) (*Labelled, error) {
	if x == nil {
		return nil, nil
	}
	if at, err := x.Place(id); at != nil || err != nil {
		return at, err
	}
	ctx, cancel := context.WithTimeout(ctx, indexTime)
	defer cancel()
	err := x.Reach(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w: %w", httpapi.ErrNotReady, err)
	}
	if err != nil {
		return nil, err
	}
	return x.Place(id)
}

// Place returns where the document is that was labelled last under an id, as far as the topics are
// read; nil: they do not say. The error says which of them may not be read.
func (x *Index) Place(id string) (*Labelled, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if at, known := x.places.Get(id); known {
		return &at, nil
	}
	for _, topic := range x.topics {
		if isDenied(x.refused[topic]) {
			return nil, x.refused[topic]
		}
	}
	return nil, nil
}

// isDenied reports whether the brokers do not let the worker read a topic.
func isDenied(err error) bool {
	return errors.As(err, new(*stream.RightError))
}

// Reach returns when the topics are read up to where they end now, without those that are not there
// or may not be read.
func (x *Index) Reach(ctx context.Context) error {
	for _, topic := range x.topics {
		err := x.await(ctx, topic)
		switch {
		case isDenied(err):
			x.note(topic, err)
		case err != nil && !errors.Is(err, stream.ErrUnknownTopic):
			return err
		}
	}
	return nil
}

// await returns when a topic is read up to where it ends now.
func (x *Index) await(ctx context.Context, topic string) error {
	info, exists, err := x.client.FindTopic(ctx, topic)
	if err != nil || !exists {
		return err
	}
	for p := range info.Partitions {
		end, err := committedEnd(ctx, x.client, topic, p)
		for err == nil && !x.reached(topic, p, end) {
			stream.Sleep(ctx, indexPause)
			if ctx.Err() != nil {
				return fmt.Errorf("topic %q of the labels is not read up to its end yet: %w", topic, ctx.Err())
			}
			var now int64
			now, err = committedEnd(ctx, x.client, topic, p)
			end = min(end, now) // it may be created again meanwhile
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) reached(topic string, partition int, end int64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return partition < len(x.read[topic]) && x.read[topic][partition] >= end
}

// committedEnd returns where the committed records of a partition end.
func committedEnd(ctx context.Context, client labelsReader, topic string, partition int) (int64, error) {
	_, end, err := client.Offsets(ctx, topic, partition)
	if err != nil {
		return 0, err
	}
	got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: partition, Offset: end, Committed: true,
		MaxWait: time.Millisecond})
	if err != nil {
		return 0, err
	}
	return min(end, got.LastStable), nil
}
