//go:build unix

// Command memory measures how much memory a worker needs beyond that of the same worker idle on the
// same model, while a backlog is answered or learned:
//
//	go run ./bench/memory                              the whole table
//	go run ./bench/memory --rows 1000x256x4x8000x50    labels x their bytes x partitions x documents x bytes of a text
//
// Each row has an embedded broker in this process and a worker in a process of its own, whose
// resident memory is read every 10 ms. A worker beyond --most is killed. The exit code does not
// depend on the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"bayestream/bench/program"
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
)

// table is the list of rows that are measured, if no others are named.
const table = "1000x256x1x1000x50,1000x256x4x8000x50,1000x256x256x8000x50,1000x256x256x100000x50,100x30x4x100000x50," +
	"10000x256x1x1000x50,10000x256x4x1000x50,10000x256x256x1000x50,100x30x4x250x1000000,100x30x256x256x1000000"

// row is what is measured.
type row struct{ labels, length, partitions, documents, text int }

func (r row) String() string {
	return fmt.Sprintf("%dx%dx%dx%dx%d", r.labels, r.length, r.partitions, r.documents, r.text)
}

func readRow(s string) (r row, err error) {
	_, err = fmt.Sscanf(s, "%dx%dx%dx%dx%d", &r.labels, &r.length, &r.partitions, &r.documents, &r.text)
	if err == nil && min(r.labels, r.length, r.partitions, r.documents, r.text) < 1 {
		err = errors.New("want numbers above 0")
	}
	if err != nil {
		return r, fmt.Errorf("row %q: %w; want labels x length x partitions x documents x text, like 1000x256x4x8000x50", s,
			err)
	}
	return r, nil
}

// options are the flags.
type options struct {
	rows   string
	most   int // MiB
	memory string
	role   string

	distinct bool
	verbose  bool
}

func main() {
	program.Run("memory", func(ctx context.Context) error { return run(ctx, os.Stdout, os.Args[1:]) })
}

// run measures and prints, or is the worker that is measured.
func run(ctx context.Context, w io.Writer, args []string) error {
	if len(args) > 0 && (args[0] == "ingest" || args[0] == "classify") {
		return work(ctx, args[0], args[1:])
	}
	var o options
	flags := flag.NewFlagSet("memory", flag.ExitOnError)
	flags.StringVar(&o.rows, "rows", table, "rows to measure, separated by commas")
	flags.IntVar(&o.most, "most", 4096, "MiB beyond which a worker is killed")
	flags.StringVar(&o.memory, "memory", "", "--memory of the worker; the default of a worker if empty")
	flags.StringVar(&o.role, "role", "classify", "worker to measure: classify or ingest")
	flags.BoolVar(&o.distinct, "distinct", false, "no word of a text is in another one, or twice in it")
	flags.BoolVar(&o.verbose, "verbose", false, "show the logs of the workers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Fprintf(w, "| worker | labels | bytes | partitions | documents | bytes of a text | idle MiB | peak less idle "+
		"MiB | seconds |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range strings.Split(o.rows, ",") {
		r, err := readRow(s)
		if err != nil {
			return err
		}
		f, err := measure(ctx, r, o)
		if err != nil {
			return fmt.Errorf("row %s: %w", r, err)
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %s | %.1f |\n", o.role, r.labels, r.length, r.partitions,
			r.documents, r.text, f.idle, f.above(), f.took.Seconds())
	}
	return nil
}

// work runs a worker.
func work(ctx context.Context, role string, args []string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if role == "ingest" {
		c, err := config.Parse[config.Ingest]("ingest", args, os.LookupEnv)
		if err != nil {
			return err
		}
		return ingest.Run(ctx, c, log)
	}
	c, err := config.Parse[config.Classify]("classify", args, os.LookupEnv)
	if err != nil {
		return err
	}
	return classify.Run(ctx, c, log)
}
