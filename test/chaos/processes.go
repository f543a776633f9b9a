//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/results"
)

// atOnce is how many faults a run has at most: some minutes of them.
const atOnce = 70

// rate is how many training records, and documents, come in a second.
const rate = 160

// processes ends, holds and stops the workers at random points while records flow.
func (s *suite) processes(ctx context.Context, left plan) (*results.Result, error) {
	return s.in(ctx, "processes", kafka.Options{Nodes: 1, Heap: "512m"}, func(w *world) error {
		return w.underProcessFaults(ctx, left)
	})
}

func (w *world) underProcessFaults(ctx context.Context, left plan) error {
	if err := w.hire(); err != nil {
		return err
	}
	if err := w.begin(ctx, rate); err != nil {
		return err
	}
	w.eachWorker(draw(left, atOnce, w.seed), w.hit)
	return w.finish(ctx)
}

// draw takes at most n faults of a plan, in a random order.
func draw(left plan, n int, seed uint64) []string {
	var kinds []string
	for kind, count := range left {
		for range count {
			kinds = append(kinds, kind)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 100))
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	return kinds[:min(n, len(kinds))]
}

// eachWorker divides faults among the workers. Those of one worker follow each other, with a pause
// between them that reaches from none to one in which it has found its partitions again.
func (w *world) eachWorker(faults []string, hit func(one *worker, kind string, rng *rand.Rand) error) {
	queue := make(chan string, len(faults))
	for _, kind := range faults {
		queue <- kind
		w.result.Faults[kind]++
	}
	close(queue)
	var all sync.WaitGroup
	for i, one := range w.workers {
		rng := rand.New(rand.NewPCG(w.seed, uint64(200+i)))
		all.Go(func() {
			for kind := range queue {
				time.Sleep(time.Duration(rng.ExpFloat64() * float64(3*time.Second)))
				w.log.Info("fault", "worker", one.name, "kind", kind)
				if err := hit(one, kind, rng); err != nil {
					w.wrong("%s after %s: %v", one.name, kind, err)
				}
			}
		})
	}
	all.Wait()
}

// hit is one fault of a process.
func (w *world) hit(one *worker, kind string, rng *rand.Rand) error {
	if alive, err := one.Running(); !alive {
		if one.assigned() {
			return errors.Join(fmt.Errorf("it had ended by itself: %w", err), one.start())
		}
		w.count("ended by itself while it started") // as documented
		return one.start()
	}
	switch kind {
	case "SIGKILL":
		_ = one.End(syscall.SIGKILL, time.Minute) // the error says that it was killed
	case "SIGTERM":
		if err := one.End(syscall.SIGTERM, 30*time.Second); err != nil && one.Age() > time.Second {
			return err // a younger one may not have come to say how it wants to be ended
		}
	default:
		u := rng.Float64()
		if err := one.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		time.Sleep(time.Duration((5 + 55*u*u*u) * float64(time.Second)))
		return one.Signal(syscall.SIGCONT)
	}
	time.Sleep(time.Duration(rng.Int64N(int64(2 * time.Second))))
	return one.start()
}
