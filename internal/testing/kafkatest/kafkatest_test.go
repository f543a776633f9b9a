package kafkatest_test

import (
	"slices"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

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
