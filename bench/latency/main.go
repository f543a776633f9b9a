// Command latency measures the time from writing a correcting label to the training topic until the
// first changed decision can be read from the labels topic. Ingest and classify run in this
// process, and documents are sent at a constant rate.
//
//	go run ./bench/latency                              on an embedded broker
//	go run ./bench/latency --brokers 127.0.0.1:9092     on a real one
//	go run ./bench/latency --catch-up                   what callers wait for while a replica folds a log
//
// The exit code does not depend on the figures.
package main

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"bayestream/bench/program"
	"bayestream/internal/shell/config"
	"bayestream/internal/tools/broker"
)

// options are the flags.
type options struct {
	brokers     string
	corrections int
	rate        int
	knowledge   int
	delivery    string
	commitEach  time.Duration
	catchUp     bool
	share       int
	verbose     bool
}

func main() {
	var o options
	flag.StringVar(&o.brokers, "brokers", "", "addresses of a real cluster, separated by "+
		"commas; without them a broker in this process")
	flag.IntVar(&o.corrections, "corrections", 300, "number of labels to correct, one after the other")
	flag.IntVar(&o.rate, "rate", 1000, "documents per second to send meanwhile")
	flag.IntVar(&o.knowledge, "knowledge", 2000, "number of documents to learn first")
	standard := config.Default[config.Classify]()
	flag.StringVar(&o.delivery, "delivery", standard.Delivery, "delivery of the decisions: exactly-once or at-least-once")
	flag.DurationVar(&o.commitEach, "commit-each", standard.CommitEach, "time between two commits of classify")
	flag.BoolVar(&o.catchUp, "catch-up", false, "measure instead what a caller in the process waits for while a replica "+
		"folds a log at full speed")
	flag.IntVar(&o.share, "share", 100, "percent of the log to fold, with --catch-up")
	flag.BoolVar(&o.verbose, "verbose", false, "show the logs of the workers")
	flag.Parse()
	program.Run("latency", func(ctx context.Context) error { return run(ctx, os.Stdout, o) })
}

// run measures and prints.
func run(ctx context.Context, w io.Writer, o options) error {
	if o.catchUp {
		return catchUp(ctx, w, o)
	}
	brokers := strings.Split(o.brokers, ",")
	if o.brokers == "" {
		b, err := broker.Start(broker.Options{})
		if err != nil {
			return err
		}
		defer b.Close()
		brokers = b.Addrs
	}
	dir, err := os.MkdirTemp("", "bayestream-latency-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	log := slog.New(slog.DiscardHandler)
	if o.verbose {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	b, err := newBench(ctx, brokers, dir, o, log)
	if err != nil {
		return err
	}
	defer b.stop()
	figures, err := b.measure(ctx, o)
	if err != nil {
		return err
	}
	return figures.print(w)
}
