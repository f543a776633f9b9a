package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/counting"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

// counter chooses how the texts of files are counted, where no flag says it.
type counter struct {
	spec  *spec.Spec
	data  *dataFlags
	stdin func() io.Reader
	files []string // to learn from

	ways []counting.Way
}

// process is what a reading is given that shows nothing: another one does.
func (c *counter) process() cli.Process {
	return cli.Process{Stdin: c.stdin(), Stderr: io.Discard}
}

// trial reads a sample of the files. It is nil where there is nothing to choose: no text, or files
// that cannot be read twice.
func (c *counter) trial(ctx context.Context) (*counting.Trial, error) {
	isGone := func(file string) bool { return file != "-" && !dataset.OpensAgain(file) }
	if c.spec.Text == nil || c.spec.Race == nil || slices.ContainsFunc(c.files, isGone) {
		return nil, nil //nolint:nilnil // nothing to choose
	}
	r, err := c.data.reader(ctx, c.process(), c.spec, c.files)
	if err != nil {
		return nil, err
	}
	sample := &counting.Sample{}
	err = dataset.Each(r, &dataset.OnBad{Skip: true}, func(rec *dataset.Record) error {
		sample.Add(rec)
		return ctx.Err()
	})
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if c.ways, err = counting.Ways(c.spec); err != nil {
		return nil, err
	}
	task := progress.From(ctx).Begin("comparing ways to count", "ways", progress.Unknown)
	defer task.End()
	trial, err := counting.NewTrial(ctx, c.ways, sample)
	if err == nil {
		c.ways = trial.Ways
	}
	return trial, err
}

// choose returns what is best on the documents of the files; nil where there is nothing to choose.
func (c *counter) choose(ctx context.Context) (*counting.Choice, error) {
	trial, err := c.trial(ctx)
	if err != nil || trial == nil {
		return nil, err
	}
	return trial.Choose(func(string) bool { return true }), nil
}

// count returns the spec that counts the documents best, and says why. The files are read once
// more after it.
func (f *trainFlags) count(ctx context.Context, p *cli.Process, s *spec.Spec) (*spec.Spec, error) {
	stdin := keepStdin(*p, true, f.Files)
	c := &counter{spec: s, data: &f.dataFlags, stdin: stdin, files: f.Files}
	defer func() { p.Stdin = stdin() }()
	found, err := c.choose(ctx)
	if err != nil || found == nil {
		return s, inputError(err)
	}
	fmt.Fprintf(p.Stderr, "%s; --preset or --spec names one\n%s", found.Reason(c.ways), found.Table(c.ways))
	return c.ways[found.Chosen()].Spec, nil
}

// countedAs says in how many tests the documents were counted in a way.
type countedAs struct {
	As    string `json:"as"`
	Tests int    `json:"tests"`
}

// countedInWords says how the documents were counted in the tests.
func countedInWords(all []countedAs) string {
	if len(all) == 1 {
		return "counted as " + all[0].As + ", which is best on the documents that were learned"
	}
	var parts []string
	for _, c := range all {
		parts = append(parts, fmt.Sprintf("%s in %s", c.As, counted(c.Tests, "test")))
	}
	return "counted as " + strings.Join(parts, ", ") + ": what is best on the documents that were learned"
}

// testCounted trains and tests in each split by what counts its training documents best.
func (f *splitFlags) testCounted(ctx context.Context, d *testedCorpus, c *counter, files string,
	o evaluate.Options) (err error) {
	trial, err := c.trial(ctx)
	if err != nil {
		return err
	}
	var splits []evaluate.Split
	if f.Train != "" {
		splits = []evaluate.Split{{}} // nothing that is learned is tested
	} else if splits, err = f.splits(d.Learned); err != nil {
		return cli.WrongInput(fmt.Errorf("%s: %w", files, err))
	}
	chosen := choose(trial, d.Learned, splits)
	if len(chosen) == 0 {
		d.Result, err = f.test(ctx, d, files, o)
		return err
	}
	return f.testChosen(ctx, d, c, chosen, o)
}

// chosenWay is the tests that count in one way.
type chosenWay struct {
	way    int
	splits []evaluate.Split
}

// choose returns the ways that win in the splits, by the documents that each does not test, the
// most frequent way first; none where there is nothing to choose.
func choose(trial *counting.Trial, learned *experiment.Corpus, splits []evaluate.Split) (chosen []chosenWay) {
	if trial == nil {
		return nil
	}
	for _, split := range splits {
		tested := map[string]bool{}
		for _, i := range split.Test {
			tested[learned.Documents[i].ID] = true
		}
		found := trial.Choose(func(id string) bool { return !tested[id] })
		if found == nil {
			return nil
		}
		i := slices.IndexFunc(chosen, func(c chosenWay) bool { return c.way == found.Chosen() })
		if i < 0 {
			i = len(chosen)
			chosen = append(chosen, chosenWay{way: found.Chosen()})
		}
		chosen[i].splits = append(chosen[i].splits, split)
	}
	slices.SortStableFunc(chosen, func(a, b chosenWay) int { return cmp.Compare(len(b.splits), len(a.splits)) })
	return chosen
}

// testChosen tests with the ways that were chosen. What a page shows beside the scores is of the
// most frequent one.
func (f *splitFlags) testChosen(ctx context.Context, d *testedCorpus, c *counter, chosen []chosenWay,
	o evaluate.Options) error {
	first := *d
	var parts []experiment.Part
	for i, one := range chosen {
		counted := first
		if one.way > 0 {
			bad := &dataset.OnBad{Skip: f.OnBad == "skip"}
			if err := f.read(ctx, c.process(), c.ways[one.way].Spec, bad, c.files, &counted); err != nil {
				return err
			}
		}
		if i == 0 {
			d.Learned, d.Asked = counted.Learned, counted.Asked
		}
		parts = append(parts, experiment.Part{Corpus: counted.Learned, Splits: one.splits})
		d.Counted = append(d.Counted, countedAs{c.ways[one.way].Name, len(one.splits)})
	}
	var err error
	if f.Train != "" {
		d.Result, err = experiment.TrainTest(ctx, d.Learned, d.Asked, o)
	} else {
		d.Result, err = experiment.CrossValidateParts(ctx, parts, o)
	}
	return err
}
