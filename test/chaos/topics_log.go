//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// passReader deletes records of two partitions of the training topic before they were counted.
// Those partitions stand and say so, and the others go on.
func (w *world) passReader(ctx context.Context, seed uint64) error {
	ingest := w.workers[0]
	if err := ingest.stop(); err != nil {
		return err
	}
	before, err := w.ends(ctx, w.names.training)
	if err != nil {
		return err
	}
	if err := w.write(ctx, w.names.training, seed+1, 200); err != nil {
		return err
	}
	for p := range 2 {
		if err := w.client.DeleteRecords(ctx, w.names.training, p, before[p]+10); err != nil {
			return err
		}
	}
	if err := ingest.start(); err != nil {
		return err
	}
	if err := w.stands(ctx, ingest); err != nil {
		return err
	}
	end, err := w.ends(ctx, w.names.training)
	if err != nil {
		return err
	}
	copy(end, before[:2])
	return w.until(ctx, noticed, "the other partitions go on", func() (bool, string) {
		metrics, err := ingest.metrics(ctx)
		if err != nil {
			return false, err.Error()
		}
		for p := range end {
			if at := watermark(metrics, w.names.training, p); at != end[p] {
				return false, fmt.Sprintf("partition %d is at %d, want %d", p, at, end[p])
			}
		}
		return true, ""
	})
}

// cutHead deletes the first records of the log. The workers that have folded them go on, and one
// that has not says so.
func (w *world) cutHead(ctx context.Context, seed uint64) error {
	_, end, err := w.client.Offsets(ctx, w.names.model, 1)
	if err != nil {
		return err
	}
	if err := w.client.DeleteRecords(ctx, w.names.model, 0, end[0]/2+1); err != nil {
		return err
	}
	if err := w.burst(ctx, seed+1, 100); err != nil {
		return err
	}
	late, err := newWorker(w.bin, w.dir, w.names.group+"late", "classify", w.workers[1].args[6:]...)
	if err != nil {
		return err
	}
	if err := late.start(); err != nil {
		return err
	}
	begun := time.Now()
	if err := w.until(ctx, noticed, "a late worker stops",
		func() (bool, string) { alive, _ := late.Running(); return !alive, "it runs" }); err != nil {
		return errors.Join(err, late.kill())
	}
	w.took(begun)
	if !strings.Contains(late.Said(), "snapshot") {
		w.wrong("a worker that lacks the head of the log does not ask for a snapshot")
	}
	return w.equal(ctx)
}

// makeWeak creates a model topic of two replicas, which an unclean election can hurt.
func (w *world) makeWeak(ctx context.Context) error {
	for _, one := range w.workers {
		one.args = append(one.args, "--allow-weak-topic")
	}
	settings := map[string]string{"min.insync.replicas": "1", "unclean.leader.election.enable": "false"}
	for key, value := range weakLog {
		settings[key] = value
	}
	return w.client.CreateReplicated(ctx, w.names.model, 1, 2, settings)
}

// changeLeader makes a replica of the log the leader that lacks the newest records.
func (w *world) changeLeader(ctx context.Context, seed uint64) error {
	leader, replicas, err := w.client.Replicas(ctx, w.names.model, 0)
	if err != nil {
		return err
	}
	follower := replicas[0]
	if follower == leader {
		follower = replicas[1]
	}
	if err := w.cluster.Kill(ctx, follower); err != nil {
		return err
	}
	for i := range 5 { // several deltas
		if err := w.burst(ctx, seed+10+uint64(i), 50); err != nil {
			return err
		}
	}
	if err := errors.Join(w.cluster.Kill(ctx, leader), w.cluster.Up(ctx, follower)); err != nil {
		return err
	}
	err = w.until(ctx, noticed, "the other replica leads", func() (bool, string) {
		err := w.client.Unclean(ctx, w.names.model, 0)
		now, _, asked := w.client.Leader(ctx, w.names.model, 0)
		return now == follower, fmt.Sprint(now, " leads: ", err, asked)
	})
	if err != nil {
		return err
	}
	if err := w.countedAgain(ctx, seed+20); err != nil {
		return err
	}
	return errors.Join(w.cluster.Up(ctx, leader), w.inSyncWeak(ctx))
}

// inSyncWeak waits until the log has its two replicas again.
func (w *world) inSyncWeak(ctx context.Context) error {
	return w.until(ctx, 2*time.Minute, "both replicas are in sync", func() (bool, string) {
		_, replicas, err := w.client.Leader(ctx, w.names.model, 0)
		return err == nil && replicas == 2, fmt.Sprint(replicas, err)
	})
}
