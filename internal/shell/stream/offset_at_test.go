package stream_test

import (
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestOffsetAt finds the first record at or after a time, whatever the batches.
func TestOffsetAt(t *testing.T) {
	client := kafkatest.Dial(t)
	topic := kafkatest.Topic(t, 1, nil)
	start := time.UnixMilli(1_700_000_000_000)
	for i := range 5 {
		at := start.Add(time.Duration(i) * time.Minute)
		kafkatest.Produce(t, topic, 0, stream.Record{Time: at, Value: []byte("x")})
	}
	for _, c := range []struct {
		at   time.Duration
		want int64
	}{{-time.Hour, 0}, {0, 0}, {time.Millisecond, 1}, {2 * time.Minute, 2}, {4 * time.Minute, 4}, {time.Hour, 5}} {
		got, err := client.OffsetAt(t.Context(), topic, 0, start.Add(c.at))
		if err != nil || got != c.want {
			t.Errorf("OffsetAt(start + %s) = %d, %v, want %d", c.at, got, err, c.want)
		}
	}
	empty := kafkatest.Topic(t, 1, nil)
	if got, err := client.OffsetAt(t.Context(), empty, 0, start); err != nil || got != 0 {
		t.Errorf("OffsetAt of an empty topic = %d, %v, want 0", got, err)
	}
}
