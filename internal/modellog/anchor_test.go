package modellog_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/kafkatest"
	"bayestream/internal/model"
	"bayestream/internal/modellog"
)

// TestCatchUpWaitsForComparison: a state that is further than the log looks as if it had caught up with
// it. It may not be used before it was compared with the log, which here finds that it is of another one.
func TestCatchUpWaitsForComparison(t *testing.T) {
	value, err := modellog.EncodeSpec(model.DefaultSpec())
	if err != nil {
		t.Fatal(err)
	}
	old := fold.New(false)
	for offset := range int64(3) {
		e, err := modellog.Decode(value, nil)
		if err != nil {
			t.Fatal(err)
		}
		e.Offset, e.CRC = offset, modellog.Checksum(value)
		if _, err := old.Fold(e); err != nil {
			t.Fatal(err)
		}
	}
	rebuilt := make(chan error, 1)
	observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(reason error, swap func()) { swap(); rebuilt <- reason }}
	r := modellog.NewReplica(kafkatest.Dial(t), kafkatest.Topic(t, 1, nil), old, observe, slog.New(slog.DiscardHandler))

	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := r.CatchUp(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("CatchUp before anything was compared: %v, want it to wait", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	followed := make(chan error, 1)
	go func() { followed <- r.Follow(ctx) }()
	if err := r.CatchUp(ctx); err != nil {
		t.Errorf("CatchUp: %v", err)
	}
	r.Read(func(s *fold.State) {
		if s.Model() != nil || s.Next() != 0 || r.Rebuilds() != 1 {
			t.Errorf("after CatchUp the state has a model: %v, is at offset %d, began anew %d times; want the empty one of the new log", s.Model() != nil, s.Next(), r.Rebuilds())
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
