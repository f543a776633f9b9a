package modellog_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// Clone copies more than one batch, each record at its offset and with its time, and only into a
// topic that nobody else writes to.
func TestClone(t *testing.T) {
	client := kafkatest.Dial(t)
	from, to := kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil)
	at := time.UnixMilli(1_700_000_000_000)
	for i := range 4 {
		kafkatest.Produce(t, from, 0, stream.Record{Time: at.Add(time.Duration(i) * time.Hour), Value: bytes.Repeat([]byte{byte(i)}, 400<<10)})
	}
	batches := 0
	if err := modellog.Clone(t.Context(), client, from, to, 3, func(int) { batches++ }); err != nil {
		t.Fatal(err)
	}
	want, got := kafkatest.ReadAll(t, from, 0)[:3], kafkatest.ReadAll(t, to, 0)
	if len(got) != len(want) || batches != 2 {
		t.Fatalf("%d records in %d batches, want %d in 2", len(got), batches, len(want))
	}
	for i := range want {
		if got[i].Offset != want[i].Offset || !got[i].Time.Equal(want[i].Time) || !bytes.Equal(got[i].Value, want[i].Value) {
			t.Errorf("record %d: offset %d of %v with %d bytes, want %d of %v with %d", i, got[i].Offset, got[i].Time, len(got[i].Value), want[i].Offset, want[i].Time, len(want[i].Value))
		}
	}
	var refused *modellog.RefusedError
	if err := modellog.Clone(t.Context(), client, from, to, -1, nil); !errors.As(err, &refused) {
		t.Errorf("into a topic with records: %v", err)
	}
	var short *modellog.DifferenceError
	if err := modellog.Clone(t.Context(), client, from, to, 5, nil); !errors.As(err, &short) {
		t.Errorf("beyond the end: %v", err)
	}
	kafkatest.DeleteRecords(t, from, 0, 1)
	var cut *modellog.TruncatedError
	if err := modellog.Clone(t.Context(), client, from, to, -1, nil); !errors.As(err, &cut) {
		t.Errorf("of a topic without its start: %v", err)
	}
}
