//go:build linux

package main

import (
	"bayestream/bench/probe"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// window is what a soak adds to the limits of the spec.
const window = "  window: {records: 500}\n"

// equip gives a soak all that workers can be asked for beside each other: documents that leave a
// window, decisions that are routed to two topics, and a console that follows everything. Replaced
// records, the race and its test for a drift, and transactions are in every row.
func (w *world) equip(ctx context.Context) error {
	// An hour of decisions is tens of gigabytes, and nobody reads them again.
	short := map[string]string{"retention.bytes": "268435456", "segment.bytes": "67108864"}
	for _, topic := range []string{w.names.labels, w.names.routed} {
		if err := w.client.CreateTopic(ctx, topic, partitions, short); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(w.dir, "spec.yaml"), []byte(spec+window), 0o600); err != nil {
		return err
	}
	if err := w.hire(); err != nil {
		return err
	}
	for _, one := range w.workers[2:] {
		one.args = append(one.args, "--route", "spam="+w.names.routed)
	}
	return nil
}

// watch starts the console.
func (w *world) watch() (*worker, error) {
	address, err := probe.FreeAddress(context.Background())
	if err != nil {
		return nil, err
	}
	var health []string
	for _, one := range w.workers {
		health = append(health, "http://"+one.http)
	}
	console := &worker{name: "console", role: "console", path: w.tool(), dir: w.dir, http: address, args: []string{
		"console", "--brokers", strings.Join(w.cluster.Addresses, ","), "--addr", address, "--model-topic", w.names.model,
		"--training-topic", w.names.training,
		"--documents-topic", w.names.documents, "--labels-topic", w.names.labels + "," + w.names.routed,
		"--workers", strings.Join(health, ","),
	}}
	console.Log = filepath.Join(w.dir, "console.log")
	return console, console.start()
}

// mustShow asks the console for its first page.
func (w *world) mustShow(ctx context.Context, console *worker) {
	if alive, err := console.Running(); !alive {
		w.wrong("the console has ended: %v", err)
	} else if status, _, err := console.get(ctx, "/"); err != nil || status != http.StatusOK {
		w.wrong("the console answers %d, %v", status, err)
	}
}
