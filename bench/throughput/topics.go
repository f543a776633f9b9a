package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"bayestream/bench/labelled"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/demo/news"

	"golang.org/x/sync/errgroup"
)

// bench is a client of a cluster on which a model is learned.
type bench struct {
	brokers    []string
	client     *stream.Client
	log        *slog.Logger
	dir        string // of the model files
	name       string // prefix of all topics and groups
	partitions int
	commitEach time.Duration // of classify
	python     string        // "" leaves the consumer with scikit-learn out
	taught     string        // the topic that the model was learned from
	runs       int           // numbers used so far in names of topics and groups
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
	return &bench{brokers: brokers, client: client, log: log, dir: dir, name: name, partitions: o.partitions,
		commitEach: o.commitEach, python: o.python}, nil
}

func (b *bench) close() {
	b.client.Close()
	_ = os.RemoveAll(b.dir)
}

// newTopic creates a topic with a new name.
func (b *bench) newTopic(ctx context.Context, role string) (string, error) {
	b.runs++
	name := fmt.Sprintf("%s-%s-%d", b.name, role, b.runs)
	return name, b.client.CreateTopic(ctx, stream.TopicSpec{Name: name, Partitions: b.partitions})
}

// worker sets what both workers need; each run has a new group and a new file.
func (b *bench) worker(c *config.Worker, role, model string) {
	b.runs++
	c.Kafka.Brokers = b.brokers
	c.Group = fmt.Sprintf("%s-%s-%d", b.name, role, b.runs)
	c.ModelTopic = model
	c.DeadTopic = b.name + "-dead"
	c.State = filepath.Join(b.dir, fmt.Sprintf("%s-%d.db", role, b.runs))
	c.CreateTopics = true
	c.HTTP = ""
}

// fillBatch is how many values in a row get into one partition.
const fillBatch = 2000

// fill writes n values to a topic, in batches to its partitions in turn.
func (b *bench) fill(ctx context.Context, topic string, n int, value func(dst []byte, i int) []byte) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(b.partitions)
	for from := 0; from < n; from += fillBatch {
		var buf []byte
		var ends []int
		for i := from; i < min(from+fillBatch, n); i++ {
			buf = value(buf, i)
			ends = append(ends, len(buf))
		}
		records := make([]stream.Record, len(ends))
		begin := 0
		for i, end := range ends {
			records[i].Value = buf[begin:end]
			begin = end
		}
		g.Go(func() error { return b.write(ctx, topic, from/fillBatch%b.partitions, records) })
	}
	return g.Wait()
}

// write writes records in batches that a broker accepts.
func (b *bench) write(ctx context.Context, topic string, partition int, records []stream.Record) error {
	for len(records) > 0 {
		n := 0
		size := 0
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

// written returns how many records were written to a topic.
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

// texts returns news, several joined if necessary, such that a document with one of them has about
// so many bytes.
func texts(bytes int) []news.Item {
	g := news.New(7)
	out := make([]news.Item, 5000)
	for i := range out {
		out[i] = g.Next()
		for len(labelled.AppendDocument(nil, "document-000000", out[i].Text)) < bytes-40 {
			out[i].Text += " " + g.Next().Text
		}
	}
	return out
}
