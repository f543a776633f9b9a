//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/results"
)

// noticed is how soon a worker must see that a topic is another one.
const noticed = time.Minute

// weakLog are the settings that ingest gives a model topic it creates.
var weakLog = map[string]string{"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1",
	"max.message.bytes": "4194304"}

// topics changes the topics below the workers: each time with topics, groups and an ingest and a
// classify of its own. What happens must be noticed within a minute: the worker counts again, or
// says that it stands, and never goes on wrongly.
func (s *suite) topics(ctx context.Context, left plan) (*results.Result, error) {
	nodes := 3
	if left["unclean election"] < sum(left) { // one broker is enough for the others, which come first
		delete(left, "unclean election")
		nodes = 1
	}
	w, err := s.open(ctx, "topics", kafka.Options{Nodes: nodes, Heap: "320m"})
	if err != nil {
		return nil, err
	}
	base := w.dir
	deadline := time.Now().Add(7 * time.Minute)
	for i, kind := range draw(left, 30, w.seed) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			break
		}
		w.names = newNames(fmt.Sprintf("t%d-", i))
		w.dir = filepath.Join(base, w.names.group)
		err := w.scenario(ctx, kind, i)
		if err != nil && !errors.Is(err, errImpatient) {
			return nil, errors.Join(fmt.Errorf("%s (%s): %w", kind, w.names.group, err), w.close())
		}
		if err != nil {
			w.wrong("%s (%s): %v", kind, w.names.group, err)
		}
	}
	w.dir = base
	return w.result, w.close()
}

func sum(left plan) (n int) {
	for _, count := range left {
		n += count
	}
	return n
}

// scenario runs one change of a topic.
func (w *world) scenario(ctx context.Context, kind string, i int) (err error) {
	w.log.Info("fault", "kind", kind, "folder", w.dir)
	w.result.Faults[kind]++
	w.kind = kind
	if err := w.furnish(ctx); err != nil {
		return err
	}
	w.workers = nil
	if err := w.hire(); err != nil {
		return err
	}
	w.workers = []*worker{w.workers[0], w.workers[2]}
	if kind == "unclean election" {
		if err := w.makeWeak(ctx); err != nil {
			return err
		}
	}
	if err := w.startAll(ctx); err != nil {
		return err
	}
	begun := w.seed + uint64(i)
	if err := w.burst(ctx, begun, 400); err != nil {
		return err
	}
	err = w.change(ctx, kind, begun, i%2 == 0)
	for _, one := range w.workers {
		err = errors.Join(err, one.kill())
	}
	return err
}

// change is the fault and what must come of it. running says whether the workers run meanwhile.
func (w *world) change(ctx context.Context, kind string, seed uint64, running bool) error {
	switch kind {
	case "model created again":
		return w.changeModel(ctx, seed, 0)
	case "model deleted":
		return w.changeModel(ctx, seed, 12*time.Second)
	case "training created again, shorter":
		return w.changeTraining(ctx, seed, running, 100)
	case "training created again, longer":
		return w.changeTraining(ctx, seed, running, 600)
	case "documents created again, shorter":
		return w.changeDocuments(ctx, seed, running, 100)
	case "documents created again, longer":
		return w.changeDocuments(ctx, seed, running, 600)
	case "labels created again":
		return w.changeLabels(ctx, seed)
	case "unclean election":
		return w.changeLeader(ctx, seed)
	case "retention past the reader":
		return w.passReader(ctx, seed)
	case "head of the log cut":
		return w.cutHead(ctx, seed)
	}
	return fmt.Errorf("there is no fault %q", kind)
}

// burst writes about n records to each of the two topics and waits until they are worked on.
func (w *world) burst(ctx context.Context, seed uint64, n int) error {
	if err := errors.Join(w.write(ctx, w.names.training, seed, n), w.write(ctx, w.names.documents, seed, n)); err != nil {
		return err
	}
	return w.worked(ctx)
}

// remake deletes a topic and makes it again.
func (w *world) remake(ctx context.Context, topic string, count int, pause time.Duration,
	settings map[string]string) error {
	if err := w.client.DeleteTopic(ctx, topic); err != nil {
		return err
	}
	time.Sleep(pause)
	err := w.until(ctx, 30*time.Second, "the topic can be made again", func() (bool, string) {
		err := w.client.CreateTopic(ctx, topic, count, settings)
		return err == nil, fmt.Sprint(err)
	})
	if err != nil {
		return err
	}
	w.client.Close() // it knows the topic by its id
	w.client, err = kafka.Dial(w.cluster.Addresses)
	return err
}

// revive starts the workers that have ended, as a supervisor does.
func (w *world) revive() error {
	for _, one := range w.workers {
		if alive, _ := one.Running(); !alive {
			if err := one.start(); err != nil {
				return err
			}
		}
	}
	return nil
}

// changeModel deletes the log and creates it again, at once or after a while. Everything is counted
// again.
func (w *world) changeModel(ctx context.Context, seed uint64, pause time.Duration) error {
	if err := w.remake(ctx, w.names.model, 1, pause, weakLog); err != nil {
		return err
	}
	return w.countedAgain(ctx, seed)
}

// countedAgain expects that everything is right within a minute, and that what comes then is worked
// on.
func (w *world) countedAgain(ctx context.Context, seed uint64) error {
	begun := time.Now()
	err := w.until(ctx, noticed, "everything is counted again", func() (bool, string) {
		if err := w.revive(); err != nil {
			return false, err.Error()
		}
		err := w.equal(ctx)
		return err == nil, fmt.Sprint(err)
	})
	if err != nil {
		return err
	}
	w.took(begun)
	if err := w.burst(ctx, seed+1, 100); err != nil {
		return err
	}
	return w.verify(ctx)
}

// changeTraining creates the training topic again. Ingest says that it stands, keeps its counts,
// and goes on standing when the topic has grown beyond what was counted.
func (w *world) changeTraining(ctx context.Context, seed uint64, running bool, n int) error {
	ingest := w.workers[0]
	want, err := w.export(ingest.snapshot())
	if err != nil {
		return err
	}
	change := func() error {
		if err := w.remake(ctx, w.names.training, partitions, 0, nil); err != nil {
			return err
		}
		return w.write(ctx, w.names.training, seed+1, n)
	}
	if err := w.during(ingest, running, change); err != nil {
		return err
	}
	if err := w.stands(ctx, ingest); err != nil {
		return err
	}
	if err := w.write(ctx, w.names.training, seed+2, 600); err != nil {
		return err
	}
	time.Sleep(10 * time.Second)
	if ok, _ := ingest.isReady(ctx); ok {
		w.wrong("ingest does not stand any more, now that the topic is longer")
	}
	got, err := w.export(ingest.snapshot())
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		w.wrong("the counts have changed: records of another topic were counted behind the watermark of the old one")
	}
	return nil
}

// during carries out a change while a worker runs, or while it does not.
func (w *world) during(one *worker, running bool, change func() error) error {
	if running {
		return change()
	}
	if err := one.stop(); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	return one.start()
}

// stands expects that a worker is not ready, or ends, within a minute, and says why.
func (w *world) stands(ctx context.Context, one *worker) error {
	begun := time.Now()
	err := w.until(ctx, noticed, one.name+" says that the topic is another one", func() (bool, string) {
		if alive, err := one.Running(); !alive {
			if exitCode(err) == 1 && time.Since(begun) < noticed/2 { // a supervisor starts it again
				return false, fmt.Sprint(one.start())
			}
			return exitCode(err) == 1, fmt.Sprint(err)
		}
		ok, said := one.isReady(ctx)
		return !ok && strings.Contains(said, `"partition `), said
	})
	if err == nil {
		w.took(begun)
	}
	return err
}

// took notes how long it took until a change was noticed, and all was right or stood.
func (w *world) took(begun time.Time) {
	w.result.Took[w.kind] = append(w.result.Took[w.kind], float64(int(time.Since(begun).Seconds()*10))/10)
}

// changeDocuments creates the documents topic again. Each of the new documents has a decision in
// the end.
func (w *world) changeDocuments(ctx context.Context, seed uint64, running bool, n int) error {
	change := func() error {
		if err := w.remake(ctx, w.names.documents, partitions, 0, nil); err != nil {
			return err
		}
		return w.write(ctx, w.names.documents, seed+1, n)
	}
	if err := w.during(w.workers[1], running, change); err != nil {
		return err
	}
	return w.decidedAgain(ctx)
}

// changeLabels creates the labels topic again. Documents that come then have their decisions in it.
func (w *world) changeLabels(ctx context.Context, seed uint64) error {
	if err := w.remake(ctx, w.names.labels, partitions, 0, nil); err != nil {
		return err
	}
	from, err := w.ends(ctx, w.names.documents)
	if err != nil {
		return err
	}
	if err := w.write(ctx, w.names.documents, seed+1, 100); err != nil {
		return err
	}
	return w.decidedFrom(ctx, from)
}

// decidedAgain expects a decision for each document that there is now.
func (w *world) decidedAgain(ctx context.Context) error {
	return w.decidedFrom(ctx, make([]int64, partitions))
}

func (w *world) decidedFrom(ctx context.Context, from []int64) error {
	begun := time.Now()
	err := w.until(ctx, noticed, "each new document has a decision", func() (bool, string) {
		if err := w.revive(); err != nil {
			return false, err.Error()
		}
		missing, err := w.undecided(ctx, from)
		return err == nil && missing == 0, fmt.Sprint(missing, " have none ", err)
	})
	if err == nil {
		w.took(begun)
		return nil
	}
	if ready, said := w.workers[1].isReady(ctx); !ready {
		w.count("classify stands and says so")
		w.log.Info("classify stands", "readyz", said)
		return nil
	}
	return err
}
