package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/config"
	"bayestream/internal/demo/news"
	"bayestream/internal/stream"
	"bayestream/internal/wire"

	"golang.org/x/sync/errgroup"
)

// bench is a cluster with a model on it.
type bench struct {
	brokers    []string
	client     *stream.Client
	log        *slog.Logger
	dir        string // of the model files
	name       string // what all topics and groups begin with
	partitions int
	python     string // "" leaves the consumer with scikit-learn out
	taught     string // the topic that the model was learned from
	runs       int    // how many groups and topics had a number
}

func newBench(ctx context.Context, brokers []string, o options, log *slog.Logger) (*bench, error) {
	client, err := stream.Dial(stream.Config{Brokers: brokers})
	if err != nil {
		return nil, err
	}
	if err := client.Ping(ctx); err != nil {
		client.Close()
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bayestream-throughput-")
	if err != nil {
		client.Close()
		return nil, err
	}
	name := fmt.Sprintf("bayestream-throughput-%x", time.Now().UnixNano())
	return &bench{brokers: brokers, client: client, log: log, dir: dir, name: name, partitions: o.partitions, python: o.python}, nil
}

func (b *bench) close() {
	b.client.Close()
	_ = os.RemoveAll(b.dir)
}

// newTopic creates a topic with a name of its own.
func (b *bench) newTopic(ctx context.Context, role string) (string, error) {
	b.runs++
	name := fmt.Sprintf("%s-%s-%d", b.name, role, b.runs)
	return name, b.client.CreateTopic(ctx, stream.TopicSpec{Name: name, Partitions: b.partitions})
}

// worker is what both workers are configured with; a run has groups and files of its own.
func (b *bench) worker(c *config.Worker, role, model string) {
	b.runs++
	c.Kafka.Brokers, c.Group, c.ModelTopic, c.DeadTopic = b.brokers, fmt.Sprintf("%s-%s-%d", b.name, role, b.runs), model, b.name+"-dead"
	c.State, c.CreateTopics, c.HTTP = filepath.Join(b.dir, fmt.Sprintf("%s-%d.db", role, b.runs)), true, ""
}

// fill writes n values to the partitions of a topic, in turn in batches.
func (b *bench) fill(ctx context.Context, topic string, n int, value func(dst []byte, i int) []byte) error {
	const batch = 2000
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(b.partitions)
	for from := 0; from < n; from += batch {
		var buf []byte
		var ends []int
		for i := from; i < min(from+batch, n); i++ {
			buf = value(buf, i)
			ends = append(ends, len(buf))
		}
		records, begin := make([]stream.Record, len(ends)), 0
		for i, end := range ends {
			records[i].Value, begin = buf[begin:end], end
		}
		g.Go(func() error { return b.write(ctx, topic, from/batch%b.partitions, records) })
	}
	return g.Wait()
}

// write writes records in batches that a topic takes.
func (b *bench) write(ctx context.Context, topic string, partition int, records []stream.Record) error {
	for len(records) > 0 {
		n, size := 0, 0
		for n < len(records) && size < 512<<10 {
			size += len(records[n].Value)
			n++
		}
		if _, err := b.client.ProduceRetry(ctx, topic, partition, records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// written returns how many records a topic that nobody deletes from has.
func (b *bench) written(ctx context.Context, topic string) (n int, err error) {
	for p := range b.partitions {
		_, end, err := b.client.Offsets(ctx, topic, p)
		if err != nil {
			return 0, err
		}
		n += int(end)
	}
	return n, nil
}

// texts are news, and news put together until they are long enough for a document of so many bytes.
func texts(bytes int) []news.Item {
	g := news.New(7)
	out := make([]news.Item, 5000)
	for i := range out {
		out[i] = g.Next()
		for len(wire.AppendDocument(nil, "document-000000", out[i].Text)) < bytes-40 {
			out[i].Text += " " + g.Next().Text
		}
	}
	return out
}
