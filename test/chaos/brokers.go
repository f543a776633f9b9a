//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/results"
)

// on is how long the work may rest when a broker is lost or comes back.
const on = 15 * time.Second

// brokers ends brokers of three while records flow, and measures when each partition goes on.
func (s *suite) brokers(ctx context.Context, left plan) (*results.Result, error) {
	return s.in(ctx, "brokers", kafka.Options{Nodes: 3, Heap: "320m"}, func(w *world) error {
		return w.underBrokerFaults(ctx, left)
	})
}

func (w *world) underBrokerFaults(ctx context.Context, left plan) error {
	if err := w.hire(); err != nil {
		return err
	}
	if err := w.begin(ctx, rate/2); err != nil {
		return err
	}
	if err := w.flowing(ctx); err != nil {
		return err
	}
	const rounds = 8
	deadline := time.Now().Add(8 * time.Minute)
	for _, kind := range draw(left, rounds, w.seed) {
		if time.Now().After(deadline) {
			break
		}
		w.log.Info("fault", "kind", kind)
		w.result.Faults[kind]++
		if err := w.lose(ctx, kind); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

// lose loses brokers in one of the ways and has them all back at the end.
func (w *world) lose(ctx context.Context, kind string) error {
	if err := w.inSync(ctx); err != nil {
		return err
	}
	switch kind {
	case "leader killed":
		node, _, err := w.client.Leader(ctx, w.names.model, 0)
		if err != nil {
			return err
		}
		stood := w.standing(ctx)
		if err := w.cluster.Kill(ctx, node); err != nil {
			return err
		}
		w.goesOn(ctx, kind, stood)
		return w.cluster.Up(ctx, node)
	case "rolling restart":
		for node := 1; node <= 3; node++ {
			if err := errors.Join(w.inSync(ctx), w.cluster.Stop(ctx, node)); err != nil {
				return err
			}
			w.goesOn(ctx, kind, w.standing(ctx))
			if err := w.cluster.Up(ctx, node); err != nil {
				return err
			}
		}
		return nil
	case "all killed":
		if err := w.cluster.Kill(ctx); err != nil {
			return err
		}
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Millisecond)
		if err := w.cluster.Up(ctx); err != nil {
			return err
		}
		w.goesOn(ctx, kind, w.standing(ctx))
		return nil
	}
	return fmt.Errorf("there is no fault %q", kind)
}

// inSync waits until every topic has three replicas in sync.
func (w *world) inSync(ctx context.Context) error {
	return w.until(ctx, 2*time.Minute, "all replicas are in sync", func() (bool, string) {
		for _, topic := range []string{w.names.model, w.names.training, w.names.documents, w.names.labels, w.names.dead,
			"__consumer_offsets", "__transaction_state"} {
			for p := range w.partitionsOf(topic) {
				node, replicas, err := w.client.Leader(ctx, topic, p)
				if err != nil {
					return topic == "__transaction_state", err.Error() // it exists only if somebody has transactions
				}
				if node == 0 || replicas < 3 {
					return false, fmt.Sprintf("%s/%d has %d", topic, p, replicas)
				}
			}
		}
		return true, ""
	})
}

func (w *world) partitionsOf(topic string) int {
	switch topic {
	case w.names.model:
		return 1
	case "__consumer_offsets", "__transaction_state":
		return 8
	}
	return partitions
}

// standing returns how far each partition was counted, and how many decisions it has.
func (w *world) standing(ctx context.Context) map[string]int64 {
	at := map[string]int64{}
	for _, one := range w.workers[:2] {
		metrics, err := one.metrics(ctx)
		if err != nil {
			continue // it says so in the end, if it does not come back
		}
		for p := range partitions {
			name := fmt.Sprint("ingest ", p)
			at[name] = max(at[name], watermark(metrics, w.names.training, p))
		}
	}
	for p := range partitions {
		at[fmt.Sprint("classify ", p)] = w.labels.Read(p)
	}
	return at
}

// flowing waits until every partition is worked on, so that a loss finds it so.
func (w *world) flowing(ctx context.Context) error {
	return w.until(ctx, time.Minute, "all partitions are worked on", func() (bool, string) {
		at := w.standing(ctx)
		for part, n := range at {
			if n == 0 {
				return false, part + " has not begun"
			}
		}
		return len(at) == 2*partitions, fmt.Sprint(len(at), " partitions are known")
	})
}

// goesOn measures how long it takes from now until every partition has moved on from where it
// stood.
func (w *world) goesOn(ctx context.Context, kind string, stood map[string]int64) {
	begun := time.Now()
	left := map[string]int64{}
	for part, at := range stood {
		left[part] = at
	}
	err := w.until(ctx, time.Minute, "all partitions go on", func() (bool, string) {
		for part, at := range w.standing(ctx) {
			if at > stood[part] {
				delete(left, part)
			}
		}
		return len(left) == 0, fmt.Sprint("these stand: ", left)
	})
	if err != nil {
		w.wrong("after %s: %v", kind, err)
		return
	}
	took := time.Since(begun).Seconds()
	w.log.Info("goes on", "after", kind, "seconds", took)
	w.result.Took[kind] = append(w.result.Took[kind], float64(int(took*10+0.5))/10)
	if took > on.Seconds() {
		w.result.Outcomes["slower than 15 s"]++
	}
}
