package kafkatest_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// client is what Memory has of a *stream.Client.
type client interface {
	Produce(ctx context.Context, topic string, partition int, records []stream.Record) (base int64, err error)
	Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error)
	Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error)
}

// TestMemoryAnswersLikeABroker asks both for the same.
func TestMemoryAnswersLikeABroker(t *testing.T) {
	topic := kafkatest.Topic(t, 1, nil)
	memory := kafkatest.NewMemory()
	memory.CreateTopic(topic, 1)
	ask := func(c client) (answers []string) {
		say := func(format string, args ...any) { answers = append(answers, fmt.Sprintf(format, args...)) }
		for _, values := range [][]string{{"a", "b"}, {"c"}} {
			var records []stream.Record
			for _, v := range values {
				records = append(records, stream.Record{Key: []byte("k" + v), Value: []byte(v), Headers: []stream.Header{{Key: "h", Value: []byte(v)}}})
			}
			base, err := c.Produce(t.Context(), topic, 0, records)
			say("produce: %d %v", base, err)
		}
		first, end, err := c.Offsets(t.Context(), topic, 0)
		say("offsets: %d %d %v", first, end, err)
		for _, r := range []stream.FetchRequest{{}, {Offset: 2}, {Offset: 3}, {Offset: 4}, {Offset: 2, MaxBytes: 1}} {
			r.Topic = topic
			got, err := c.Fetch(t.Context(), r)
			var out *stream.OffsetError
			if errors.As(err, &out) {
				say("fetch %d: %d to %d", r.Offset, out.LogStart, out.End)
				continue
			}
			say("fetch %d: next %d of %d to %d and %d, %v", r.Offset, got.Next, got.LogStart, got.HighWatermark, got.LastStable, err)
			for _, rec := range got.Records {
				say("%s/%d/%d: %s %s %s %v", rec.Topic, rec.Partition, rec.Offset, rec.Key, rec.Value, rec.Headers, rec.Time.IsZero())
			}
		}
		_, err = c.Fetch(t.Context(), stream.FetchRequest{Topic: topic + "-none"})
		say("no topic: %v", errors.Is(err, stream.ErrUnknownTopic))
		_, err = c.Fetch(t.Context(), stream.FetchRequest{Topic: topic, Partition: 1})
		say("no partition: %v", errors.Is(err, stream.ErrUnknownPartition))
		return answers
	}
	if got, want := ask(memory), ask(kafkatest.Dial(t)); !reflect.DeepEqual(got, want) {
		t.Errorf("Memory says\n%q\na broker\n%q", got, want)
	}
}
