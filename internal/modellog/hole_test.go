package modellog_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/modellog"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/testing/kafkatest"
)

// holed is a replica and what it told its observer.
type holed struct {
	*modellog.Replica
	mu       sync.Mutex
	halted   []error
	rebuilds int
}

func follow(t *testing.T, topic string) *holed {
	t.Helper()
	h := &holed{}
	note := func(f func()) { h.mu.Lock(); defer h.mu.Unlock(); f() }
	h.Replica = modellog.New(kafkatest.Dial(t), topic, fold.New(false), modellog.Observer{
		Folded:  func(fold.Outcome) {},
		Rebuild: func(_ error, swap func()) { note(func() { h.rebuilds++ }); swap() },
		Halted:  func(reason error) { note(func() { h.halted = append(h.halted, reason) }) },
	}, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.Background())
	followed := make(chan error, 1)
	go func() { followed <- h.Follow(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-followed; err != nil {
			t.Errorf("Follow: %v", err)
		}
	})
	return h
}

// last returns the number of rebuilds and what was last said about halting, nil also when nothing was.
func (h *holed) last() (rebuilds, told int, reason error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if told = len(h.halted); told > 0 {
		reason = h.halted[told-1]
	}
	return h.rebuilds, told, reason
}

// TestRealHole follows a log that was written to in a transaction, whose marker takes an offset. The replica
// begins anew once, in case it was wrong itself, then keeps what it has, says so, and looks again less and
// less often; and it goes on when the topic was made anew.
func TestRealHole(t *testing.T) {
	for name, after := range map[string]int{"in the middle": 2, "at the end": 0} {
		t.Run(name, func(t *testing.T) {
			topic := kafkatest.Topic(t, 1, nil)
			record := stream.Record{Value: specRecord(t)}
			kafkatest.Produce(t, topic, 0, record) // 0
			tx := kafkatest.Begin(t)
			tx.Produce(topic, 0, record) // 1
			tx.Commit()                  // 2
			for range after {
				kafkatest.Produce(t, topic, 0, record)
			}
			h := follow(t, topic)
			waitUntil(t, "it halts a second time", func() bool { _, told, _ := h.last(); return told >= 2 })
			rebuilds, told, reason := h.last()
			var missing *modellog.HoleError
			if !errors.As(reason, &missing) || missing.Next != 2 || !errors.Is(reason, fold.ErrHole) || !strings.Contains(reason.Error(), "lacks the record at offset 2") {
				t.Errorf("halted for %v, want that offset 2 is missing", reason)
			}
			if rebuilds != 1 || told > 4 {
				t.Errorf("%d rebuilds and %d looks at the hole, want one and a few", rebuilds, told)
			}
			h.Read(func(s *fold.State) {
				if s.Model() == nil || s.Next() != 2 {
					t.Errorf("the state is at offset %d, want what comes before the hole: 2", s.Next())
				}
			})
			kafkatest.DeleteTopic(t, topic)
			if err := kafkatest.Dial(t).CreateTopic(t.Context(), stream.TopicSpec{Name: topic, Partitions: 1}); err != nil {
				t.Fatal(err)
			}
			kafkatest.Produce(t, topic, 0, record)
			waitUntil(t, "it goes on", func() bool { _, _, reason := h.last(); return reason == nil })
			waitUntil(t, "it has folded the new log", func() bool {
				next := int64(0)
				h.Read(func(s *fold.State) { next = s.Next() })
				return next == 1
			})
		})
	}
}

func specRecord(t *testing.T) []byte {
	t.Helper()
	value, err := codec.EncodeSpec(spec.Default())
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func waitUntil(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}
