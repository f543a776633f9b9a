package stream

import (
	"context"
	"fmt"
)

// keyedBatch bounds the records that a KeyedWriter sends to a partition at once: below the size
// that a topic allows by default.
const (
	keyedBatchBytes   = 512 << 10
	keyedBatchRecords = 2000
)

// A KeyedWriter writes records to the partitions of a topic that Kafka's own default partitioner
// picks for their keys. Records without a key go to one partition until its batch is full, then to
// the next. It is not safe for concurrent use.
type KeyedWriter struct {
	client  *Client
	topic   string
	batches []keyedBatch // one for each partition
	keyless int          // the partition of records without a key
}

// keyedBatch is what was not yet sent to a partition, and what was.
type keyedBatch struct {
	records []Record
	bytes   int
	written Written
}

// Written says where a KeyedWriter wrote. Other producers may have written between First and Last.
type Written struct {
	Partition int   `json:"partition"`
	Records   int64 `json:"records"`
	First     int64 `json:"first"` // offset of the first record
	Last      int64 `json:"last"`  // of the last
}

// NewKeyedWriter returns a writer to a topic that exists.
func (c *Client) NewKeyedWriter(ctx context.Context, topic string) (*KeyedWriter, error) {
	info, err := c.Topic(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("topic %q: %w", topic, err)
	}
	w := &KeyedWriter{client: c, topic: topic, batches: make([]keyedBatch, info.Partitions)}
	for p := range w.batches {
		w.batches[p].written.Partition = p
	}
	return w, nil
}

// Write adds a record to the batch of its partition, and sends the batch if it is full. The
// record's memory must not change until Flush returns. What Write sends is durable when it returns;
// ProduceRetry says what a lost response does.
func (w *KeyedWriter) Write(ctx context.Context, r Record) error {
	if r.Key != nil {
		return w.WriteTo(ctx, Murmur2Partition(r.Key, len(w.batches)), r)
	}
	if w.isFull(w.keyless, r.Size()) {
		if err := w.send(ctx, w.keyless); err != nil {
			return err
		}
		w.keyless = (w.keyless + 1) % len(w.batches)
	}
	return w.WriteTo(ctx, w.keyless, r)
}

// WriteTo is Write to a partition that the caller knows.
func (w *KeyedWriter) WriteTo(ctx context.Context, partition int, r Record) error {
	if partition >= len(w.batches) {
		return fmt.Errorf("%s/%d: %w", w.topic, partition, ErrUnknownPartition)
	}
	if w.isFull(partition, r.Size()) {
		if err := w.send(ctx, partition); err != nil {
			return err
		}
	}
	b := &w.batches[partition]
	b.records = append(b.records, r)
	b.bytes += r.Size()
	return nil
}

func (w *KeyedWriter) isFull(partition, size int) bool {
	b := &w.batches[partition]
	return len(b.records) == keyedBatchRecords || len(b.records) > 0 && b.bytes+size > keyedBatchBytes
}

// Flush sends what was not yet sent.
func (w *KeyedWriter) Flush(ctx context.Context) error {
	for p := range w.batches {
		if err := w.send(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (w *KeyedWriter) send(ctx context.Context, partition int) error {
	b := &w.batches[partition]
	if len(b.records) == 0 {
		return nil
	}
	base, err := w.client.ProduceRetry(ctx, w.topic, partition, b.records)
	if err != nil {
		return err
	}
	n := int64(len(b.records))
	if b.written.Records == 0 {
		b.written.First = base
	}
	b.written.Records += n
	b.written.Last = base + n - 1
	clear(b.records)
	b.records = b.records[:0]
	b.bytes = 0
	return nil
}

// Partitions returns how many partitions the topic has.
func (w *KeyedWriter) Partitions() int { return len(w.batches) }

// Written returns what was sent, by partition, without those that got nothing.
func (w *KeyedWriter) Written() []Written {
	var out []Written
	for p := range w.batches {
		if w.batches[p].written.Records > 0 {
			out = append(out, w.batches[p].written)
		}
	}
	return out
}
