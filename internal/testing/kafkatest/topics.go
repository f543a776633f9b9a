package kafkatest

import (
	"context"
	"errors"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/test/chaos/kafka"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Topic creates a topic with a unique name and returns the name. config may be
// nil. The topic is deleted when tb ends.
func Topic(tb testing.TB, partitions int, config map[string]string) string {
	tb.Helper()
	name := unique(tb)
	client := Dial(tb)
	if err := client.CreateTopic(bounded(tb),
		stream.TopicSpec{Name: name, Partitions: partitions, Config: config}); err != nil {
		tb.Fatal(err)
	}
	if Real() {
		tb.Cleanup(func() { deleteTopic(tb, name) })
	}
	return name
}

func deleteTopic(tb testing.TB, name string) {
	if err := askToDelete(tb, name); err != nil {
		tb.Logf("topic %s stays behind: %v", name, err)
	}
}

// DeleteTopic deletes a topic. A broker may list it for a moment longer.
func DeleteTopic(tb testing.TB, name string) {
	tb.Helper()
	if err := askToDelete(tb, name); err != nil {
		tb.Fatal(err)
	}
}

func askToDelete(tb testing.TB, name string) error {
	return ask(tb, func(ctx context.Context, c *kafka.Client) error { return c.DeleteTopic(ctx, name) })
}

// ask makes a request that stream.Client does not have.
func ask(tb testing.TB, request func(context.Context, *kafka.Client) error) error {
	client, err := kafka.Dial(Start(tb))
	if err != nil {
		return err
	}
	defer client.Close()
	return request(bounded(tb), client)
}

// Produce writes records to a partition in one batch and returns the offset of
// the first.
func Produce(tb testing.TB, topic string, partition int, records ...stream.Record) int64 {
	tb.Helper()
	base, err := Dial(tb).ProduceRetry(bounded(tb), topic, partition, records)
	if err != nil {
		tb.Fatal(err)
	}
	return base
}

// allBytes is more than a partition of a test has. kfake leaves out which transactions were aborted
// when a response reaches the size that was asked for, so that a reader of committed records would
// see their records.
const allBytes = 1<<30 - 1

// Offsets returns where a partition begins and ends. On a busy machine a broker may be away for a
// moment: it is asked again until ctx ends.
func Offsets(ctx context.Context, client *stream.Client, topic string, partition int) (first, end int64, err error) {
	for {
		first, end, err = client.Offsets(ctx, topic, partition)
		if !errors.Is(err, stream.ErrRetriable) || ctx.Err() != nil {
			return first, end, err
		}
		stream.Sleep(ctx, 50*time.Millisecond)
	}
}

// ReadAll returns the records of a partition that a reader of committed records
// sees.
func ReadAll(tb testing.TB, topic string, partition int) []stream.Record {
	tb.Helper()
	records, err := Read(bounded(tb), Dial(tb), topic, partition)
	if err != nil {
		tb.Fatal(err)
	}
	return records
}

// Read is ReadAll with a client.
func Read(ctx context.Context, client *stream.Client, topic string, partition int) (records []stream.Record,
	err error) {
	next, end, err := Offsets(ctx, client, topic, partition)
	for err == nil && next < end {
		var fetched stream.Fetched
		fetched, err = client.Fetch(ctx,
			stream.FetchRequest{Topic: topic, Partition: partition, Offset: next, MaxBytes: allBytes, Committed: true})
		records = append(records, fetched.Records...)
		next = fetched.Next
		end = min(end, fetched.LastStable)
	}
	return records, err
}

// Committed returns the offset that a group committed for a partition; -1 if it
// committed none.
func Committed(tb testing.TB, group, topic string, partition int) int64 {
	tb.Helper()
	client := newClient(tb)
	defer client.Close()
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Group = group
	asked := kmsg.NewOffsetFetchRequestTopic()
	asked.Topic = topic
	asked.Partitions = []int32{int32(partition)}
	request.Topics = append(request.Topics, asked)
	ctx := bounded(tb)
	response, err := request.RequestWith(ctx, client)
	for kerr.IsRetriable(err) && ctx.Err() == nil { // a fresh broker has no coordinator yet
		time.Sleep(100 * time.Millisecond)
		response, err = request.RequestWith(ctx, client)
	}
	if err != nil {
		tb.Fatalf("ask for the offsets of group %s: %v", group, err)
	}
	committed := int64(-1)
	for _, t := range response.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				tb.Fatalf("ask for the offsets of group %s: code %d", group, p.ErrorCode)
			}
			committed = p.Offset
		}
	}
	return committed
}

// newClient returns a client of franz-go, for requests that stream.Client does not have.
func newClient(tb testing.TB, options ...kgo.Opt) *kgo.Client {
	tb.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(Start(tb)...)}, options...)...)
	if err != nil {
		tb.Fatal(err)
	}
	return client
}

// DeleteRecords makes a partition start at an offset.
func DeleteRecords(tb testing.TB, topic string, partition int, before int64) {
	tb.Helper()
	if err := ask(tb, func(ctx context.Context, c *kafka.Client) error {
		return c.DeleteRecords(ctx, topic, partition, before)
	}); err != nil {
		tb.Fatal(err)
	}
}

// AddPartitions raises the number of a topic's partitions to n.
func AddPartitions(tb testing.TB, topic string, n int) {
	tb.Helper()
	if err := ask(tb, func(ctx context.Context, c *kafka.Client) error {
		return c.AddPartitions(ctx, topic, n)
	}); err != nil {
		tb.Fatal(err)
	}
}

// Recreate deletes a topic and creates it again under its name, empty.
func Recreate(tb testing.TB, topic string, partitions int) {
	tb.Helper()
	DeleteTopic(tb, topic)
	client := Dial(tb)
	ctx := bounded(tb)
	spec := stream.TopicSpec{Name: topic, Partitions: partitions}
	err := client.CreateTopic(ctx, spec)
	for errors.Is(err, stream.ErrTopicExists) && ctx.Err() == nil { // it is still being deleted
		time.Sleep(20 * time.Millisecond)
		err = client.CreateTopic(ctx, spec)
	}
	if err != nil {
		tb.Fatalf("create topic %s again: %v", topic, err)
	}
}
