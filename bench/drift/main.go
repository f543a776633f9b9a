// Command drift measures how soon a drift is found, and how often one is that is none:
//
//	go run ./bench/drift            streams that are made, 10 of each kind, and real documents
//	go run ./bench/drift --runs 0   real documents alone
//
// Streams of the first table are made: four classes, words by Zipf's law, some of them of a class.
// Each record is decided by the model before the model learns it, in deltas of 100 records, by the
// code of the workers. Those of the second are of sets in the folder BAYESTREAM_DATA: those that
// are missing are left out. Candidates race for them, so that of a large model's records a share is
// scored.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bayestream/bench/labelled"
	"bayestream/bench/program"
	"bayestream/internal/core/model"
)

func main() {
	runs := flag.Int("runs", 10, "made streams of each kind")
	quiet := flag.Int("quiet", 1_000_000, "records of a quiet stream that is made")
	each := flag.Int("each", 50_000, "records before a drift that is made, and behind it")
	seeds := flag.Int("seeds", 5, "orders of each kind of stream of real documents")
	most := flag.Int("most", 40_000, "records behind a drift of real documents, which come again until it is found")
	flag.Parse()
	program.Run("drift", func(context.Context) error { return run(os.Stdout, *runs, *quiet, *each, *seeds, *most) })
}

// run measures made streams, and then real ones.
func run(w io.Writer, runs, quiet, each, seeds, most int) error {
	if runs > 0 {
		if err := measure(w, runs, quiet, each); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	data := os.Getenv("BAYESTREAM_DATA")
	if data == "" {
		fmt.Fprintln(os.Stderr, "real documents are left out: BAYESTREAM_DATA does not name the "+
			"folder of the sets that may not be republished")
		return nil
	}
	r := realStreams{seeds: seeds, most: most}
	r.read = func(file string) ([]labelled.Item, error) { return labelled.Read(filepath.Join(data, file)) }
	return r.measure(w, os.Stderr, realKinds)
}

const inDelta = 100 // records; made streams are of whole deltas

// measure writes the false alarms of quiet streams, and how many records it takes to find each kind
// of drift.
func measure(w io.Writer, runs, quiet, each int) error {
	fmt.Fprintln(w, "| stream | error rate before | behind | streams | alarms | records until the first, median | most |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for _, k := range kinds {
		var all figures
		for seed := range uint64(runs) {
			length, at := 2*each, each
			if k.change == nil {
				length, at = quiet, quiet
			}
			one, err := learnMade(k, seed, length, at)
			if err != nil {
				return err
			}
			all.add(one)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %d | %d | %s\n", k.name, all.rate(before), all.rate(behind), runs,
			all.alarms[before]+all.alarms[behind], all.delay())
	}
	return nil
}

// learnMade makes a stream, which changes at a record, and learns it.
func learnMade(k kind, seed uint64, length, at int) (*figures, error) {
	l, err := newLearner("text: {language: none, stem: false, alpha: 1}", seed)
	if err != nil {
		return nil, err
	}
	out := &figures{}
	world := newStream(seed, k.noise)
	document := func(f *model.Features) string { return world.document(&f.Bag) }
	now := before
	for start := 0; start < length; start += inDelta {
		if start == at {
			k.change(world)
			now = behind
		}
		if err := out.watch(l, now, inDelta, document); err != nil {
			return nil, err
		}
	}
	return out, nil
}
