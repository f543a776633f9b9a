//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"syscall"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/recount"

	"github.com/twmb/franz-go/pkg/kgo"
)

// write writes about n records of a seed to a topic, at once.
func (w *world) write(ctx context.Context, topic string, seed uint64, n int) error {
	for p := range partitions {
		none := func(*rand.Rand) (place, bool) { return place{}, false }
		made := maker{rng: rand.New(rand.NewPCG(seed, uint64(p))), topic: w.names.documents, partition: p, places: none}
		var batch []*kgo.Record
		for range n / partitions {
			rec := made.document()
			if topic == w.names.training {
				rec = made.training()
			} else if !recount.Good(rec) {
				w.badDocuments++
			}
			rec.Topic, rec.Partition = topic, int32(p)
			batch = append(batch, rec)
		}
		if err := w.client.Produce(ctx, batch...); err != nil {
			return fmt.Errorf("write to %s: %w", topic, err)
		}
		if topic == w.names.training {
			w.result.Training += int64(len(batch))
		} else {
			w.result.Documents += int64(len(batch))
		}
	}
	return nil
}

func (w *world) ends(ctx context.Context, topic string) ([]int64, error) {
	_, end, err := w.client.Offsets(ctx, topic, partitions)
	return end, err
}

// worked waits until every training record is counted by all and every document has its decision.
func (w *world) worked(ctx context.Context) error {
	if err := w.allCounted(ctx, noticed); err != nil {
		return err
	}
	return w.until(ctx, noticed, "every document has a decision", func() (bool, string) {
		missing, err := w.undecided(ctx, make([]int64, partitions))
		return err == nil && missing == 0, fmt.Sprint(missing, " have none ", err)
	})
}

// undecided returns how many good documents behind some offsets have no decision. A decision has
// the time of its document, by which it belongs to this one and not to another that stood at the
// same place.
func (w *world) undecided(ctx context.Context, from []int64) (missing int, err error) {
	documents, err := w.client.Read(ctx, w.names.documents, partitions)
	if err != nil {
		return 0, err
	}
	labels, err := w.client.Read(ctx, w.names.labels, partitions)
	if err != nil {
		return 0, err
	}
	type decided struct {
		source string
		time   int64
	}
	seen := map[decided]bool{}
	for _, partition := range labels {
		for _, rec := range partition {
			source, _ := kafka.Header(rec, sourceHeader)
			seen[decided{source, rec.Timestamp.UnixMilli()}] = true
		}
	}
	for p, partition := range documents {
		for _, doc := range partition {
			if doc.Offset >= from[p] && recount.Good(doc) && !seen[decided{recount.Place(doc), doc.Timestamp.UnixMilli()}] {
				missing++
			}
		}
	}
	return missing, nil
}

// equal compares the snapshots of the workers with the recount.
func (w *world) equal(ctx context.Context) error {
	count, _, err := w.recount(ctx)
	if err != nil {
		return err
	}
	want, err := count.Counts()
	if err != nil {
		return err
	}
	for _, one := range w.workers {
		differences, err := w.differences(one.snapshot(), want)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		if len(differences) > 0 {
			return fmt.Errorf("%s differs from the recount: %v", one.name, differences)
		}
	}
	return nil
}

// export returns the counts of a model, which is a file or the snapshot of a worker.
func (w *world) export(model string) ([]byte, error) {
	out, err := exec.Command(w.tool(), "export", "--model", model).Output()
	return out, stderr(err)
}

func (w *worker) snapshot() string { return "http://" + w.http + "/v1/snapshot" }

func (w *worker) stop() error { return w.End(syscall.SIGTERM, 30*time.Second) }

// kill ends the process if there is one.
func (w *worker) kill() error {
	err := w.End(syscall.SIGKILL, time.Minute)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}
