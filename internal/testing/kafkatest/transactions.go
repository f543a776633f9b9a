package kafkatest

import (
	"testing"
	"time"

	"bayestream/internal/shell/stream"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Transaction is an open transaction with its own producer.
type Transaction struct {
	tb      testing.TB
	client  *kgo.Client
	touched map[place]bool
	done    bool
}

// place is a partition of a topic.
type place struct {
	topic     string
	partition int
}

// Begin opens a transaction. If tb ends before Commit or Abort, it is aborted.
func Begin(tb testing.TB) *Transaction {
	tb.Helper()
	client := newClient(tb, kgo.TransactionalID(unique(tb)), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	t := &Transaction{tb: tb, client: client, touched: make(map[place]bool)}
	tb.Cleanup(func() {
		if !t.done {
			t.Abort()
		}
	})
	if err := client.BeginTransaction(); err != nil {
		tb.Fatalf("begin a transaction: %v", err)
	}
	return t
}

// Produce writes records within the transaction and returns the offset of the
// first.
func (t *Transaction) Produce(topic string, partition int, records ...stream.Record) int64 {
	t.tb.Helper()
	t.touched[place{topic, partition}] = true
	return produceWith(t.tb, t.client, topic, partition, records)
}

// Commit makes the records visible to readers of committed records.
func (t *Transaction) Commit() { t.end(kgo.TryCommit) }

// Abort ends the transaction; readers of committed records never see its records.
func (t *Transaction) Abort() { t.end(kgo.TryAbort) }

// end ends the transaction and waits for its markers, one record in each
// partition, which a real broker writes some time after its answer. It cannot
// tell a marker from a record that another producer writes at that moment.
func (t *Transaction) end(how kgo.TransactionEndTry) {
	t.tb.Helper()
	t.done = true
	defer t.client.Close()
	ctx := bounded(t.tb)
	client := Dial(t.tb)
	before := make(map[place]int64)
	endOf := func(p place) int64 {
		_, end, err := Offsets(ctx, client, p.topic, p.partition)
		if err != nil {
			t.tb.Fatal(err)
		}
		return end
	}
	for p := range t.touched {
		before[p] = endOf(p)
	}
	if err := t.client.EndTransaction(ctx, how); err != nil {
		t.tb.Errorf("end a transaction: %v", err)
		return
	}
	for p, end := range before {
		for endOf(p) == end {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// ProduceCompressed writes records with franz-go and returns the offset of the
// first, for tests of batches that another client compressed. codec is none,
// gzip, snappy, lz4 or zstd.
func ProduceCompressed(tb testing.TB, codec, topic string, partition int, records ...stream.Record) int64 {
	tb.Helper()
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	with, ok := codecs[codec]
	if !ok {
		tb.Fatalf("no codec %q: want none, gzip, snappy, lz4 or zstd", codec)
	}
	client := newClient(tb, kgo.ProducerBatchCompression(with), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	defer client.Close()
	return produceWith(tb, client, topic, partition, records)
}

// produceWith writes records with a client of franz-go and returns the offset of
// the first.
func produceWith(tb testing.TB, client *kgo.Client, topic string, partition int, records []stream.Record) int64 {
	tb.Helper()
	var sent []*kgo.Record
	for _, r := range records {
		k := &kgo.Record{Topic: topic, Partition: int32(partition), Key: r.Key, Value: r.Value, Timestamp: r.Time}
		for _, h := range r.Headers {
			k.Headers = append(k.Headers, kgo.RecordHeader(h))
		}
		sent = append(sent, k)
	}
	results := client.ProduceSync(bounded(tb), sent...)
	if err := results.FirstErr(); err != nil {
		tb.Fatalf("produce with franz-go: %v", err)
	}
	first := results[0].Record.Offset
	for _, r := range results {
		first = min(first, r.Record.Offset)
	}
	return first
}
