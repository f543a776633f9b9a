package kafkatest_test

import (
	"slices"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStartIsShared(t *testing.T) {
	first := kafkatest.Start(t)
	t.Run("with a test inside", func(t *testing.T) {
		if got := kafkatest.Start(t); !slices.Equal(got, first) {
			t.Errorf("Start = %v, want %v as outside", got, first)
		}
	})
	if got := kafkatest.Start(t); !slices.Equal(got, first) {
		t.Errorf("Start again = %v, want %v", got, first)
	}
	if !kafkatest.Real() && len(first) != 3 {
		t.Errorf("Start = %v, want three brokers", first)
	}
}

func TestTopicsAreApart(t *testing.T) {
	a := kafkatest.Topic(t, 1, nil)
	b := kafkatest.Topic(t, 2, map[string]string{"retention.ms": "-1"})
	if a == b || !strings.HasPrefix(a, t.Name()) {
		t.Errorf("topics %q and %q, want two that begin with the name of the test", a, b)
	}
	if base := kafkatest.Produce(t, a, 0, stream.Record{Value: []byte("x")}, stream.Record{Value: []byte("y")}); base != 0 {
		t.Errorf("Produce = %d, want 0", base)
	}
	if base := kafkatest.Produce(t, a, 0, stream.Record{Value: []byte("z")}); base != 2 {
		t.Errorf("Produce = %d, want 2", base)
	}
	if got := kafkatest.ReadAll(t, a, 0); len(got) != 3 || string(got[2].Value) != "z" {
		t.Errorf("ReadAll = %v", got)
	}
	if got := kafkatest.ReadAll(t, b, 1); len(got) != 0 {
		t.Errorf("ReadAll of an empty partition = %v", got)
	}
	if got := kafkatest.Committed(t, "nobody", a, 0); got != -1 {
		t.Errorf("Committed of no group = %d, want -1", got)
	}
}

func TestTransactionEndsWithItsTest(t *testing.T) {
	topic := kafkatest.Topic(t, 1, nil)
	t.Run("which forgets to end it", func(t *testing.T) {
		kafkatest.Begin(t).Produce(topic, 0, stream.Record{Value: []byte("forgotten")})
	})
	kafkatest.Produce(t, topic, 0, stream.Record{Value: []byte("plain")})
	if got := kafkatest.ReadAll(t, topic, 0); len(got) != 1 || string(got[0].Value) != "plain" {
		t.Errorf("ReadAll = %v, want the plain record alone", got)
	}
}

func TestFakeIsPrivate(t *testing.T) {
	fake := kafkatest.Fake(t, kfake.NumBrokers(2), kfake.SeedTopics(1, "seeded"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: fake.ListenAddrs()})
	if info, err := client.Topic(t.Context(), "seeded"); err != nil || info.Partitions != 1 {
		t.Errorf("Topic = %+v, %v", info, err)
	}
	for _, addr := range fake.ListenAddrs() {
		if slices.Contains(kafkatest.Start(t), addr) {
			t.Errorf("%s is also the shared cluster's", addr)
		}
	}
}
