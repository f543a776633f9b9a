// Command growth measures the cost of a document and of a record over the number of terms and of
// classes, the time and the memory of a start with a large model, and what a record of the log costs
// who builds it and who folds it. It prints tables in Markdown; the exit code does not depend on the
// figures.
//
//	bench/growth.sh -only classes -rounds 3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"bayestream/bench/program"
)

// options are the flags.
type options struct {
	only    string
	rounds  int
	terms   []int
	classes []int
	memory  int64 // bytes
	folder  string
	load    string
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "terms,classes,start,log", "what to measure")
	flag.IntVar(&o.rounds, "rounds", 5, "number of rounds; medians are printed")
	terms := flag.String("terms", "1e4,1e5,1e6,1e7", "sizes of the table")
	classes := flag.String("classes", "2,20,100,1000", "numbers of classes")
	flag.Int64Var(&o.memory, "memory", 6e9, "most bytes that a table may need while it is built")
	flag.StringVar(&o.folder, "folder", os.TempDir(), "folder for model files")
	flag.StringVar(&o.load, "load", "", "only load this model file and report it as JSON")
	flag.Parse()
	program.Run("growth", func(ctx context.Context) error {
		if err := o.parse(*terms, *classes); err != nil {
			return err
		}
		return run(ctx, os.Stdout, &o)
	})
}

// parse parses the flags that are lists.
func (o *options) parse(terms, classes string) (err error) {
	o.terms, err = numbers(terms)
	if err != nil {
		return fmt.Errorf("-terms: %w", err)
	}
	o.classes, err = numbers(classes)
	if err != nil {
		return fmt.Errorf("-classes: %w", err)
	}
	return nil
}

// run measures and prints.
func run(ctx context.Context, w io.Writer, o *options) (err error) {
	if o.load != "" {
		return load(w, o.load)
	}
	folder, err := os.MkdirTemp(o.folder, "bayestream-growth-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	o.folder = folder
	fmt.Fprintf(w, "%s, %s, %d cores, %s; medians of %d rounds\n\n", time.Now().UTC().Format(time.DateOnly),
		runtime.GOARCH, runtime.NumCPU(), runtime.Version(), o.rounds)
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"terms", func() error { return growTerms(w, o) }},
		{"classes", func() error { return growClasses(w, o) }},
		{"start", func() error { return measureStart(ctx, w, o) }},
		{"log", func() error { return measureLog(w, o) }},
	} {
		if !strings.Contains(o.only, part.name) {
			continue
		}
		if err := part.run(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
