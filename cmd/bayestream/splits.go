package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/counting"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

// splitFlags are the flags that divide labelled documents into training and test sets.
type splitFlags struct {
	Train       string `complete:"file" placeholder:"A" help:"Train on this file; test on the file of --test."`
	Test        string `complete:"file" placeholder:"B" help:"Test on this file."`
	CV          folds  `name:"cv" placeholder:"K" help:"Cross-validation with K folds."`
	Holdout     share  `placeholder:"SHARE" help:"Test on this share of the documents, chosen at random; train on the others."`
	LOO         bool   `name:"loo" help:"Leave-one-out: test every document with a model of all others."`
	Prequential bool   `help:"Test each document before the model learns it, in the order of the files."`

	Seed        uint64   `default:"1" placeholder:"N" help:"Seed of the random numbers."`
	Stratify    bool     `help:"Keep the share of each class in every part."`
	Shuffle     uint64   `placeholder:"SEED" help:"With --prequential: put the documents into a random order first; each seed above 0 gives another one."`
	Window      int      `default:"1000" placeholder:"N" help:"With --prequential: size of the sliding window, in documents."`
	Positive    string   `placeholder:"CLASS" help:"Positive class of the two-class scores. Default: the last class by name."`
	WantedError *float64 `placeholder:"SHARE" help:"Find the decision.reject at which at most this share of the labels is wrong, 0.01 for one in a hundred, and how many documents then get one."`
	Mistakes    int      `default:"10" placeholder:"N" help:"Number of mistakes to list, the surest first, and of pairs of classes that are confused most; 0: none."`

	Short     shortFlags `embed:""`
	dataFlags `embed:""`

	each func(*evaluate.Outcome) error // is called for each document that was tested
}

func (f *splitFlags) problems(files []string) error {
	var found config.Problems
	methods := f.methods()
	found.If(len(methods) > 1, "%s exclude each other", strings.Join(methods, " and "))
	if len(methods) < 2 {
		found = append(found, f.unusedFlags()...)
	}
	found.If((f.Train == "") != (f.Test == ""), "--train and --test: want both")
	found.If(f.Train != "" && len(files) > 0, "--train and --test name the files: want no other files")
	if wanted := f.WantedError; wanted != nil {
		found.If(!(*wanted >= 0 && *wanted < 1),
			"--wanted-error: %v; want a share of 0 or more and less than 1, like 0.01", *wanted)
	}
	found.If(f.Window < 1 || f.Mistakes < 0, "--window must be at least 1, --mistakes at least 0")
	return errors.Join(found...)
}

// methods returns the flags that choose a method.
func (f *splitFlags) methods() []string {
	var given []string
	for _, method := range []struct {
		name  string
		given bool
	}{
		{"--train with --test", f.Train != "" || f.Test != ""}, {"--cv", f.CV != 0}, {"--holdout", f.Holdout != 0},
		{"--loo", f.LOO}, {"--prequential", f.Prequential},
	} {
		if method.given {
			given = append(given, method.name)
		}
	}
	return given
}

// unusedFlags returns problems of flags that have no effect with the method.
func (f *splitFlags) unusedFlags() (found config.Problems) {
	found.If(f.Shuffle > 0 && !f.Prequential, "--shuffle has an effect only with --prequential")
	found.If(f.Window != usualWindow && !f.Prequential, "--window has an effect only with --prequential")
	if isRandom := len(f.methods()) == 0 || f.CV != 0 || f.Holdout != 0; !isRandom {
		found.If(f.Stratify, "--stratify has an effect only with --cv and --holdout")
		found.If(f.Seed != usualSeed,
			"--seed has an effect only with --cv and --holdout; --prequential takes the order of --shuffle")
	}
	return found
}

// usualWindow and usualSeed are the defaults of --window and --seed.
const (
	usualWindow = 1000
	usualSeed   = 1
)

// testedCorpus is the result of a spec and the documents it was measured on.
type testedCorpus struct {
	*experiment.Result
	Learned *experiment.Corpus // training documents: all, or --train's
	Asked   *experiment.Corpus // documents of --test; nil: a part of Learned
	Counted []countedAs        // nil: as the spec says
}

// measure reads the files, divides their documents as the flags say, trains and tests. Of a counter
// it takes, for each test, the way to count that is best on the documents that are learned.
func (f *splitFlags) measure(ctx context.Context, p cli.Process, s *spec.Spec, counter *counter, bad *dataset.OnBad,
	files []string) (*testedCorpus, error) {
	d := &testedCorpus{}
	if err := f.read(ctx, p, s, bad, files, d); err != nil {
		return nil, err
	}
	if f.Train != "" && f.Train == f.Test {
		fmt.Fprintln(p.Stderr, "warning: --train and --test name the same file: how well documents are decided that were "+
			"learned says little about others")
	}
	reportUnmet(p, s, d.Learned.Labels())
	f.settle(p, len(d.Learned.Documents))
	if f.Prequential {
		f.order(p, d.Learned)
	}
	o := evaluate.Options{Mistakes: f.Mistakes, Each: f.each, Risks: f.WantedError != nil}
	var err error
	if counter == nil || f.LOO || f.Prequential {
		d.Result, err = f.test(ctx, d, namesOf(f.documents(files)), o)
		return d, err
	}
	err = f.testCounted(ctx, d, counter, namesOf(f.documents(files)), o)
	return d, err
}

// read reads the documents as a spec counts them.
func (f *splitFlags) read(ctx context.Context, p cli.Process, s *spec.Spec, bad *dataset.OnBad, files []string,
	d *testedCorpus) (err error) {
	if d.Learned, err = f.corpus(ctx, p, s, bad, f.documents(files)...); err != nil || f.Train == "" {
		return err
	}
	d.Asked, err = f.corpus(ctx, p, s, bad, f.Test)
	return err
}

// order shuffles the documents of a stream if that was asked for, and warns of documents that come
// class after class.
func (f *splitFlags) order(p cli.Process, c *experiment.Corpus) {
	if f.Shuffle > 0 {
		c.Shuffle(f.Shuffle)
		return
	}
	if warning := c.Order().Warning(); warning != "" {
		fmt.Fprintln(p.Stderr, "warning: "+warning)
	}
}

// documents returns the files to learn from.
func (f *splitFlags) documents(files []string) []string {
	if f.Train != "" {
		return []string{f.Train}
	}
	return files
}

// usualFolds is the number of folds of a cross-validation unless there are fewer documents (Kohavi
// 1995).
const usualFolds = 10

// folds is the value of --cv, 0 if the flag is not there.
type folds int

// UnmarshalText returns an error for a number that divides nothing.
func (k *folds) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 2 {
		return fmt.Errorf("%q is not a number of folds: want at least 2", text)
	}
	*k = folds(n)
	return nil
}

// orUsual returns the number of folds, by default the usual one or as many as there are documents.
func (k folds) orUsual(documents int) int {
	if k > 0 {
		return int(k)
	}
	return max(2, min(usualFolds, documents))
}

// share is the value of --holdout, 0 if the flag is not there.
type share float64

// UnmarshalText returns an error for a share that leaves nothing to learn or to test.
func (s *share) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(x > 0 && x < 1) {
		return fmt.Errorf("%q is not a share: want a number between 0 and 1", text)
	}
	*s = share(x)
	return nil
}

// settle chooses a method if no flag does: stratified cross-validation. It says so.
func (f *splitFlags) settle(p cli.Process, documents int) {
	if len(f.methods()) > 0 {
		return
	}
	f.CV, f.Stratify = folds(f.CV.orUsual(documents)), true
	if documents < 2 {
		return // nothing can be divided, as is said then
	}
	fmt.Fprintf(p.Stderr, "no method was named: %s\n", f.describe())
}

// test trains and tests. An error about the number of documents names the files.
func (f *splitFlags) test(ctx context.Context, d *testedCorpus, files string, o evaluate.Options) (*experiment.Result,
	error) {
	switch {
	case f.Train != "":
		return experiment.TrainTest(ctx, d.Learned, d.Asked, o)
	case f.LOO:
		return experiment.LeaveOneOut(ctx, d.Learned, o)
	case f.Prequential:
		return experiment.Prequential(ctx, d.Learned, o, f.Window)
	}
	splits, err := f.splits(d.Learned)
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("%s: %w", files, err))
	}
	return experiment.CrossValidate(ctx, d.Learned, splits, o)
}

func (f *splitFlags) splits(c *experiment.Corpus) ([]evaluate.Split, error) {
	plan := evaluate.Plan{N: len(c.Documents), Seed: f.Seed}
	if f.Stratify {
		plan.Labels = c.Labels()
	}
	if f.CV == 0 {
		return plan.Holdouts(float64(f.Holdout), 1)
	}
	return plan.Folds(int(f.CV))
}

func (f *splitFlags) describe() string {
	random := fmt.Sprintf(", random with seed %d", f.Seed)
	if f.Stratify {
		random += ", stratified"
	}
	switch {
	case f.Train != "":
		return fmt.Sprintf("trained on %s, tested on %s", f.Train, f.Test)
	case f.LOO:
		return "leave-one-out: each document is tested with a model of all others"
	case f.Prequential:
		order := "in the order of the files"
		if f.Shuffle > 0 {
			order = fmt.Sprintf("in random order %d", f.Shuffle)
		}
		return "each document is tested, then learned, " + order
	case f.CV > 0:
		return fmt.Sprintf("cross-validation with %d folds%s", f.CV, random)
	}
	return fmt.Sprintf("tested on a share of %v, trained on the rest%s", f.Holdout, random)
}

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
	return c.ways[found.Chosen].Spec, nil
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
		i := slices.IndexFunc(chosen, func(c chosenWay) bool { return c.way == found.Chosen })
		if i < 0 {
			i = len(chosen)
			chosen = append(chosen, chosenWay{way: found.Chosen})
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
