// Command throughput measures how many messages a second the workers process, in comparison with a
// loop that copies messages from topic to topic with kafka-go:
//
//	go run ./bench/throughput --brokers 127.0.0.1:9092     (bench/kafka.sh starts a broker and calls it)
//
// The topics are filled before the measurement. A rate leaves out the first tenth of the messages,
// and with it joining a group and the first requests. The exit code does not depend on the figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayestream/bench/program"
	"bayestream/internal/shell/config"
)

// options are the flags.
type options struct {
	brokers    string
	messages   int
	partitions int
	rounds     int
	commitEach time.Duration
	verbose    bool
	only       string
	python     string
	taught     int // news that the model learns first
}

func main() {
	o := options{taught: 20_000}
	flag.StringVar(&o.brokers, "brokers", os.Getenv("BAYESTREAM_KAFKA"), "addresses of the cluster, separated by commas")
	flag.IntVar(&o.messages, "messages", 400_000, "number of messages of 200 bytes; a quarter of it of 2,000 bytes")
	flag.IntVar(&o.partitions, "partitions", 4, "partitions of each topic")
	flag.IntVar(&o.rounds, "rounds", 3, "number of rounds; medians are printed")
	flag.DurationVar(&o.commitEach, "commit-each", config.Default[config.Classify]().CommitEach,
		"time between two commits of classify")
	flag.BoolVar(&o.verbose, "verbose", false, "show the logs of the workers")
	flag.StringVar(&o.only, "only", "", "measure only works with this in their names: \"classify 200\"")
	flag.StringVar(&o.python, "python", "", "path of a Python with confluent-kafka and "+
		"scikit-learn, to measure a consumer in it too")
	flag.Parse()
	program.Run("throughput", func(ctx context.Context) error { return run(ctx, os.Stdout, o) })
}

// run measures and prints.
func run(ctx context.Context, w io.Writer, o options) error {
	if o.brokers == "" {
		return fmt.Errorf("--brokers is empty: name a cluster, or call bench/kafka.sh, which starts one")
	}
	log := slog.New(slog.DiscardHandler)
	if o.verbose {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	b, err := newBench(ctx, strings.Split(o.brokers, ","), o, log)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.teach(ctx, o.taught); err != nil {
		return err
	}
	var works []work
	for _, size := range []struct{ bytes, messages int }{{200, o.messages}, {2000, o.messages / 4}} {
		more, err := b.sized(ctx, size.bytes, size.messages)
		if err != nil {
			return err
		}
		works = append(works, more...)
	}
	learn, err := b.learning(ctx, o.messages)
	if err != nil {
		return err
	}
	works = append(works, learn...)
	works = slices.DeleteFunc(works, func(w work) bool { return !strings.Contains(w.Name, o.only) })
	for range o.rounds {
		for i := range works {
			r, err := works[i].measure(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", works[i].Name, err)
			}
			works[i].rates = append(works[i].rates, r)
			fmt.Fprintf(os.Stderr, "%s: %.0f messages/s, %.0f a processor second\n", works[i].Name, r.wall, r.cpu)
		}
	}
	return report(w, works)
}

// report prints the medians.
func report(w io.Writer, works []work) error {
	for i := range works {
		works[i].summarise()
	}
	fmt.Fprintf(w, "%-52s %10s %10s %14s\n", "medians", "messages/s", "MB/s in", "/processor s")
	for _, x := range works {
		cpu := "-"
		if !x.foreign {
			cpu = strconv.FormatFloat(x.CPU, 'f', 0, 64)
		}
		if _, err := fmt.Fprintf(w, "%-52s %10.0f %10.1f %14s\n", x.Name, x.Rate, x.Rate*float64(x.Bytes)/1e6,
			cpu); err != nil {
			return err
		}
	}
	return nil
}
