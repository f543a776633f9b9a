package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"bayestream/internal/shell/budget"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/fetch"
)

// Defaults of a FetchRequest.
const (
	DefaultMaxBytes = 4 << 20
	DefaultMaxWait  = 500 * time.Millisecond
)

// FetchRequest asks for the records of one partition from an offset on.
type FetchRequest struct {
	Topic     string
	Partition int
	Offset    int64
	// MaxBytes is the size to ask for, as batches are stored: DefaultMaxBytes
	// if 0. A first batch that is larger is returned nevertheless.
	MaxBytes int
	// MaxWait is how long the broker waits for a first record, DefaultMaxWait
	// if 0. Fetch returns no records only after it.
	MaxWait time.Duration
	// Committed leaves out the records of aborted transactions and stops
	// before the first open one.
	Committed bool
	// Bounded counts the response and the records against the client's Memory,
	// and waits until there is room. The caller then calls Release when it is
	// done with them, and waits for no other Bounded fetch until then.
	Bounded bool
	// Identify asks the broker that sent records for the id of the topic, behind
	// them: see Fetched.TopicID.
	Identify bool
	// Schemas gives the records their schemas, with the client's function of that
	// name. The answer ends before a record whose schema is not known yet; if that is
	// the first one, the error says what it waits for.
	Schemas bool
}

// Fetched is the result of a Fetch.
type Fetched struct {
	Records []Record
	// Next is the offset to ask for next. Control batches, aborted transactions
	// and compacted offsets after the last record are skipped, so that it may
	// advance without a record.
	Next int64
	// LogStart is the first offset that the partition holds, HighWatermark one
	// past the last, LastStable the first of an open transaction (or
	// HighWatermark): a Committed reader has caught up there.
	LogStart, HighWatermark, LastStable int64
	// LeaderEpoch is the epoch of the batch of the last record, -1 without one.
	LeaderEpoch int32
	// Interrupted says that attempts failed before this response. Meanwhile the
	// topic may have been deleted and created again, which nothing else shows.
	Interrupted bool
	// TopicID is the id that the topic had after the records were sent, of a
	// request with Identify that brought records. An id is never given twice, and
	// a broker knows the id of a new topic before it serves its records. So all
	// records are of the topic whose id this is, if it had that id before the fetch.
	TopicID TopicID

	room *budget.Room // that the records take; nil if the fetch is not Bounded
}

// Release gives back the room of a Bounded fetch. On a copy, or called again, it does nothing more.
func (f *Fetched) Release() {
	f.room.Release()
}

// Bytes returns how many bytes the records take; 0 if the fetch is not Bounded.
func (f *Fetched) Bytes() int { return f.room.Bytes() }

// Find returns the record at an offset, nil if it is not among the records of a fetch.
func Find(records []Record, offset int64) *Record {
	i, ok := slices.BinarySearchFunc(records, offset,
		func(r Record, offset int64) int { return cmp.Compare(r.Offset, offset) })
	if !ok {
		return nil
	}
	return &records[i]
}

func (r FetchRequest) String() string {
	return fmt.Sprintf("fetch %s/%d from offset %d", r.Topic, r.Partition, r.Offset)
}

// bad returns the error of a first batch that could not be received.
func (r FetchRequest) bad(err error) error {
	return &BatchError{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Next: r.Offset + 1, Err: err}
}

func (r FetchRequest) withDefaults(defaultBytes int) (FetchRequest, error) {
	r.MaxBytes = cmp.Or(r.MaxBytes, defaultBytes)
	r.MaxWait = cmp.Or(r.MaxWait, DefaultMaxWait)
	switch {
	case r.Offset < 0:
		return r, fmt.Errorf("%s: want an offset from 0 on: ask Offsets where the partition starts", r)
	case r.Partition < 0 || r.Partition > math.MaxInt32:
		return r, fmt.Errorf("%s: want a partition from 0 on", r)
	case r.MaxBytes < 0 || r.MaxBytes > math.MaxInt32/2 || r.MaxWait < 0:
		return r, fmt.Errorf("%s: at most %d bytes within %s are impossible limits", r, r.MaxBytes, r.MaxWait)
	}
	return r, nil
}

// Fetch returns the records of a partition from an offset on, as soon as one exists,
// and none after MaxWait. It follows the leader of the partition and retries
// temporary failures for up to 15 seconds. For an offset that the partition does not
// hold the error is an *[OffsetError], for a batch that cannot be read a
// *[BatchError]; the records before such a batch are returned first.
func (c *Client) Fetch(ctx context.Context, request FetchRequest) (Fetched, error) {
	bytes := DefaultMaxBytes
	if request.Bounded {
		bytes = c.fetchBytes()
	}
	request, err := request.withDefaults(bytes)
	if err != nil {
		return Fetched{}, err
	}
	var fetched Fetched
	attempts := 0
	err = c.retry(ctx, request.String(), patience+request.MaxWait, func(ctx context.Context) error {
		attempts++
		fetched, err = c.fetchWait(ctx, request)
		return err
	})
	if err != nil {
		return Fetched{}, err
	}
	fetched.Interrupted = attempts > 1
	if request.Schemas && c.config.Schemas != nil {
		err = fetched.attach(ctx, c.config.Schemas)
	}
	return fetched, err
}

// attach gives the records their schemas, and ends before one whose schema is not known yet.
func (f *Fetched) attach(ctx context.Context, schemas Attach) error {
	n, err := schemas(ctx, f.Records)
	switch {
	case err == nil:
		return nil
	case n == 0:
		f.Release()
		*f = Fetched{}
		return err
	}
	f.Next = f.Records[n].Offset
	f.Records = f.Records[:n]
	return nil
}

// emptyPause is the pause after an empty response that comes too early, to avoid a
// tight loop.
const emptyPause = 20 * time.Millisecond

func (c *Client) fetchWait(ctx context.Context, request FetchRequest) (Fetched, error) {
	deadline := time.Now().Add(request.MaxWait)
	for {
		fetched, err := c.fetchOnce(ctx, request)
		if err != nil || fetched.Next > request.Offset {
			return fetched, err
		}
		fetched.Release()
		request.MaxWait = time.Until(deadline)
		if request.MaxWait <= emptyPause || !Sleep(ctx, emptyPause) {
			return fetched, ctx.Err()
		}
	}
}

// fetchOnce makes one request, and a second one if the first batch is larger than
// MaxBytes.
func (c *Client) fetchOnce(ctx context.Context, request FetchRequest) (Fetched, error) {
	fetched, missing, err := c.fetch(ctx, request)
	if err != nil || missing == 0 {
		return fetched, err
	}
	if missing > batchLimit {
		return Fetched{}, request.bad(fmt.Errorf("%w of %d bytes: it has %d as it is stored", errBatchLimit, batchLimit,
			missing))
	}
	request.MaxBytes = missing
	fetched, missing, err = c.fetch(ctx, request)
	if err == nil && missing > 0 {
		err = fmt.Errorf("the broker sends only a part of a batch of %d bytes: %w", missing, io.ErrUnexpectedEOF)
	}
	return fetched, err
}

// fetch makes one request. missing is the size of the first batch if it did not fit,
// else 0.
func (c *Client) fetch(ctx context.Context, request FetchRequest) (fetched Fetched, missing int, err error) {
	p, received, err := c.receive(ctx, request)
	defer received.Release()
	if err != nil {
		return Fetched{}, 0, c.explainFetch(ctx, request, err)
	}
	set := recordSet{from: request.Offset, unpack: c.unpack, enough: batchLimit}
	if request.Bounded {
		set.enough = min(set.enough, unpackRatio*request.MaxBytes)
	}
	if request.Committed {
		set.filter = newTxnFilter(p.AbortedTransactions)
	}
	room, missing, err := c.decode(ctx, request.Bounded, &set, p.RecordBatches)
	if err != nil {
		room.Release()
		if bad, ok := errors.AsType[*BatchError](err); ok {
			bad.Topic = request.Topic
			bad.Partition = request.Partition
		}
		return Fetched{}, 0, err
	}
	for i := range set.records {
		set.records[i].Topic = request.Topic
		set.records[i].Partition = request.Partition
	}
	return Fetched{
		Records: set.records, Next: set.next, LeaderEpoch: set.epoch,
		LogStart: p.LogStartOffset, HighWatermark: p.HighWatermark, LastStable: p.LastStableOffset,
		TopicID: p.topicID, room: room,
	}, missing, nil
}

func fetchMessage(request FetchRequest) *fetch.Request {
	message := &fetch.Request{
		ReplicaID: -1, MaxWaitTime: int32(request.MaxWait / time.Millisecond), MinBytes: 1, MaxBytes: int32(request.MaxBytes),
		SessionEpoch: -1, // no fetch session
		Topics: []fetch.RequestTopic{{Topic: request.Topic, Partitions: []fetch.RequestPartition{{
			Partition: int32(request.Partition), CurrentLeaderEpoch: -1, FetchOffset: request.Offset,
			LogStartOffset: -1, PartitionMaxBytes: int32(request.MaxBytes),
		}}}},
	}
	if request.Committed {
		message.IsolationLevel = 1
	}
	return message
}

// explainFetch returns an error of the broker as the error that a reader needs to continue.
func (c *Client) explainFetch(ctx context.Context, request FetchRequest, err error) error {
	if errors.Is(err, errBatchLimit) {
		return request.bad(err)
	}
	if !errors.Is(err, kafka.OffsetOutOfRange) {
		return err
	}
	// The response has no offsets in this case.
	out := &OffsetError{Topic: request.Topic, Partition: request.Partition, Offset: request.Offset, LogStart: -1, End: -1}
	if first, err := c.listOffset(ctx, request.Topic, request.Partition, kafka.FirstOffset); err == nil {
		out.LogStart = first
	}
	if end, err := c.listOffset(ctx, request.Topic, request.Partition, kafka.LastOffset); err == nil {
		out.End = end
	}
	return out
}
