package stream_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/processtest"

	"go.uber.org/goleak"
)

// TestMain lets more tests run at once than there are cores, as most of them wait. The binary is
// also the command of TestTokenCommand.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && strings.HasPrefix(os.Args[1], "token-") {
		os.Exit(printToken(os.Args[1], os.Args[2]))
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // a number is always valid
	goleak.VerifyTestMain(m)
}

// deadline bounds a test: a real broker on a busy machine takes its time.
func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func values(records []stream.Record) []string {
	var all []string
	for _, r := range records {
		all = append(all, string(r.Value))
	}
	return all
}

// numbered returns records with the values from-0, from-1, ...
func numbered(name string, n int) []stream.Record {
	records := make([]stream.Record, n)
	for i := range records {
		records[i].Value = fmt.Appendf(nil, "%s-%d", name, i)
	}
	return records
}

func TestPing(t *testing.T) {
	client := kafkatest.Dial(t)
	if last := client.LastRoundTrip(); !last.IsZero() {
		t.Errorf("before the first request LastRoundTrip = %s", last)
	}
	before := time.Now()
	if err := client.Ping(deadline(t)); err != nil {
		t.Fatal(err)
	}
	if last := client.LastRoundTrip(); last.Before(before.Add(-time.Millisecond)) || last.After(time.Now()) {
		t.Errorf("LastRoundTrip = %s, want after %s", last, before)
	} else if !strings.Contains(last.String(), " m=") {
		t.Errorf("LastRoundTrip = %s, which a clock that is set moves", last)
	}
}

func TestNoBroker(t *testing.T) {
	addr := processtest.FreeAddress(t)
	client := kafkatest.DialConfig(t, stream.Config{Brokers: []string{addr}})
	err := client.Ping(deadline(t))
	if !errors.Is(err, stream.ErrRetriable) || !strings.Contains(err.Error(), addr) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("Ping without a broker: %v, want a retriable error that names %s", err, addr)
	}
	if _, err := client.Produce(deadline(t), "t", 0, numbered("x", 1)); !errors.Is(err, stream.ErrRetriable) || errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("Produce without a broker: %v, want a retriable error and not an unknown topic", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := client.Fetch(ctx, stream.FetchRequest{Topic: "t"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Fetch without a broker until the context ends: %v", err)
	}
}

func TestClosedClient(t *testing.T) {
	t.Parallel()
	client, err := stream.Dial(stream.Config{Brokers: kafkatest.Start(t)})
	if err != nil {
		t.Fatal(err)
	}
	topic := kafkatest.Topic(t, 1, nil)
	waiting := make(chan error)
	go func() {
		_, err := client.Fetch(deadline(t), stream.FetchRequest{Topic: topic, MaxWait: 30 * time.Second})
		waiting <- err
	}()
	time.Sleep(300 * time.Millisecond)
	client.Close()
	client.Close() // twice does no harm
	if err := <-waiting; !errors.Is(err, stream.ErrClosed) {
		t.Errorf("a Fetch that waited while the client was closed: %v, want ErrClosed", err)
	}
	if err := client.Ping(deadline(t)); !errors.Is(err, stream.ErrClosed) {
		t.Errorf("Ping after Close: %v, want ErrClosed", err)
	}
}

func TestConfigValidate(t *testing.T) {
	good := stream.Config{Brokers: []string{"127.0.0.1:9092", "[::1]:9092", "kafka.example.org:9093"}}
	if err := good.Validate(); err != nil {
		t.Errorf("a good configuration: %v", err)
	}
	bad := stream.Config{
		Brokers: []string{"localhost"}, Compression: "brotli",
		TLS: stream.TLS{Cert: "cert.pem"}, SASL: stream.SASL{Mechanism: "gssapi"},
	}
	err := bad.Validate()
	for _, want := range []string{`"localhost"`, `"brotli"`, "belong together", `"gssapi"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate = %v, want something about %s", err, want)
		}
	}
	if err := (stream.Config{}).Validate(); err == nil || !strings.Contains(err.Error(), "no broker") {
		t.Errorf("without a broker Validate = %v", err)
	}
	if _, err := stream.Dial(bad); err == nil {
		t.Error("Dial takes a bad configuration")
	}
}

func TestTopics(t *testing.T) {
	client, ctx := kafkatest.Dial(t), deadline(t)
	name := kafkatest.Topic(t, 3, map[string]string{"retention.ms": "-1", "max.message.bytes": "4194304", "cleanup.policy": "delete"})
	info, err := client.Topic(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Partitions != 3 {
		t.Errorf("Topic = %d partitions, want 3", info.Partitions)
	}
	for key, want := range map[string]string{"retention.ms": "-1", "max.message.bytes": "4194304", "cleanup.policy": "delete", "retention.bytes": "-1"} {
		if got := info.Config[key]; got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
	if err := client.CreateTopic(ctx, stream.TopicSpec{Name: name, Partitions: 3}); !errors.Is(err, stream.ErrTopicExists) {
		t.Errorf("creating it twice: %v, want ErrTopicExists", err)
	}
	if !kafkatest.Real() {
		return // kfake takes any name and setting, and shows fewer
	}
	if got := info.Config["unclean.leader.election.enable"]; got != "false" {
		t.Errorf("unclean.leader.election.enable = %q, want false", got)
	}
	err = client.CreateTopic(ctx, stream.TopicSpec{Name: name + "-bad", Partitions: 1, Config: map[string]string{"cleanup.policy": "burn"}})
	if err == nil || errors.Is(err, stream.ErrRetriable) {
		t.Errorf("creating one with an impossible setting: %v", err)
	}
	if err := client.CreateTopic(ctx, stream.TopicSpec{Name: "no/such name", Partitions: 1}); err == nil || errors.Is(err, stream.ErrRetriable) {
		t.Errorf("creating one with an impossible name: %v", err)
	}
}

func TestUnknownTopic(t *testing.T) {
	t.Parallel()
	client, ctx := kafkatest.Dial(t), deadline(t)
	missing := "there-is-no-such-topic"
	calls := map[string]func() error{
		"Topic":   func() error { _, err := client.Topic(ctx, missing); return err },
		"Offsets": func() error { _, _, err := client.Offsets(ctx, missing, 0); return err },
		"Fetch":   func() error { _, err := client.Fetch(ctx, stream.FetchRequest{Topic: missing}); return err },
		"Produce": func() error { _, err := client.Produce(ctx, missing, 0, numbered("x", 1)); return err },
		"ProduceRetry": func() error {
			_, err := client.ProduceRetry(ctx, missing, 0, numbered("x", 1))
			return err
		},
		"Consume": func() error {
			return client.Consume(ctx, stream.GroupConfig{Group: "g", Topic: missing}, func(context.Context, stream.Assignment) error { return nil })
		},
	}
	var all sync.WaitGroup
	defer all.Wait()
	check := func(name string, call func() error) {
		start := time.Now()
		err := call()
		if !errors.Is(err, stream.ErrUnknownTopic) || errors.Is(err, stream.ErrRetriable) || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v, want ErrUnknownTopic with the name", name, err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s took %s to find that out", name, took)
		}
	}
	for name, call := range calls {
		all.Go(func() { check(name, call) })
	}
}

func TestUnknownPartition(t *testing.T) {
	t.Parallel()
	client, ctx := kafkatest.Dial(t), deadline(t)
	topic := kafkatest.Topic(t, 2, nil)
	if _, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: 2}); !errors.Is(err, stream.ErrUnknownPartition) {
		t.Errorf("Fetch: %v, want ErrUnknownPartition", err)
	}
	if _, _, err := client.Offsets(ctx, topic, 7); !errors.Is(err, stream.ErrUnknownPartition) {
		t.Errorf("Offsets: %v, want ErrUnknownPartition", err)
	}
}

// TestCreateThenWriteAtOnce: on a real broker a quarter of such writes fail
// unless somebody waits for the leaders.
func TestCreateThenWriteAtOnce(t *testing.T) {
	ctx := deadline(t)
	for range 5 {
		topic := kafkatest.Topic(t, 4, nil)
		client := kafkatest.Dial(t)
		for p := range 4 {
			if _, err := client.Produce(ctx, topic, p, numbered("first", 1)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestOffsets(t *testing.T) {
	client, ctx := kafkatest.Dial(t), deadline(t)
	topic := kafkatest.Topic(t, 2, nil)
	kafkatest.Produce(t, topic, 1, numbered("x", 7)...)
	for partition, want := range []int64{0, 7} {
		first, end, err := client.Offsets(ctx, topic, partition)
		if err != nil || first != 0 || end != want {
			t.Errorf("partition %d: %d to %d, %v, want 0 to %d", partition, first, end, err, want)
		}
	}
}

func TestReadAll(t *testing.T) {
	topic := kafkatest.Topic(t, 2, nil)
	var want []string
	for range 20 {
		records := numbered("x", 50)
		want = append(want, values(records)...)
		kafkatest.Produce(t, topic, 1, records...)
	}
	if got := values(kafkatest.ReadAll(t, topic, 1)); !slices.Equal(got, want) {
		t.Errorf("ReadAll returns %d records, want %d in order", len(got), len(want))
	}
	if got := kafkatest.ReadAll(t, topic, 0); len(got) != 0 {
		t.Errorf("ReadAll of an empty partition returns %d records", len(got))
	}
}
