package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go/compress"
	"github.com/twmb/franz-go/pkg/kfake"
)

// awkward are records in which everything that can be null or empty is.
func awkward() []stream.Record {
	at := time.UnixMilli(1_700_000_000_123).UTC()
	return []stream.Record{
		{Time: at, Key: []byte("key"), Value: []byte("value"), Headers: []stream.Header{{Key: "a", Value: []byte("1")}, {Key: "a", Value: []byte("2")}, {Key: "null"}, {Key: "empty", Value: []byte{}}, {Value: []byte("no name")}}},
		{Time: at.Add(-time.Hour), Value: []byte("null key")},
		{Time: at.Add(time.Hour), Key: []byte("null value")},
		{Time: at, Key: []byte{}, Value: []byte{}},
		{Time: at},
		{Time: at, Key: bytes.Repeat([]byte{0xff, 0}, 300), Value: bytes.Repeat([]byte("long "), 20_000)},
	}
}

// exactBytes compares byte slices fast and keeps null and empty apart.
var exactBytes = cmp.Comparer(func(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) })

func placed(records []stream.Record, topic string, partition int, base int64) []stream.Record {
	for i := range records {
		records[i].Topic, records[i].Partition, records[i].Offset = topic, partition, base+int64(i)
	}
	return records
}

func TestRoundTrip(t *testing.T) {
	ctx := deadline(t)
	for _, codec := range []string{"", "none", "gzip", "snappy", "lz4", "zstd"} {
		t.Run("codec "+codec, func(t *testing.T) {
			client := kafkatest.DialConfig(t, stream.Config{Brokers: kafkatest.Start(t), Compression: codec})
			topic := kafkatest.Topic(t, 2, nil)
			for i := range int64(2) {
				base, err := client.Produce(ctx, topic, 1, awkward())
				if err != nil || base != 6*i {
					t.Fatalf("Produce = %d, %v, want %d", base, err, 6*i)
				}
			}
			got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := append(placed(awkward(), topic, 1, 0), placed(awkward(), topic, 1, 6)...)
			if diff := cmp.Diff(want, got.Records, exactBytes); diff != "" {
				t.Error(diff)
			}
			if got.Next != 12 || got.HighWatermark != 12 || got.LastStable != 12 || got.LogStart != 0 || got.LeaderEpoch < 0 {
				t.Errorf("next %d, high watermark %d, last stable %d, log start %d, epoch %d, want 12, 12, 12, 0, at least 0",
					got.Next, got.HighWatermark, got.LastStable, got.LogStart, got.LeaderEpoch)
			}
		})
	}
}

// TestForeignCodecs reads what franz-go compressed.
func TestForeignCodecs(t *testing.T) {
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		t.Run(codec, func(t *testing.T) {
			topic := kafkatest.Topic(t, 1, nil)
			kafkatest.ProduceCompressed(t, codec, topic, 0, awkward()...)
			got := kafkatest.ReadAll(t, topic, 0)
			if diff := cmp.Diff(placed(awkward(), topic, 0, 0), got, exactBytes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProduceSetsTheTime(t *testing.T) {
	topic := kafkatest.Topic(t, 1, nil)
	before := time.Now().Add(-time.Millisecond)
	kafkatest.Produce(t, topic, 0, stream.Record{Value: []byte("now")})
	got := kafkatest.ReadAll(t, topic, 0)[0].Time
	if got.Before(before) || got.After(time.Now()) {
		t.Errorf("a record without a time got %s, want now", got)
	}
}

// TestLogsArePacked: what Produce writes is packed where no codec is named, and what ProduceRetry writes is not.
func TestLogsArePacked(t *testing.T) {
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: kafkatest.Start(t)}), deadline(t)
	topic := kafkatest.Topic(t, 1, map[string]string{"max.message.bytes": "1000"})
	large := []stream.Record{{Value: make([]byte, 5000)}}
	if _, err := client.Produce(ctx, topic, 0, large); err != nil {
		t.Error(err)
	}
	if _, err := client.ProduceRetry(ctx, topic, 0, large); !errors.Is(err, stream.ErrRecordTooLarge) {
		t.Errorf("ProduceRetry: %v, want ErrRecordTooLarge", err)
	}
	if got := kafkatest.ReadAll(t, topic, 0); len(got) != 1 || !bytes.Equal(got[0].Value, large[0].Value) {
		t.Errorf("%d records are read back, want the first one", len(got))
	}
}

func TestProduceErrors(t *testing.T) {
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: kafkatest.Start(t), Compression: "none"}), deadline(t)
	topic := kafkatest.Topic(t, 1, map[string]string{"max.message.bytes": "1000"})
	_, err := client.Produce(ctx, topic, 0, []stream.Record{{Value: make([]byte, 5000)}})
	if !errors.Is(err, stream.ErrRecordTooLarge) || errors.Is(err, stream.ErrRetriable) || !strings.Contains(err.Error(), topic+"/0") {
		t.Errorf("a record that is too large: %v, want ErrRecordTooLarge", err)
	}
	if _, err = client.ProduceRetry(ctx, topic, 0, []stream.Record{{Value: make([]byte, 5000)}}); !errors.Is(err, stream.ErrRecordTooLarge) {
		t.Errorf("ProduceRetry of a record that is too large: %v, want ErrRecordTooLarge", err)
	}
	if _, err := client.Produce(ctx, topic, 0, nil); err == nil {
		t.Error("a batch without records is taken")
	}
	if _, end, _ := client.Offsets(ctx, topic, 0); end != 0 {
		t.Errorf("after refusals the end is %d, want 0", end)
	}
}

func TestFetchFromTheMiddleOfABatch(t *testing.T) {
	client, ctx := kafkatest.Dial(t), deadline(t)
	for _, codec := range []string{"none", "zstd"} {
		topic := kafkatest.Topic(t, 1, nil)
		kafkatest.ProduceCompressed(t, codec, topic, 0, numbered("a", 10)...)
		kafkatest.ProduceCompressed(t, codec, topic, 0, numbered("b", 10)...)
		for from := range int64(20) {
			got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: from})
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range got.Records {
				name := "a"
				if r.Offset >= 10 {
					name = "b"
				}
				if want := fmt.Sprintf("%s-%d", name, r.Offset%10); r.Offset != from+int64(i) || string(r.Value) != want {
					t.Fatalf("from %d record %d is %q at %d, want %q at %d", from, i, r.Value, r.Offset, want, from+int64(i))
				}
			}
			if len(got.Records) == 0 || got.Next != got.Records[len(got.Records)-1].Offset+1 {
				t.Errorf("from %d: %d records, next %d", from, len(got.Records), got.Next)
			}
		}
	}
}

func TestFetchOutOfRange(t *testing.T) {
	client, ctx := kafkatest.Dial(t), deadline(t)
	topic := kafkatest.Topic(t, 1, nil)
	kafkatest.Produce(t, topic, 0, numbered("x", 10)...)
	_, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: 11})
	var out *stream.OffsetError
	if !errors.As(err, &out) || !errors.Is(err, stream.ErrOffsetOutOfRange) || errors.Is(err, stream.ErrRetriable) {
		t.Fatalf("beyond the end: %v, want an OffsetError", err)
	}
	if out.Topic != topic || out.Partition != 0 || out.Offset != 11 || out.LogStart != 0 || out.End != 10 {
		t.Errorf("beyond the end: %+v, want 0 to 10", out)
	}
	kafkatest.DeleteRecords(t, topic, 0, 4)
	if _, err = client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: 3}); !errors.As(err, &out) || out.LogStart != 4 || out.End != 10 {
		t.Errorf("before the start: %v, want 4 to 10", err)
	}
	got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: 4})
	if err != nil || len(got.Records) != 6 || got.LogStart != 4 {
		t.Errorf("from the new start: %d records, log start %d, %v, want 6 and 4", len(got.Records), got.LogStart, err)
	}
	for _, bad := range []stream.FetchRequest{{Topic: topic, Offset: -1}, {Topic: topic, Partition: -1}, {Topic: topic, MaxBytes: -1}, {Topic: topic, MaxWait: -1}} {
		if _, err := client.Fetch(ctx, bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

func TestFetchWaits(t *testing.T) {
	t.Parallel()
	client, ctx := kafkatest.Dial(t), deadline(t)
	topic := kafkatest.Topic(t, 1, nil)
	start := time.Now()
	got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, MaxWait: 700 * time.Millisecond})
	if took := time.Since(start); err != nil || len(got.Records) != 0 || got.Next != 0 || took < 650*time.Millisecond || took > 20*time.Second {
		t.Errorf("on an empty partition: %d records, next %d, %v after %s, want none after 700ms", len(got.Records), got.Next, err, took)
	}
	go func() {
		time.Sleep(300 * time.Millisecond)
		kafkatest.Produce(t, topic, 0, numbered("late", 1)...)
	}()
	start = time.Now()
	got, err = client.Fetch(ctx, stream.FetchRequest{Topic: topic, MaxWait: 50 * time.Second})
	if took := time.Since(start); err != nil || len(got.Records) != 1 || took > 40*time.Second {
		t.Errorf("when a record comes meanwhile: %d records, %v after %s, want it at once", len(got.Records), err, took)
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	start = time.Now()
	_, err = client.Fetch(short, stream.FetchRequest{Topic: topic, Offset: 1, MaxWait: 50 * time.Second})
	if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 40*time.Second {
		t.Errorf("when the context ends: %v after %s", err, took)
	}
}

// TestFetchOversizedRecord: a record larger than MaxBytes comes nevertheless.
func TestFetchOversizedRecord(t *testing.T) {
	client, ctx := kafkatest.Dial(t), deadline(t)
	topic := kafkatest.Topic(t, 1, map[string]string{"max.message.bytes": "4194304"})
	large := bytes.Repeat([]byte("0123456789"), 300_000)
	kafkatest.Produce(t, topic, 0, stream.Record{Value: []byte("small")})
	kafkatest.Produce(t, topic, 0, stream.Record{Value: large})
	kafkatest.Produce(t, topic, 0, stream.Record{Value: []byte("after")})
	var got []string
	for next := int64(0); next < 3; {
		fetched, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: next, MaxBytes: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if fetched.Next == next {
			t.Fatalf("no progress at %d", next)
		}
		got, next = append(got, values(fetched.Records)...), fetched.Next
	}
	if want := []string{"small", string(large), "after"}; !slices.Equal(got, want) {
		t.Errorf("%d records, want small, large, after", len(got))
	}
}

// bomb is a batch of one record that unpacks to many megabytes.
func bomb(t *testing.T) []byte {
	t.Helper()
	plain := stream.PlainRecord(0, nil, make([]byte, 70<<20))
	var packed bytes.Buffer
	w := compress.Zstd.Codec().NewWriter(&packed)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return stream.NewBatch(int8(compress.Zstd), 1, packed.Bytes())
}

func TestFetchRefusesABomb(t *testing.T) {
	ctx := deadline(t)
	client := kafkatest.DialConfig(t, stream.Config{Brokers: kafkatest.Start(t)})
	topic := kafkatest.Topic(t, 1, nil)
	kafkatest.Produce(t, topic, 0, numbered("before", 3)...)
	if base, err := client.ProduceRaw(ctx, topic, 0, bomb(t)); err != nil || base != 3 {
		t.Fatalf("the broker does not take the bomb: %d, %v", base, err)
	}
	kafkatest.Produce(t, topic, 0, numbered("after", 2)...)
	got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic})
	if err != nil || got.Next != 3 || len(got.Records) != 3 {
		t.Fatalf("before the bomb: %d records, next %d, %v, want 3, 3", len(got.Records), got.Next, err)
	}
	_, err = client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: 3})
	var bad *stream.BatchError
	if !errors.As(err, &bad) || !errors.Is(err, stream.ErrBadBatch) || errors.Is(err, stream.ErrRetriable) {
		t.Fatalf("at the bomb: %v, want a BatchError", err)
	}
	if bad.Topic != topic || bad.Offset != 3 || bad.Next != 4 || !strings.Contains(err.Error(), topic+"/0 offset 3") || !strings.Contains(err.Error(), "limit of 67108864 bytes") {
		t.Errorf("at the bomb: %v, want topic, partition, offset and limit", err)
	}
	got, err = client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: bad.Next})
	if err != nil || !slices.Equal(values(got.Records), []string{"after-0", "after-1"}) {
		t.Errorf("after the bomb: %q, %v", values(got.Records), err)
	}
}

// TestCompactedTopic: a reader gets past the offsets that compaction removed,
// also from within them. (kafka-go's own readers are known to hang there.)
func TestCompactedTopic(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1))
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()}), deadline(t)
	err := client.CreateTopic(ctx, stream.TopicSpec{Name: "t", Partitions: 1, Config: map[string]string{
		"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0", "segment.bytes": "1000",
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 { // three keys of which the last value stays, and six that stay, in the middle of batches
		var batch []stream.Record
		for j := range 5 {
			batch = append(batch, stream.Record{Key: fmt.Appendf(nil, "key-%d", (i+j)%3), Value: fmt.Appendf(nil, "%d", i*5+j)})
		}
		if i%10 == 0 {
			batch[2].Key = fmt.Appendf(nil, "unique-%d", i)
		}
		if _, err := client.Produce(ctx, "t", 0, batch); err != nil {
			t.Fatal(err)
		}
	}
	cluster.Compact()
	first, _, err := client.Offsets(ctx, "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	for from := first; from < 300; from += 7 {
		var got []stream.Record
		requests := 0
		for next := from; next < 300; requests++ {
			fetched, err := client.Fetch(ctx, stream.FetchRequest{Topic: "t", Offset: next})
			if err != nil {
				t.Fatal(err)
			}
			if fetched.Next == next {
				t.Fatalf("no progress at %d", next)
			}
			got, next = append(got, fetched.Records...), fetched.Next
		}
		if from == first && (len(got) > 50 || len(got) < 9) {
			t.Fatalf("%d records are left of 300: nothing was compacted, or too much", len(got))
		}
		for _, r := range got {
			if r.Offset < from || string(r.Value) != fmt.Sprint(r.Offset) {
				t.Fatalf("from %d: %q at offset %d", from, r.Value, r.Offset)
			}
		}
	}
}
