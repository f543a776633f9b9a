//go:build kafka

package stream_test

import (
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestLogAppendTime needs a real broker: kfake keeps the producer's time whatever
// message.timestamp.type says.
func TestLogAppendTime(t *testing.T) {
	topic := kafkatest.Topic(t, 1, map[string]string{"message.timestamp.type": "LogAppendTime"})
	kafkatest.Produce(t, topic, 0, stream.Record{Time: time.UnixMilli(1), Value: []byte("x")}, stream.Record{Time: time.UnixMilli(2), Value: []byte("y")})
	for _, r := range kafkatest.ReadAll(t, topic, 0) {
		if time.Since(r.Time) > time.Hour {
			t.Errorf("the time is %s, want the broker's", r.Time)
		}
	}
}
