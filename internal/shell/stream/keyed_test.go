package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestKeyedWriter writes more than a batch: every key is in its partition, in order, and Written
// says where.
func TestKeyedWriter(t *testing.T) {
	const partitions, records = 3, 300
	topic := kafkatest.Topic(t, partitions, nil)
	w, err := kafkatest.Dial(t).NewKeyedWriter(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("x", 8<<10) // a partition's share is more than a batch
	for i := range records {
		r := stream.Record{Value: fmt.Appendf(nil, "%d %s", i, body)}
		if i%10 > 0 {
			r.Key = fmt.Appendf(nil, "k%d", i%7)
		}
		if err := w.Write(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, at := range w.Written() {
		got := kafkatest.ReadAll(t, topic, at.Partition)
		all += len(got)
		if int64(len(got)) != at.Records || got[0].Offset != at.First || got[len(got)-1].Offset != at.Last {
			t.Errorf("partition %d holds %d records, from %d to %d; the writer says %+v", at.Partition, len(got), got[0].Offset, got[len(got)-1].Offset, at)
		}
		last := map[string]int{}
		for _, r := range got {
			var n int
			if _, err := fmt.Sscan(string(r.Value[:4]), &n); err != nil {
				t.Fatal(err)
			}
			if r.Key == nil {
				continue
			}
			if before, seen := last[string(r.Key)]; seen && n < before {
				t.Errorf("key %s: record %d stands behind %d", r.Key, n, before)
			}
			last[string(r.Key)] = n
			if want := stream.Murmur2Partition(r.Key, partitions); want != at.Partition {
				t.Errorf("key %s is in partition %d, want %d", r.Key, at.Partition, want)
			}
		}
	}
	if all != records {
		t.Errorf("%d records arrived, want %d", all, records)
	}
}
