package stream_test

import (
	"fmt"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestTail reads a topic from its start, from a time and from its end, up to its end and on.
func TestTail(t *testing.T) {
	topic, client := kafkatest.Topic(t, 2, nil), kafkatest.Dial(t)
	early := time.Now().Add(-time.Hour)
	for p := range 2 {
		kafkatest.Produce(t, topic, p, stream.Record{Time: early, Value: fmt.Appendf(nil, "%d/0", p)}, stream.Record{Value: fmt.Appendf(nil, "%d/1", p)})
	}
	read := func(from stream.TailStart, on bool, stopAfter int) map[string]bool {
		t.Helper()
		tail, err := client.TailFrom(t.Context(), topic, from)
		if err != nil {
			t.Fatal(err)
		}
		if on {
			tail.Until = nil
			kafkatest.Produce(t, topic, 1, stream.Record{Value: []byte("late")})
		}
		got := map[string]bool{}
		err = client.EachOf(t.Context(), tail, func(r *stream.Record) error {
			got[string(r.Value)] = true
			if len(got) == stopAfter {
				return stream.ErrStop
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := read(stream.TailStart{}, false, -1); len(got) != 4 {
		t.Errorf("from the start: %v", got)
	}
	if got := read(stream.TailStart{Time: early.Add(time.Minute)}, false, -1); len(got) != 2 || !got["0/1"] || !got["1/1"] {
		t.Errorf("from a time: %v", got)
	}
	if got := read(stream.TailStart{End: true}, true, 1); !got["late"] {
		t.Errorf("from the end: %v", got)
	}
}
