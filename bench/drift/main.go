// Command drift measures how soon a drift is found, and how often one is that is none:
//
//	go run ./bench/drift            10 quiet streams of 1,000,000 records, and 10 of each kind of drift
//
// Streams are made: four classes, words by Zipf's law, some of them of a class. Each record is decided by the model before the
// model learns it, in deltas of 100 records, by the code of the workers.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/race"
	"bayestream/internal/spec"
)

func main() {
	runs := flag.Int("runs", 10, "streams of each kind")
	quiet := flag.Int("quiet", 1_000_000, "records of a quiet stream")
	each := flag.Int("each", 50_000, "records before a drift, and behind it")
	flag.Parse()
	if err := measure(os.Stdout, *runs, *quiet, *each); err != nil {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

const inDelta = 100 // records; streams are of whole deltas

// measure writes the false alarms of quiet streams, and how many records it takes to find each kind of drift.
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
			one, err := run(k, seed, length, at)
			if err != nil {
				return err
			}
			all.add(one)
		}
		fmt.Fprintln(w, all.row(k.name, runs))
	}
	return nil
}

// figures are what streams of one kind come to.
type figures struct {
	errors, records [2]int64 // before the drift and behind it
	alarms          int64
	delays          []int
}

func (f *figures) add(o *figures) {
	for i := range f.errors {
		f.errors[i] += o.errors[i]
		f.records[i] += o.records[i]
	}
	f.alarms += o.alarms
	f.delays = append(f.delays, o.delays...)
}

func (f *figures) row(name string, runs int) string {
	rate := func(i int) string {
		if f.records[i] == 0 {
			return ""
		}
		return fmt.Sprintf("%.4f", float64(f.errors[i])/float64(f.records[i]))
	}
	row := fmt.Sprintf("| %s | %s | %s | %d | %d |", name, rate(0), rate(1), runs, f.alarms)
	if len(f.delays) == 0 {
		return row + " | |"
	}
	slices.Sort(f.delays)
	return fmt.Sprintf("%s %d | %d |", row, f.delays[len(f.delays)/2], f.delays[len(f.delays)-1])
}

// run makes a stream, which changes at a record.
func run(k kind, seed uint64, length, at int) (*figures, error) {
	s, err := spec.Parse([]byte("text: {language: none, stem: false, alpha: 1}"))
	if err != nil {
		return nil, err
	}
	state := fold.New(false)
	if _, err := state.Fold(fold.Entry{Spec: s}); err != nil {
		return nil, err
	}
	out := &figures{}
	l := &learner{state: state, builder: model.NewBuilder(s), scorer: model.NewScorer(), sums: race.NewSums(0)}
	world := newStream(seed, k.noise)
	for start := 0; start < length; start += inDelta {
		if start == at {
			k.change(world)
		}
		alarms := state.Drift().Found
		errors, err := l.learn(world, start)
		if err != nil {
			return nil, err
		}
		part := 0
		if start >= at {
			part = 1
		}
		out.errors[part] += errors
		out.records[part] += inDelta
		if now := state.Drift().Found; now > alarms {
			out.alarms++
			if part == 1 && len(out.delays) == 0 {
				out.delays = append(out.delays, start+inDelta-at)
			}
		}
	}
	return out, nil
}

// learner decides and learns as ingest does.
type learner struct {
	state    *fold.State
	builder  *model.Builder
	scorer   *model.Scorer
	decision model.Decision
	features model.Features
	sums     *race.Sums
	classes  race.Tallies
}

// learn makes the records of a delta count, and returns how many were decided wrong before.
func (l *learner) learn(world *stream, start int) (errors int64, err error) {
	l.builder.Reset()
	l.sums.Reset()
	l.classes = race.Tallies{}
	m := l.state.Model()
	for range inDelta {
		label := world.document(&l.features.Bag)
		if len(m.Classes().Live()) > 0 {
			l.scorer.Decide(&l.decision, m, &l.features, "", model.Options{Evidence: -1})
			l.sums.Scored++
			l.classes.Score(label, l.decision.Label)
			if l.decision.Label != label {
				l.sums.Decided.Errors++
			}
		}
		l.builder.Observe(label, 1, &l.features)
	}
	d := &fold.Delta{
		Counting: l.state.Counting(), Source: fold.Source{Topic: "training"}, Start: int64(start), End: int64(start + inDelta), Counts: l.builder.Delta(),
		Scores: &fold.Scores{List: l.state.Race().List().Fingerprint(), Sums: l.sums, Classes: l.classes},
	}
	outcome, err := l.state.Fold(fold.Entry{Offset: l.state.Next(), Delta: d})
	l.state.Settle()
	if err == nil && outcome != fold.Accepted {
		err = fmt.Errorf("a delta is %s", outcome)
	}
	return l.sums.Decided.Errors, err
}
