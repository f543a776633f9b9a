package kafkatest

import (
	"context"
	"errors"

	"bayestream/internal/shell/stream"
)

// memoryGroup is what a group knows of a partition.
type memoryGroup struct {
	owners    int   // how often it was taken over
	committed int64 // the offset, that of the first assignment before any was committed
}

// MemoryProducer writes transactions into a Memory, as a *stream.Producer does into a broker. Their
// records are in no log until they are committed.
type MemoryProducer struct {
	memory *Memory
	place  place
	group  *memoryGroup
	owner  int
	open   []MemoryRequest
	broken error
}

// TakeOver returns a producer for the assigned partition, and the offset that was committed for it:
// that of the assignment if none was. The producer before is fenced.
func (m *Memory) TakeOver(ctx context.Context, a stream.Assignment) (*MemoryProducer, int64, error) {
	if err := m.before(ctx, MemoryRequest{Kind: "take over", Topic: a.Topic, Partition: a.Partition}); err != nil {
		return nil, -1, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	at := place{a.Topic, a.Partition}
	if m.groups == nil {
		m.groups = map[place]*memoryGroup{}
	}
	if m.groups[at] == nil {
		m.groups[at] = &memoryGroup{committed: a.Offset}
	}
	group := m.groups[at]
	group.owners++
	return &MemoryProducer{memory: m, place: at, group: group, owner: group.owners}, group.committed, nil
}

// Produce keeps records for the commit.
func (p *MemoryProducer) Produce(ctx context.Context, topic string, partition int, records []stream.Record) error {
	request := MemoryRequest{Kind: "produce", Topic: topic, Partition: partition}
	for _, r := range records {
		request.Records = append(request.Records, copied(r))
	}
	if err := p.check(ctx, request); err != nil {
		return err
	}
	p.open = append(p.open, request)
	return nil
}

// Commit appends the records and sets the offset at once.
func (p *MemoryProducer) Commit(ctx context.Context, offset int64) error {
	if err := p.check(ctx, MemoryRequest{Kind: "commit", Topic: p.place.topic, Partition: p.place.partition,
		Offset: offset}); err != nil {
		return err
	}
	p.memory.change(func() {
		for _, r := range p.open {
			p.memory.topics[r.Topic].partitions[r.Partition].append(r.Topic, r.Partition, r.Records)
		}
		p.group.committed = offset
	})
	p.open = nil
	return nil
}

// check returns the error that a request gets. After most errors there are no others.
func (p *MemoryProducer) check(ctx context.Context, r MemoryRequest) error {
	if p.broken != nil {
		return p.broken
	}
	err := p.memory.before(ctx, r)
	p.memory.mutex.Lock()
	defer p.memory.mutex.Unlock()
	if p.group.owners != p.owner {
		err = stream.ErrFenced
	}
	if !errors.Is(err, stream.ErrRecordTooLarge) {
		p.broken = err
	}
	return err
}
