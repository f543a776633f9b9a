package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Pauses between attempts double from firstPause to longestPause, each with up
// to half of it left out at random, so that clients do not march in step. The
// longest one, that of Kafka's own clients (retry.backoff.max.ms), is what an
// outage lasts longer for us than for the broker.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = time.Second
)

func pauseAfter(attempt int) time.Duration {
	full := longestPause
	if attempt < 4 {
		full = min(firstPause<<attempt, longestPause)
	}
	return full - rand.N(full/2)
}

// sleep waits, or returns early and false when ctx ends.
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

// newTopicGrace is for how long a topic or a partition that a broker does not
// know may still be on its way from the broker that made it.
const newTopicGrace = 2 * time.Second

// quiet is for how long retrying is nothing to tell an operator about.
const quiet = 2 * time.Second

// retry repeats attempt until it succeeds, fails for good, ctx ends, or
// patience runs out (none when 0). what names the call in errors and logs.
func (c *Client) retry(ctx context.Context, what string, patience time.Duration, attempt func(context.Context) error) error {
	start, told := time.Now(), false
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
		if !told && waited > quiet {
			told = true
			c.log.LogAttrs(ctx, slog.LevelWarn, "a request to Kafka fails and is retried", slog.String("request", what), slog.Any("error", err))
		}
		if !sleep(ctx, pause) {
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		}
	}
}
