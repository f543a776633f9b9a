// Command walk sends a training record and a document through an ingest and a classify worker on
// the embedded broker, and writes what each runs through, as coverage, to the folders training and
// document of the one that is named:
//
//	go build -cover -covermode=atomic -coverpkg=bayestream/... -o walk ./test/size/walk && ./walk FOLDER
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/coverage"
	"time"

	"bayestream/bench/probe"
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/broker"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	err := walk(ctx, os.Args[1])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
}

// walker is a pipeline, and a client that is not part of it.
type walker struct {
	folder string
	client *stream.Client
	failed chan error
	taught int   // records
	labels int64 // decisions
}

func walk(ctx context.Context, folder string) error {
	embedded, err := broker.Start(broker.Options{})
	if err != nil {
		return err
	}
	defer embedded.Close()
	client, err := stream.Dial(stream.Config{Brokers: embedded.Addrs})
	if err != nil {
		return err
	}
	defer client.Close()
	w := &walker{folder: folder, client: client, failed: make(chan error, 2)}
	if err := w.start(ctx, embedded.Addrs); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{w.teach, w.label} { // what is done once is done
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := w.follow(ctx, "training", w.teach); err != nil {
		return err
	}
	return w.follow(ctx, "document", w.label)
}

// start starts the workers and waits until they are ready.
func (w *walker) start(ctx context.Context, brokers []string) error {
	silent := slog.New(slog.DiscardHandler)
	i := config.Default[config.Ingest]()
	c := config.Default[config.Classify]()
	c.WaitDocuments = 0
	for name, worker := range map[string]*config.Worker{"ingest": &i.Worker, "classify": &c.Worker} {
		var err error
		if worker.HTTP, err = probe.FreeAddress(ctx); err != nil {
			return err
		}
		worker.Kafka.Brokers = brokers
		worker.State = filepath.Join(w.folder, name+".db")
		worker.CreateTopics = true
		worker.Partitions = 1
	}
	go func() { w.failed <- ingest.Run(ctx, i, silent) }()
	go func() { w.failed <- classify.Run(ctx, c, silent) }()
	for _, address := range []string{i.HTTP, c.HTTP} {
		if err := w.wait(ctx, func() bool { return isReady(ctx, address) }); err != nil {
			return err
		}
	}
	return nil
}

func isReady(ctx context.Context, address string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// wait returns when cond holds. The error says why it never will.
func (w *walker) wait(ctx context.Context, cond func() bool) error {
	for !cond() {
		select {
		case err := <-w.failed:
			return fmt.Errorf("a worker ended: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// settle is longer than a checkpoint waits.
const settle = 4 * time.Second

// follow writes what runs while a step does.
func (w *walker) follow(ctx context.Context, name string, step func(context.Context) error) error {
	time.Sleep(settle) // nothing else is on its way
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := step(ctx); err != nil {
		return err
	}
	to := filepath.Join(w.folder, name)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	if err := coverage.WriteMetaDir(to); err != nil {
		return err
	}
	return coverage.WriteCountersDir(to)
}

// teach has a record learned by both workers, and written to their files.
func (w *walker) teach(ctx context.Context) error {
	w.taught++
	value := fmt.Appendf(nil, `{"id":"s%d","label":"sports","text":"Football: the football debate"}`, w.taught)
	if _, err := w.client.ProduceRetry(ctx, "training", 0, []stream.Record{{Value: value}}); err != nil {
		return err
	}
	time.Sleep(settle)
	return nil
}

// label has a document labelled.
func (w *walker) label(ctx context.Context) error {
	value := `{"id":"d1","text":"Obama and Clinton debate in Ohio"}`
	if _, err := w.client.ProduceRetry(ctx, "documents", 0, []stream.Record{{Value: []byte(value)}}); err != nil {
		return err
	}
	w.labels++
	return w.wait(ctx, func() bool {
		_, end, err := w.client.Offsets(ctx, "labels", 0)
		return err == nil && end >= w.labels
	})
}
