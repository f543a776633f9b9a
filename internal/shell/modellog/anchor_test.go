package modellog_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestTopicReplacedBehindRetries: while fetches fail and are repeated, the topic is deleted,
// created again and filled beyond the position of the replica. The next answer looks like a
// continuation, by its offsets and its leader epoch; only the record before it tells that it is
// none.
func TestTopicReplacedBehindRetries(t *testing.T) {
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
