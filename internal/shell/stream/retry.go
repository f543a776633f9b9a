package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Pauses between attempts double from firstPause to longestPause. Each is shortened
// by up to half at random, so that clients do not retry together. The longest one is
// that of Kafka's own clients (retry.backoff.max.ms): an outage lasts so much longer
// for the client than for the broker.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = time.Second
)

// pauseAfter returns the pause after an attempt, counted from 0.
func pauseAfter(attempt int) time.Duration {
	full := longestPause
	if attempt < 4 {
		full = min(firstPause<<attempt, longestPause)
	}
	return full - rand.N(full/2)
}

// sleep waits. If ctx ends first, it returns false.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// newTopicGrace is how long a new topic or partition may be unknown to some brokers.
const newTopicGrace = 2 * time.Second

// quiet is how long a request is retried before a warning.
const quiet = 2 * time.Second

// retry repeats attempt until it succeeds, fails permanently, ctx ends, or patience is
// over (0: no limit). what names the call in errors and logs.
func (c *Client) retry(ctx context.Context, what string, patience time.Duration,
	attempt func(context.Context) error) error {
	start := time.Now()
	warned := false
	for n := 0; ; n++ {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		}
		pause := pauseAfter(n)
		waited := time.Since(start) + pause
		again := retriable(err) && (patience == 0 || waited < patience) ||
			(errors.Is(err, ErrUnknownTopic) || errors.Is(err, ErrUnknownPartition)) && waited < newTopicGrace
		if !again {
			return classify(fmt.Errorf("%s: %w", what, err))
		}
		if !warned && waited > quiet {
			warned = true
			c.log.LogAttrs(ctx, slog.LevelWarn, "a request to Kafka fails and is retried", slog.String("request", what),
				slog.Any("error", err))
		}
		if !sleep(ctx, pause) {
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		}
	}
}
