package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"bayestream/bench/probe"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/broker"
)

// topics is a broker in this process whose training topic holds a set.
type topics struct {
	bench   *bench
	broker  *broker.Broker
	records int
	runs    int // of ingest: each has its own model, group and file
}

const (
	partitions = 4
	patience   = 5 * time.Minute       // with one run
	look       = 50 * time.Millisecond // between two looks at how far it is
)

// newTopics starts the broker and fills the topic.
func newTopics(ctx context.Context, b *bench, records []string) (*topics, error) {
	in := &topics{bench: b, records: len(records)}
	var err error
	if in.broker, err = broker.Start(broker.Options{}); err != nil {
		return nil, err
	}
	if err := in.fill(ctx, records); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

func (in *topics) close() { in.broker.Close() }

// fill writes the records, batch by batch, to the partitions in turn.
func (in *topics) fill(ctx context.Context, records []string) error {
	client, err := stream.Dial(stream.Config{Brokers: in.broker.Addrs})
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.CreateTopic(ctx, stream.TopicSpec{Name: "training", Partitions: partitions}); err != nil {
		return err
	}
	const batch = 100
	for i := 0; i < len(records); i += batch {
		var some []stream.Record
		for _, r := range records[i:min(i+batch, len(records))] {
			some = append(some, stream.Record{Value: []byte(r)})
		}
		if _, err := client.ProduceRetry(ctx, "training", i/batch%partitions, some); err != nil {
			return err
		}
	}
	return nil
}

// ingest returns the cost of learning the topic: that of a worker from its start until it has
// learned all and was stopped.
func (in *topics) ingest(ctx context.Context, spec string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	in.runs++
	name := fmt.Sprintf("%s-%d", spec, in.runs)
	address, err := probe.FreeAddress(ctx)
	if err != nil {
		return 0, err
	}
	state := in.bench.path(name + ".db")
	cmd := exec.CommandContext(ctx, in.bench.program, "ingest", "--create-topics",
		"--brokers="+strings.Join(in.broker.Addrs, ","), "--http="+address,
		"--group="+name, "--model-topic="+name, "--state="+state, "--spec="+in.bench.path(spec+".yaml"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	err = in.wait(ctx, address)
	err = errors.Join(err, cmd.Process.Signal(os.Interrupt), cmd.Wait(), os.Remove(state))
	if err != nil {
		return 0, fmt.Errorf("ingest: %w: %s", err, stderr.String())
	}
	return cmd.ProcessState.UserTime().Seconds(), nil
}

// wait waits until the worker at an address has counted the whole topic.
func (in *topics) wait(ctx context.Context, address string) error {
	for {
		metrics, err := probe.Ask(ctx, address)
		n := int(metrics.Sum("bayestream_source_watermark"))
		if err == nil && n >= in.records {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%d of %d records were counted: %w", n, in.records, ctx.Err()), err)
		case <-time.After(look):
		}
	}
}
