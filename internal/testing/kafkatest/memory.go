package kafkatest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"bayestream/internal/shell/stream"
)

// Memory holds topics in memory. It answers like a *stream.Client, without network and goroutines,
// so that loops over it run in a bubble of testing/synctest. Create it inside of the bubble.
type Memory struct {
	mutex     sync.Mutex
	topics    map[string]memoryTopic
	changed   chan struct{} // closed at the next change
	created   int           // topics, ever
	epoch     int32         // of the leader that was elected last, of any partition
	noIDs     bool          // topics have none
	intercept func(MemoryRequest) error
	groups    map[place]*memoryGroup // by partition that was taken over
}

// MemoryRequest is a request to a Memory.
type MemoryRequest struct {
	Kind      string // fetch, produce, offsets, id, take over or commit
	Topic     string
	Partition int
	Offset    int64           // of a fetch or a commit
	Single    bool            // a fetch of one record
	Records   []stream.Record // to produce
}

type memoryTopic struct {
	id         stream.TopicID
	partitions []memoryPartition
}

type memoryPartition struct {
	first, end int64
	records    []stream.Record
	leaders    []leader // in order; the last leader appends
}

// leader is an epoch of the leader of a partition, and the first offset that it may have appended.
type leader struct {
	epoch int32
	from  int64
}

// NewMemory returns a Memory without topics.
func NewMemory() *Memory {
	return &Memory{topics: map[string]memoryTopic{}, changed: make(chan struct{})}
}

// Intercept has f called before each request, without a lock. An error of f is the answer to the
// request.
func (m *Memory) Intercept(f func(MemoryRequest) error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.intercept = f
}

// HideIDs makes topics have no ids, as old brokers do.
func (m *Memory) HideIDs() { m.change(func() { m.noIDs = true }) }

// CreateTopic creates an empty topic. If it exists, it is deleted first. Its leaders are of epoch
// 0, as those of the topic before were.
func (m *Memory) CreateTopic(name string, partitions int) {
	m.change(func() {
		m.created++
		id := stream.TopicID{14: byte(m.created >> 8), 15: byte(m.created)}
		m.topics[name] = memoryTopic{id, slices.Repeat([]memoryPartition{{leaders: []leader{{}}}}, partitions)}
	})
}

// Elect gives a partition another leader, which has the records before the offset end: after an
// unclean election, fewer than were acknowledged.
func (m *Memory) Elect(topic string, partition int, end int64) {
	m.change(func() {
		m.epoch++
		p := &m.topics[topic].partitions[partition]
		p.end = min(p.end, end)
		p.records = slices.DeleteFunc(slices.Clone(p.records), func(r stream.Record) bool { return r.Offset >= p.end })
		kept := slices.DeleteFunc(slices.Clone(p.leaders), func(l leader) bool { return l.from >= p.end })
		p.leaders = append(kept, leader{m.epoch, p.end})
	})
}

// epochOf returns the epoch of the leader that appended the record at an offset.
func (p *memoryPartition) epochOf(offset int64) int32 {
	for _, l := range slices.Backward(p.leaders) {
		if l.from <= offset {
			return l.epoch
		}
	}
	return -1
}

// Truncate deletes the records of a partition before an offset.
func (m *Memory) Truncate(topic string, partition int, first int64) {
	m.change(func() {
		p := &m.topics[topic].partitions[partition]
		p.first = first
		p.records = slices.DeleteFunc(slices.Clone(p.records), func(r stream.Record) bool { return r.Offset < first })
	})
}

// Skip uses up n offsets of a partition without a record, as the markers of transactions do.
func (m *Memory) Skip(topic string, partition int, n int64) {
	m.change(func() { m.topics[topic].partitions[partition].end += n })
}

// Topic describes a topic, whose settings nobody sees.
func (m *Memory) Topic(_ context.Context, name string) (stream.TopicInfo, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	t, ok := m.topics[name]
	if !ok {
		return stream.TopicInfo{}, fmt.Errorf("topic %q: %w", name, stream.ErrUnknownTopic)
	}
	return stream.TopicInfo{Partitions: len(t.partitions)}, nil
}

// Records returns the records of a partition.
func (m *Memory) Records(topic string, partition int) []stream.Record {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return slices.Clone(m.topics[topic].partitions[partition].records)
}

// change runs f under the lock and wakes the fetches that wait.
func (m *Memory) change(f func()) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	f()
	close(m.changed)
	m.changed = make(chan struct{})
}

// Produce appends records to a partition and returns the offset of the first.
func (m *Memory) Produce(ctx context.Context, topic string, partition int, records []stream.Record) (base int64,
	err error) {
	request := MemoryRequest{Kind: "produce", Topic: topic, Partition: partition, Records: records}
	if err := m.before(ctx, request); err != nil {
		return -1, err
	}
	m.change(func() {
		var p *memoryPartition
		p, err = m.partition(topic, partition)
		if err != nil {
			return
		}
		base = p.end
		p.append(topic, partition, records)
	})
	return base, err
}

// append appends copies of records.
func (p *memoryPartition) append(topic string, partition int, records []stream.Record) {
	for _, r := range records {
		r.Topic = topic
		r.Partition = partition
		r.Offset = p.end
		if r.Time.IsZero() {
			r.Time = time.Now()
		}
		p.records = append(p.records, copied(r))
		p.end++
	}
}

// copied returns a copy of a record, whose buffers may be used again.
func copied(r stream.Record) stream.Record {
	r.Key = slices.Clone(r.Key)
	r.Value = slices.Clone(r.Value)
	r.Headers = slices.Clone(r.Headers)
	for i := range r.Headers {
		r.Headers[i].Value = slices.Clone(r.Headers[i].Value)
	}
	return r
}

// ProduceRetry is Produce: a Memory has no temporary failures.
func (m *Memory) ProduceRetry(ctx context.Context, topic string, partition int, records []stream.Record) (base int64,
	err error) {
	return m.Produce(ctx, topic, partition, records)
}

// Offsets returns the first offset of a partition and the one after its last.
func (m *Memory) Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error) {
	if err := m.before(ctx, MemoryRequest{Kind: "offsets", Topic: topic, Partition: partition}); err != nil {
		return 0, 0, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	p, err := m.partition(topic, partition)
	if err != nil {
		return 0, 0, err
	}
	return p.first, p.end, nil
}

// Replace puts another record at an offset, in the leader epoch of the one before.
func (m *Memory) Replace(topic string, partition int, offset int64, with stream.Record) {
	m.change(func() {
		p := &m.topics[topic].partitions[partition]
		with.Topic = topic
		with.Partition = partition
		with.Offset = offset
		p.records = slices.Clone(p.records)
		for i := range p.records {
			if p.records[i].Offset == offset {
				p.records[i] = with
			}
		}
	})
}

// TopicID returns the id of a topic, zero after HideIDs.
func (m *Memory) TopicID(ctx context.Context, topic string, partition int) (id stream.TopicID, err error) {
	if err := m.before(ctx, MemoryRequest{Kind: "id", Topic: topic, Partition: partition}); err != nil {
		return id, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if _, err := m.partition(topic, partition); err != nil || m.noIDs {
		return id, err
	}
	return m.topics[topic].id, nil
}

// Fetch returns the records from an offset on, and waits for some as a broker does. MaxBytes of 1
// asks for one record; no other value limits the answer.
func (m *Memory) Fetch(ctx context.Context, r stream.FetchRequest) (stream.Fetched, error) {
	request := MemoryRequest{Kind: "fetch", Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
		Single: r.MaxBytes == 1}
	if err := m.before(ctx, request); err != nil {
		return stream.Fetched{}, err
	}
	wait := r.MaxWait
	if wait == 0 {
		wait = stream.DefaultMaxWait
	}
	var timeout <-chan time.Time
	for {
		m.mutex.Lock()
		got, err := m.fetch(request)
		changed := m.changed
		m.mutex.Unlock()
		if err != nil {
			return got, err
		}
		if got.Next > r.Offset {
			return m.identify(ctx, r, got)
		}
		if timeout == nil {
			timeout = time.After(wait)
		}
		select {
		case <-changed:
		case <-timeout:
			return got, nil
		case <-ctx.Done():
			return got, context.Cause(ctx)
		}
	}
}

// identify asks for the id of the topic behind a fetch that wants it and brought records: it may be
// another topic by then.
func (m *Memory) identify(ctx context.Context, r stream.FetchRequest, got stream.Fetched) (stream.Fetched, error) {
	if !r.Identify || len(got.Records) == 0 {
		return got, nil
	}
	var err error
	got.TopicID, err = m.TopicID(ctx, r.Topic, r.Partition)
	return got, err
}

// fetch returns the records that exist, without waiting. The caller holds the lock.
func (m *Memory) fetch(r MemoryRequest) (stream.Fetched, error) {
	p, err := m.partition(r.Topic, r.Partition)
	if err != nil {
		return stream.Fetched{}, err
	}
	if r.Offset < p.first || r.Offset > p.end {
		return stream.Fetched{}, &stream.OffsetError{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
			LogStart: p.first, End: p.end}
	}
	got := stream.Fetched{Next: p.end, LogStart: p.first, HighWatermark: p.end, LastStable: p.end, LeaderEpoch: -1}
	from, _ := slices.BinarySearchFunc(p.records, r.Offset,
		func(rec stream.Record, offset int64) int { return cmp.Compare(rec.Offset, offset) })
	if from < len(p.records) {
		got.Records = slices.Clip(p.records[from:]) // records are never changed in place
	}
	if r.Single && len(got.Records) > 0 {
		got.Records = got.Records[:1:1]
		got.Next = got.Records[0].Offset + 1
	}
	if n := len(got.Records); n > 0 {
		got.LeaderEpoch = p.epochOf(got.Records[n-1].Offset)
	}
	return got, nil
}

// before returns the error that a request gets instead of an answer.
func (m *Memory) before(ctx context.Context, r MemoryRequest) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.mutex.Lock()
	intercept := m.intercept
	m.mutex.Unlock()
	if intercept == nil {
		return nil
	}
	return intercept(r)
}

// partition returns a partition. The caller holds the lock.
func (m *Memory) partition(topic string, partition int) (*memoryPartition, error) {
	t, ok := m.topics[topic]
	switch {
	case !ok:
		return nil, fmt.Errorf("topic %q: %w", topic, stream.ErrUnknownTopic)
	case partition >= len(t.partitions):
		return nil, fmt.Errorf("%s/%d: %w", topic, partition, stream.ErrUnknownPartition)
	}
	return &t.partitions[partition], nil
}
