// Command bayestream is Bayestream as one of the peers that bench/peers measures: from texts in
// memory to counts, and from texts to decisions, with or without evidence. With -limit it measures
// a lower bound instead: split the text into words, hash them, and use one random row of a table
// for each.
//
//	bayestream [-evidence N | -limit] TRAIN TEST OUT
//
// TRAIN and TEST are JSON Lines; OUT receives a label a line, standard output the processor
// seconds.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"bayestream/bench/labelled"
	"bayestream/bench/program"
	"bayestream/bench/timing"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

func main() {
	evidence := flag.Int("evidence", -1, "words of evidence in each decision; none if negative")
	limit := flag.Bool("limit", false, "measure a lower bound")
	flag.Parse()
	program.Run("bayestream", func(context.Context) error { return run(flag.Args(), *evidence, *limit) })
}

// result is the report of a peer: processor seconds, and the number of texts that were labelled in
// them.
type result struct {
	Train      float64 `json:"train"`
	Classify   float64 `json:"classify"`
	Classified int     `json:"classified"`
}

type item struct {
	label string
	text  []byte
}

func run(paths []string, evidence int, limit bool) error {
	if len(paths) != 3 {
		return fmt.Errorf("%d arguments, want TRAIN TEST OUT", len(paths))
	}
	learn, err := read(paths[0])
	if err != nil {
		return err
	}
	test, err := read(paths[1])
	if err != nil {
		return err
	}
	if limit {
		return report(measureLimit(learn, test))
	}
	r, labels, err := measure(learn, test, evidence)
	if err != nil {
		return err
	}
	if err := os.WriteFile(paths[2], []byte(strings.Join(labels, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return report(r)
}

func report(r result) error { return json.NewEncoder(os.Stdout).Encode(r) }

func read(path string) (items []item, err error) {
	all, err := labelled.Read(path)
	for i := range all {
		items = append(items, item{all[i].Label, []byte(all[i].Text)})
	}
	return items, err
}

// batch is how many texts make a delta, as in a batch of ingest.
const batch = 2000

// measure learns and labels, and returns the labels.
func measure(learn, test []item, evidence int) (r result, labels []string, err error) {
	start := timing.ProcessorSeconds()
	sp, err := spec.Parse([]byte("text: {likelihood: multinomial, alpha: 1}"))
	if err != nil {
		return r, nil, err
	}
	x, err := model.NewExtractor(sp)
	if err != nil {
		return r, nil, err
	}
	state := fold.Offline(sp)
	b := model.NewBuilder(sp)
	var f model.Features
	in := model.Input{Segments: make([]model.Segment, 1)}
	for i := range learn {
		in.Segments[0].Text = learn[i].text
		x.Extract(&f, &in)
		b.Observe(learn[i].label, 1, &f)
		if i%batch == batch-1 || i == len(learn)-1 {
			if err := state.Model().Apply(b.Delta()); err != nil {
				return r, nil, err
			}
			b.Reset()
		}
	}
	r.Train = timing.ProcessorSeconds() - start
	s := model.NewScorer()
	o := model.Options{Evidence: evidence}
	var d model.Decision
	labels = make([]string, len(test))
	start = timing.ProcessorSeconds()
	for i := range test {
		in.Segments[0].Text = test[i].text
		x.Extract(&f, &in)
		s.Decide(&d, state.Model(), &f, "", o)
		labels[i] = d.Label
	}
	r.Classify = timing.ProcessorSeconds() - start
	r.Classified = len(test)
	return r, labels, nil
}
