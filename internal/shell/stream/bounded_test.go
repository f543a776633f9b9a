package stream_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestBoundedFetches: a bounded fetch waits until there is room for its records, whatever else
// waits.
func TestBoundedFetches(t *testing.T) {
	const value = 100 << 10
	topic := kafkatest.Topic(t, 3, nil)
	for partition := range 3 {
		for range 2 {
			kafkatest.Produce(t, topic, partition, stream.Record{Value: bytes.Repeat([]byte("x"), value)})
		}
	}
	memory := budget.New(2 * value * 16 / 5) // less than two responses, and not quite two records
	client := kafkatest.DialConfig(t, stream.Config{Brokers: kafkatest.Start(t), Memory: memory})
	ctx := deadline(t)
	fetch := func(ctx context.Context, partition int) (stream.Fetched, error) {
		return client.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: partition, Bounded: true})
	}
	first, err := fetch(ctx, 0)
	if err != nil || len(first.Records) != 1 || first.Bytes() < value || memory.Held(budget.Fetched) != first.Bytes() {
		t.Fatalf("%d records in %d bytes, %d held, %v", len(first.Records), first.Bytes(), memory.Held(budget.Fetched), err)
	}
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := fetch(short, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while there is no room: %v, want to wait", err)
	}
	if got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic}); err != nil || len(got.Records) == 0 || got.Bytes() != 0 {
		t.Errorf("a fetch that is not bounded: %v", err)
	}
	done := make(chan error)
	for partition := range 3 {
		go func() {
			got, err := fetch(ctx, partition)
			got.Release()
			got.Release() // once only
			done <- err
		}()
	}
	first.Release()
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, k := range budget.Kinds() {
		if n := memory.Held(k); n != 0 {
			t.Errorf("%d bytes %s are held after the last release", n, k)
		}
	}
	if most := memory.Most(); most > memory.Limit()+value {
		t.Errorf("%d bytes were held at once, want at most %d and a record", most, memory.Limit())
	}
}

// TestFetchOfNothingHoldsNothing: readers that wait for records leave the room to others.
func TestFetchOfNothingHoldsNothing(t *testing.T) {
	topic := kafkatest.Topic(t, 1, nil)
	client := kafkatest.DialConfig(t, stream.Config{Brokers: kafkatest.Start(t), Memory: budget.New(1)})
	kafkatest.Produce(t, topic, 0, stream.Record{Value: []byte("x")})
	for range 3 {
		if _, err := client.Fetch(deadline(t), stream.FetchRequest{Topic: topic, Offset: 1, MaxWait: 50 * time.Millisecond, Bounded: true}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		got, err := client.Fetch(deadline(t), stream.FetchRequest{Topic: topic, Bounded: true})
		if err != nil || len(got.Records) != 1 {
			t.Fatalf("%d records, %v", len(got.Records), err)
		}
		got.Release()
	}
}
