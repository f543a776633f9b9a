package broker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/broker"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, dir string) (*broker.Broker, *stream.Client) {
	t.Helper()
	b, err := broker.Start(broker.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	client, err := stream.Dial(stream.Config{Brokers: b.Addrs})
	if err != nil {
		t.Fatal(err)
	}
	return b, client
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestBrokerListensOnLoopback(t *testing.T) {
	b, client := start(t, "")
	defer b.Close()
	defer client.Close()
	if len(b.Addrs) != 1 || !strings.HasPrefix(b.Addrs[0], "127.0.0.1:") {
		t.Errorf("Addrs = %v, want one on 127.0.0.1", b.Addrs)
	}
	if err := client.Ping(deadline(t)); err != nil {
		t.Error(err)
	}
}

func TestBrokerKeepsItsDirectory(t *testing.T) {
	ctx, dir := deadline(t), t.TempDir()
	b, client := start(t, dir)
	if err := client.CreateTopic(ctx, stream.TopicSpec{Name: "kept", Partitions: 2, Config: map[string]string{"retention.ms": "-1"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Produce(ctx, "kept", 1, []stream.Record{{Value: []byte("still here")}}); err != nil {
		t.Fatal(err)
	}
	client.Close()
	b.Close()

	b, client = start(t, dir)
	defer b.Close()
	defer client.Close()
	info, err := client.Topic(ctx, "kept")
	if err != nil || info.Partitions != 2 || info.Config["retention.ms"] != "-1" {
		t.Errorf("after a restart Topic = %+v, %v, want 2 partitions and retention.ms -1", info, err)
	}
	fetched, err := client.Fetch(ctx, stream.FetchRequest{Topic: "kept", Partition: 1})
	if err != nil || len(fetched.Records) != 1 || string(fetched.Records[0].Value) != "still here" {
		t.Errorf("after a restart Fetch = %+v, %v, want the record", fetched, err)
	}
}

func TestBrokerWithoutDirectoryForgets(t *testing.T) {
	ctx := deadline(t)
	b, client := start(t, "")
	if err := client.CreateTopic(ctx, stream.TopicSpec{Name: "gone", Partitions: 1}); err != nil {
		t.Fatal(err)
	}
	client.Close()
	b.Close()
	b, client = start(t, "")
	defer b.Close()
	defer client.Close()
	if info, err := client.Topic(ctx, "gone"); err == nil {
		t.Errorf("a broker without a directory still has %+v", info)
	}
}

func TestBrokerRefusesAUsedDirectory(t *testing.T) {
	dir := t.TempDir()
	b, client := start(t, dir)
	defer b.Close()
	defer client.Close()
	if second, err := broker.Start(broker.Options{Dir: dir}); err == nil {
		second.Close()
		t.Error("a second broker started in the same directory")
	} else if !strings.Contains(err.Error(), dir) {
		t.Errorf("the error %q does not name the directory %s", err, dir)
	}
}

func TestBrokerRefusesAFile(t *testing.T) {
	if b, err := broker.Start(broker.Options{Dir: "broker_test.go"}); err == nil {
		b.Close()
		t.Error("a broker started with a file as its directory")
	}
}
