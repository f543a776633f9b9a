//go:build linux

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/results"

	"go.etcd.io/bbolt"
)

const (
	rebalanceEach = 5 * time.Minute
	sampleEach    = 5 * time.Second
	warmUp        = time.Minute // until ledgers and caches are full
	bloat         = 4           // how many times its compacted size the file may have
)

// soak lets the workers run at half of what they can, or the rate that is asked for, for as long as
// the time given allows up to an hour, and lets the groups rebalance every five minutes. Memory,
// descriptors and goroutines must not grow, and the file not much beyond what it holds.
func (s *suite) soak(ctx context.Context, left plan) (*results.Result, error) {
	long := min(time.Duration(left["minute"])*time.Minute, time.Until(s.until).Truncate(time.Minute))
	if long < 3*time.Minute {
		return nil, errors.New("a soak takes at least three minutes: give it more with --for")
	}
	return s.in(ctx, "soak", kafka.Options{Nodes: 1, Heap: "512m"}, func(w *world) error {
		return w.soak(ctx, long, s.rate)
	})
}

func (w *world) soak(ctx context.Context, long time.Duration, rate int) error {
	if err := w.equip(ctx); err != nil {
		return err
	}
	if err := w.startAll(ctx); err != nil {
		return err
	}
	if err := w.follow(w.names.labels, w.names.routed); err != nil {
		return err
	}
	console, err := w.watch()
	if err != nil {
		return err
	}
	defer func() { _ = console.End(syscall.SIGKILL, time.Minute) }()
	peak, err := w.peak(ctx)
	if err != nil {
		return err
	}
	w.result.Most["records a second at the peak, in each of the two topics"] = peak
	if rate == 0 {
		rate = peak / 2
	}
	w.result.Most["records a second asked for, in each of the two topics"] = rate
	w.produce(rate)
	use := map[*worker][]usage{}
	begun := time.Now()
	for n := 1; time.Since(begun) < long && ctx.Err() == nil; {
		time.Sleep(sampleEach)
		for _, one := range []*worker{w.workers[0], w.workers[2]} { // these are never restarted
			w.sample(ctx, one, use, time.Since(begun))
		}
		w.mustShow(ctx, console)
		if time.Since(begun) > time.Duration(n)*rebalanceEach-rebalanceEach/2 {
			n++
			if err := w.rebalance(); err != nil {
				return err
			}
		}
	}
	lasted := time.Since(begun)
	w.result.Faults["minute"] += int(lasted.Round(time.Minute).Minutes())
	for one, samples := range use {
		w.judge(one, samples)
	}
	return w.soaked(ctx, lasted)
}

// peak measures how many records of each topic are worked off in a second, while they are written
// as fast as the broker takes them: training records counted, documents decided.
func (w *world) peak(ctx context.Context) (int, error) {
	const n, parts = 100_000, 25
	begun := time.Now()
	for i := range parts {
		seed := w.seed + uint64(1000+i)
		if err := errors.Join(w.write(ctx, w.names.training, seed, n/parts),
			w.write(ctx, w.names.documents, seed, n/parts)); err != nil {
			return 0, err
		}
	}
	ends, err := w.ends(ctx, w.names.training)
	if err != nil {
		return 0, err
	}
	err = w.until(ctx, patience, "the training records are counted",
		func() (bool, string) { return w.hasCounted(ctx, w.workers[0], ends) })
	if err != nil {
		return 0, err
	}
	err = w.decidedAll(ctx)
	return int(n / time.Since(begun).Seconds()), err
}

// usage is what a process takes.
type usage struct {
	at                              time.Duration
	memory, descriptors, goroutines float64
}

func (w *world) sample(ctx context.Context, one *worker, use map[*worker][]usage, at time.Duration) {
	m, err := one.metrics(ctx)
	if err != nil {
		w.wrong("%s does not answer, %v after the begin: %v", one.name, at, err)
	} else if at > warmUp {
		use[one] = append(use[one], usage{at, m["process_resident_memory_bytes"], m["process_open_fds"], m["go_goroutines"]})
	}
}

// rebalance stops the second worker of each group in order, and starts it again.
func (w *world) rebalance() error {
	w.result.Faults["rebalance"]++
	for _, one := range []*worker{w.workers[1], w.workers[3]} {
		if err := one.stop(); err != nil {
			w.wrong("%s did not end in order: %v", one.name, err)
		}
		if err := one.start(); err != nil {
			return err
		}
	}
	return nil
}

// judge compares the last third of a worker's samples with the first: peaks with peaks, as the
// garbage collector lets memory swing.
func (w *world) judge(one *worker, samples []usage) {
	third := len(samples) / 3
	first, last := most(samples[:third]), most(samples[2*third:])
	w.log.Info("usage", "worker", one.name, "first third", first, "last third", last)
	w.result.Most[one.role+": MiB"] = int(last.memory) >> 20
	const slack, someMemory, some = 1.2, 16 << 20, 8
	if last.memory > slack*first.memory+someMemory || last.descriptors > first.descriptors+some ||
		last.goroutines > first.goroutines+some {
		w.wrong("%s grows: %+v, then %+v", one.name, first, last)
	}
}

func most(samples []usage) (u usage) {
	for _, s := range samples {
		u = usage{s.at, max(u.memory, s.memory), max(u.descriptors, s.descriptors), max(u.goroutines, s.goroutines)}
	}
	return u
}

// soaked waits for the last records, compares the replicas with each other and with the log, and
// looks at the files. There are too many records for a recount.
func (w *world) soaked(ctx context.Context, lasted time.Duration) error {
	w.result.Training, w.result.Documents = w.traffic.stop()
	w.result.Most["records a second written, in each of the two "+
		"topics"] = int(float64(w.result.Documents) / lasted.Seconds())
	if err := w.decidedAll(ctx); err != nil {
		return err
	}
	if err := w.askExactly(ctx); err != nil {
		return err
	}
	if !w.exactly || w.result.DecisionsTwice > 0 {
		w.wrong("%d decisions came twice; classify says that each comes once: %v", w.result.DecisionsTwice, w.exactly)
	}
	exports := map[string]bool{}
	if err := w.allCounted(ctx, patience); err != nil {
		return err
	}
	for _, one := range w.workers {
		export, err := w.export(one.snapshot())
		if err != nil {
			return err
		}
		exports[string(export)] = true
	}
	if len(exports) != 1 {
		w.wrong("the four replicas have %d different counts", len(exports))
	}
	for _, one := range w.workers {
		if err := one.End(syscall.SIGTERM, 30*time.Second); err != nil {
			w.wrong("%s did not end in order: %v", one.name, err)
		}
		if err := w.verifyFile(ctx, one); err != nil {
			w.wrong("verify of %s: %v", one.name, err)
		}
		if err := w.measure(one); err != nil {
			return err
		}
	}
	return nil
}

// decidedAll waits until every good document has a decision.
func (w *world) decidedAll(ctx context.Context) error {
	ends, err := w.ends(ctx, w.names.documents)
	if err != nil {
		return err
	}
	want := -int(w.badDocuments)
	if w.traffic != nil {
		want -= int(w.traffic.bad)
	}
	for _, end := range ends {
		want += int(end)
	}
	err = w.decided(ctx, want)
	w.result.Decisions = w.labels.Distinct()
	w.result.DecisionsTwice = w.labels.Records() - w.result.Decisions
	if w.result.Decisions > want {
		w.wrong("%d decisions of %d documents", w.result.Decisions, want)
	}
	return err
}

// measure compares the size of a model file with that of its compacted copy.
func (w *world) measure(one *worker) (err error) {
	from, err := bbolt.Open(one.state(), 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := bbolt.Open(filepath.Join(w.dir, one.name+"-compacted.db"), 0o600, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := bbolt.Compact(to, from, 1<<20); err != nil {
		return err
	}
	size, least, err := sizes(from.Path(), to.Path())
	if err != nil {
		return err
	}
	w.log.Info("file", "worker", one.name, "bytes", size, "compacted", least)
	key := one.role + ": file, percent of its compacted size"
	w.result.Most[key] = max(w.result.Most[key], int(100*size/least))
	if size > bloat*least {
		w.wrong("the file of %s has %d bytes, compacted it would have %d", one.name, size, least)
	}
	return nil
}

func sizes(a, b string) (sizeA, sizeB int64, err error) {
	infoA, err := os.Stat(a)
	if err != nil {
		return 0, 0, err
	}
	infoB, err := os.Stat(b)
	if err != nil {
		return 0, 0, err
	}
	return infoA.Size(), infoB.Size(), nil
}
