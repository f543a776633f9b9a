package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"
)

// copyLoop reads a topic and writes as many messages to another with kafka-go: ReadBatch and a
// Writer for each partition, and a committed offset after each chunk. It writes value; if that is
// nil, the value it has read.
func (b *bench) copyLoop(ctx context.Context, from, to, group string, value []byte) error {
	g, ctx := errgroup.WithContext(ctx)
	for p := range b.partitions {
		_, end, err := b.client.Offsets(ctx, from, p)
		if err != nil {
			return err
		}
		g.Go(func() error { return b.copyPartition(ctx, from, to, group, p, value, end) })
	}
	return g.Wait()
}

// chunk is how many messages are written in one batch.
const chunk = 2000

func (b *bench) copyPartition(ctx context.Context, from, to, group string, partition int, value []byte,
	end int64) error {
	conn, err := kafka.DialLeader(ctx, "tcp", b.brokers[0], from, partition)
	if err != nil {
		return fmt.Errorf("read %s/%d: %w", from, partition, err)
	}
	defer func() { _ = conn.Close() }()
	w := &kafka.Writer{
		Addr: kafka.TCP(b.brokers...), Topic: to, Transport: &kafka.Transport{MetadataTTL: time.Second}, // the topic is new
		RequiredAcks: kafka.RequireAll, BatchSize: chunk, BatchBytes: 1 << 20, BatchTimeout: 5 * time.Millisecond,
		Balancer: kafka.BalancerFunc(func(kafka.Message, ...int) int { return partition }),
	}
	defer func() { _ = w.Close() }()
	offsets := &kafka.Client{Addr: kafka.TCP(b.brokers...)}
	var out []kafka.Message
	for next := int64(0); next < end; {
		out = out[:0]
		batch := conn.ReadBatchWith(kafka.ReadBatchConfig{MinBytes: 1, MaxBytes: 10 << 20, MaxWait: time.Second})
		for len(out) < chunk {
			m, err := batch.ReadMessage()
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrShortBuffer) {
				break
			}
			if err != nil {
				return errors.Join(err, batch.Close())
			}
			next = m.Offset + 1
			if value != nil {
				m.Value = value
			}
			out = append(out, kafka.Message{Key: m.Key, Value: m.Value})
		}
		if err := batch.Close(); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := conn.Seek(next, kafka.SeekAbsolute|kafka.SeekDontCheck); err != nil {
			return err
		}
		if err := w.WriteMessages(ctx, out...); err != nil {
			return fmt.Errorf("write %d messages to %s/%d: %w", len(out), to, partition, err)
		}
		if err := commit(ctx, offsets, group, from, partition, next); err != nil {
			return fmt.Errorf("commit %s/%d: %w", from, partition, err)
		}
	}
	return nil
}

func commit(ctx context.Context, c *kafka.Client, group, topic string, partition int, next int64) error {
	r, err := c.OffsetCommit(ctx, &kafka.OffsetCommitRequest{
		GroupID: group, GenerationID: -1,
		Topics: map[string][]kafka.OffsetCommit{topic: {{Partition: partition, Offset: next}}},
	})
	if err != nil {
		return err
	}
	for _, p := range r.Topics[topic] {
		if p.Error != nil {
			return p.Error
		}
	}
	return nil
}
