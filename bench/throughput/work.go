package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/bench/timing"
	"bayestream/internal/shell/stream"
)

// work is a program and its messages, whose rate is measured.
type work struct {
	Name  string
	Bytes int     // of a message
	Rate  float64 // messages a second, the median
	CPU   float64 // messages a second of this process's processor time, the median; 0: unknown

	messages int
	first    int  // messages before those that are measured, if more than a tenth
	foreign  bool // another process does it, whose processor time is unknown
	rates    []rate
	start    func(ctx context.Context) (running, error) // from the first message, with a new group
}

// running is work in the background.
type running struct {
	done func(context.Context) (int, error) // how many messages are done
	stop func() error
}

// wait stops the work when n messages are done.
func (r running) wait(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		done, err := r.done(ctx)
		if err != nil || done >= n {
			return errors.Join(err, r.stop())
		}
		if !stream.Sleep(ctx, look) {
			return errors.Join(fmt.Errorf("%d of %d messages were done: %w", done, n, ctx.Err()), r.stop())
		}
	}
}

// rate is messages a second on the wall and of processor time.
type rate struct{ wall, cpu float64 }

const (
	look  = 20 * time.Millisecond // between two looks at the number of messages done
	limit = 5 * time.Minute       // for one measurement
)

// measure does the work once.
func (w *work) measure(ctx context.Context) (r rate, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	running, err := w.start(ctx)
	if err != nil {
		return r, err
	}
	r, err = w.watch(ctx, running.done)
	return r, errors.Join(err, running.stop())
}

// watch returns the rate without the first messages; 0 if all were done at the first look.
func (w *work) watch(ctx context.Context, done func(context.Context) (int, error)) (r rate, err error) {
	var first int
	var begun time.Time
	var used float64
	for {
		n, err := done(ctx)
		if err != nil {
			return r, err
		}
		now := time.Now()
		switch {
		case begun.IsZero() && n >= max(w.messages/10, w.first):
			first = n
			begun = now
			used = timing.ProcessorSeconds()
		case n >= w.messages && n == first:
			return r, nil
		case n >= w.messages:
			return rate{wall: float64(n-first) / now.Sub(begun).Seconds(),
				cpu: float64(n-first) / (timing.ProcessorSeconds() - used)}, nil
		}
		if !stream.Sleep(ctx, look) {
			return r, fmt.Errorf("%d of %d messages were done: %w", n, w.messages, ctx.Err())
		}
	}
}

// summarise sets the medians.
func (w *work) summarise() {
	var wall, cpu []float64
	for _, r := range w.rates {
		wall = append(wall, r.wall)
		cpu = append(cpu, r.cpu)
	}
	w.Rate = timing.Median(wall)
	if !w.foreign {
		w.CPU = timing.Median(cpu)
	}
}
