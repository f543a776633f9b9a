package stream_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"bayestream/internal/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestMemoryLimit: a bounded fetch waits until what the others hold is below the limit.
func TestMemoryLimit(t *testing.T) {
	topic := kafkatest.Topic(t, 2, nil)
	for partition := range 2 {
		for range 3 {
			kafkatest.Produce(t, topic, partition, stream.Record{Value: bytes.Repeat([]byte("x"), 100<<10)})
		}
	}
	client := kafkatest.DialConfig(t, stream.Config{Brokers: kafkatest.Start(t), MemoryLimit: 150 << 10})
	ctx := deadline(t)
	fetch := func(ctx context.Context, partition int, from int64) (stream.Fetched, error) {
		return client.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: partition, Offset: from, Bounded: true})
	}
	first, err := fetch(ctx, 0, 0)
	if err != nil || len(first.Records) == 0 || first.Share != 150<<10 {
		t.Fatalf("%d records, share %d, %v", len(first.Records), first.Share, err)
	}
	if len(first.Records) > 1 {
		t.Fatalf("a fetch of %d records of 100 KiB, want one: it asks for half of the limit", len(first.Records))
	}
	second, err := fetch(ctx, 1, 0) // the first holds less than the limit
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := fetch(short, 0, first.Next); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the limit is held: %v, want to wait", err)
	}
	if got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic}); err != nil || len(got.Records) == 0 {
		t.Errorf("a fetch that is not bounded: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		third, err := fetch(ctx, 0, first.Next)
		third.Release()
		done <- err
	}()
	first.Release()
	first.Release() // once only
	copied := first
	copied.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	second.Release()
}

// TestFetchOfNothingHoldsNothing: readers that wait for records leave the room to others.
func TestFetchOfNothingHoldsNothing(t *testing.T) {
	topic := kafkatest.Topic(t, 1, nil)
	client := kafkatest.DialConfig(t, stream.Config{Brokers: kafkatest.Start(t), MemoryLimit: 1})
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
