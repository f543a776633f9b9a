package main

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/tools/broker"
)

// A rate leaves the first tenth out, and needs more than one look.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		slow := func(context.Context) (int, error) { return int(time.Since(begun).Milliseconds()), nil }
		r, err := (&work{messages: 200}).watch(t.Context(), slow)
		if err != nil || math.Round(r.wall) != 1000 {
			t.Errorf("of a message a millisecond: %.0f a second, %v", r.wall, err)
		}
	})
	at := func(n int, err error) func(context.Context) (int, error) {
		return func(context.Context) (int, error) { return n, err }
	}
	broken := errors.New("broken")
	if _, err := (&work{messages: 10}).watch(t.Context(), at(0, broken)); !errors.Is(err, broken) {
		t.Errorf("of work that fails: %v", err)
	}
	if r, err := (&work{messages: 10}).watch(t.Context(), at(10, nil)); err != nil || r != (rate{}) {
		t.Errorf("of work that was done before: %v, %v", r, err)
	}
}

// TestRun measures a few messages on the embedded broker.
func TestRun(t *testing.T) {
	b, err := broker.Start(broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var out strings.Builder
	o := options{brokers: strings.Join(b.Addrs, ","), messages: 8000, taught: 1000, partitions: 2, rounds: 1, only: "ing"}
	if err := run(t.Context(), &out, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"copy 200 bytes, writing", "ingest, with ids", "ingest, a window", "ingest, the second half", "messages/s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in what it printed:\n%s", want, out.String())
		}
	}
}
