package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
)

// catchUps are the logs that a replica folds in a measurement of --catch-up.
var catchUps = []logShape{{"25 records", 25, 8000}, {"1,000 records", 1000, 300}, {"3,000 records", 3000, 120}}

// caught is what was seen while a replica folded a log.
type caught struct {
	Log       string
	Records   int // of the model log
	Bytes     int
	Seconds   float64
	Exclusive histogram // how long the lock was held so that nobody could read
	Shared    histogram // how long a caller held it
	Caller    histogram // from when a document was due until it was decided
}

// catchUp folds each log, and prints what the callers of the same process waited for meanwhile.
func catchUp(ctx context.Context, w io.Writer, o options) error {
	for _, shape := range catchUps {
		shape.deltas = max(1, shape.deltas*o.share/100)
		log, err := newMemoryLog(shape)
		if err != nil {
			return err
		}
		for _, checkpoints := range []bool{false, true} {
			c, err := measureCatchUp(ctx, log, o.rate, checkpoints)
			if err != nil {
				return err
			}
			c.Log = shape.name
			if checkpoints {
				c.Log += ", checkpoints"
			}
			if err := c.print(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureCatchUp folds a log while documents are decided at the rate, and the checkpoints of a
// worker are copied.
func measureCatchUp(ctx context.Context, log *memoryLog, rate int, checkpoints bool) (*caught, error) {
	c := &caught{Records: len(log.records), Bytes: log.bytes}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := modellog.New(log, "model", fold.New(false), modellog.Observer{
		Folded:  func(fold.Outcome) {},
		Rebuild: func(_ error, swap func()) { swap() },
		Held:    c.Exclusive.add,
	}, slog.New(slog.DiscardHandler))
	begun := time.Now()
	var others sync.WaitGroup
	done, stop := context.WithCancel(ctx)
	others.Go(func() { _ = r.Follow(ctx) })
	others.Go(func() { c.call(done, r, rate) })
	if checkpoints {
		others.Go(func() { collect(done, r) })
	}
	err := r.Wait(ctx, func(s *fold.State) bool { return s.Next() == int64(len(log.records)) })
	c.Seconds = time.Since(begun).Seconds()
	stop()
	cancel()
	others.Wait()
	return c, err
}

// collect copies checkpoints as a worker does, each after 20,000 rows, and writes none.
func collect(ctx context.Context, r *modellog.Replica) {
	for ctx.Err() == nil {
		changed := 0
		r.Read(func(s *fold.State) {
			if s.Model() != nil {
				changed = s.Model().Changed()
			}
		})
		if changed > 20_000 {
			r.Copy(func(s *fold.State) { store.Copy(s) }, (*fold.State).ClearChanges)
		}
		stream.Sleep(ctx, 50*time.Millisecond)
	}
}

// call decides a document at a time. One that is late is due when it was: it waited for the one
// before.
func (c *caught) call(ctx context.Context, r *modellog.Replica, rate int) {
	scorer := model.NewScorer()
	random := rand.New(rand.NewPCG(3, 4))
	words := newWords(random)
	var d model.Decision
	for due := time.Now(); ctx.Err() == nil; due = due.Add(time.Second / time.Duration(rate)) {
		if wait := time.Until(due); wait > 0 { // a timer that is due waits for the scheduler
			stream.Sleep(ctx, wait)
		}
		f := document(words, 30)
		var held time.Duration
		r.Read(func(s *fold.State) {
			begun := time.Now()
			if s.Model() != nil {
				scorer.Decide(&d, s.Model(), f, "", model.Options{})
			}
			held = time.Since(begun)
		})
		c.Shared.add(held)
		c.Caller.add(time.Since(due))
	}
}

func (c *caught) print(w io.Writer) error {
	fmt.Fprintf(w, "%s a delta: %d records of the log, %.1f MB in %.2f s: %.0f records/s\n", c.Log, c.Records,
		float64(c.Bytes)/1e6, c.Seconds, float64(c.Records)/c.Seconds)
	fmt.Fprintf(w, "  %-22s %8s %8s %8s %8s   share above", "milliseconds", "count", "p50", "p99", "max")
	for _, edge := range edges {
		fmt.Fprintf(w, " %7v", edge)
	}
	fmt.Fprintln(w)
	for _, row := range []struct {
		name string
		h    *histogram
	}{{"lock held, exclusive", &c.Exclusive}, {"lock held, shared", &c.Shared}, {"a document decided", &c.Caller}} {
		if err := row.h.print(w, row.name); err != nil {
			return err
		}
	}
	return nil
}
