package modellog_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/modellog"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestCatchUpWaitsForComparison: a state that is further than the log looks as if it had caught up with
// it. It may not be used before it was compared with the log, which here finds that it is of another one.
func TestCatchUpWaitsForComparison(t *testing.T) {
	value, err := codec.EncodeSpec(spec.Default())
	if err != nil {
		t.Fatal(err)
	}
	old := fold.New(false)
	for offset := range int64(3) {
		if _, _, err := modellog.Fold(old, &stream.Record{Offset: offset, Value: value}, 0); err != nil {
			t.Fatal(err)
		}
	}
	rebuilt := make(chan error, 1)
	observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(reason error, swap func()) { swap(); rebuilt <- reason }}
	r := modellog.New(kafkatest.Dial(t), kafkatest.Topic(t, 1, nil), old, observe, slog.New(slog.DiscardHandler))

	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := r.CatchUp(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("CatchUp before anything was compared: %v, want it to wait", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	followed := make(chan error, 1)
	go func() { followed <- r.Follow(ctx) }()
	if _, err := r.CatchUp(ctx); err != nil {
		t.Errorf("CatchUp: %v", err)
	}
	r.Read(func(s *fold.State) {
		if s.Model() != nil || s.Next() != 0 || len(rebuilt) != 1 {
			t.Errorf("after CatchUp the state has a model: %v, is at offset %d, was rebuilt %d times; want the empty one of the new log, rebuilt once", s.Model() != nil, s.Next(), len(rebuilt))
		}
	})
	select {
	case reason := <-rebuilt:
		if reason == nil {
			t.Error("rebuilt for no reason")
		}
	default:
		t.Error("CatchUp returned before the state was given up")
	}
	stop()
	if err := <-followed; err != nil {
		t.Errorf("Follow: %v", err)
	}
}

// TestTopicMadeAnewBehindRetries: while fetches fail and are repeated, the topic is deleted, made again and
// filled beyond the position of the replica. The next answer looks like a continuation, by its offsets and its
// leader epoch; only the record before it tells that it is none.
func TestTopicMadeAnewBehindRetries(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "log"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	appendSpecs(t, client, "first", 2)
	var rebuilds atomic.Int64
	observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap(); rebuilds.Add(1) }}
	r := modellog.New(client, "log", fold.New(false), observe, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	followed := make(chan error, 1)
	go func() { followed <- r.Follow(ctx) }()
	if _, err := r.CatchUp(ctx); err != nil {
		t.Fatal(err)
	}

	var refused, relent atomic.Bool
	cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if relent.Load() {
			cluster.DropControl()
			return nil, nil, false
		}
		cluster.KeepControl()
		refused.Store(true)
		return nil, errors.New("the connection breaks"), true
	})
	for !refused.Load() && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	if err := cluster.DeleteTopic("log"); err != nil {
		t.Fatal(err)
	}
	if err := client.CreateTopic(ctx, stream.TopicSpec{Name: "log", Partitions: 1}); err != nil {
		t.Fatal(err)
	}
	appendSpecs(t, client, "second", 5)
	relent.Store(true)

	if err := r.Wait(ctx, func(s *fold.State) bool { return s.Next() == 5 }); err != nil {
		t.Fatal(err)
	}
	r.Read(func(s *fold.State) {
		if name := s.Model().Spec().Name; name != "second" || rebuilds.Load() != 1 {
			t.Errorf("the model is %q after %d rebuilds, want that of the second log after one", name, rebuilds.Load())
		}
	})
	stop()
	if err := <-followed; err != nil {
		t.Errorf("Follow: %v", err)
	}
}

// appendSpecs appends n equal specs of a name.
func appendSpecs(t *testing.T, client *stream.Client, name string, n int) {
	t.Helper()
	s, err := spec.Parse([]byte("name: " + name))
	if err != nil {
		t.Fatal(err)
	}
	value, err := codec.EncodeSpec(s)
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		if _, err := client.Produce(t.Context(), "log", 0, []stream.Record{{Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
}
