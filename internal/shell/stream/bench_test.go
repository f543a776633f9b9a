package stream_test

import (
	"bytes"
	"context"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// A thousand records of 200 bytes, as a producer sends them.
func thousand() []stream.Record {
	records := make([]stream.Record, 1000)
	for i := range records {
		records[i] = stream.Record{Key: []byte("some key"), Value: bytes.Repeat([]byte("0123456789"), 20)}
	}
	return records
}

func BenchmarkProduce(b *testing.B) {
	client, topic, batch := kafkatest.Dial(b), kafkatest.Topic(b, 1, nil), thousand()
	b.ReportAllocs()
	b.SetBytes(1000 * 200)
	for b.Loop() {
		if _, err := client.Produce(context.Background(), topic, 0, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "records/s")
}

func BenchmarkFetch(b *testing.B) {
	for _, codec := range []string{"none", "lz4", "zstd"} {
		b.Run(codec, func(b *testing.B) {
			client := kafkatest.DialConfig(b, stream.Config{Brokers: kafkatest.Start(b), Compression: codec})
			topic, batch := kafkatest.Topic(b, 1, nil), thousand()
			for range 100 {
				if _, err := client.Produce(context.Background(), topic, 0, batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			read, next := 0, int64(0)
			for b.Loop() {
				got, err := client.Fetch(context.Background(), stream.FetchRequest{Topic: topic, Offset: next})
				if err != nil {
					b.Fatal(err)
				}
				read += len(got.Records)
				if next = got.Next; next == 100*1000 {
					next = 0
				}
			}
			b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
