package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bayestream/internal/cli"
	"bayestream/internal/lab/dataset"
	"bayestream/internal/lab/evaluate"
	"bayestream/internal/lab/experiment"
	"bayestream/internal/spec"
)

// wayFlags say how labelled documents are divided into those that are learned and those that are tested.
type wayFlags struct {
	Train       string  `complete:"file" placeholder:"A" help:"Learn this file; test on that of --test."`
	Test        string  `complete:"file" placeholder:"B" help:"Test on this file."`
	CV          int     `name:"cv" placeholder:"K" help:"Cross-validation in K folds."`
	Holdout     float64 `placeholder:"SHARE" help:"Test on this share of the documents, drawn at random; learn the others."`
	LOO         bool    `name:"loo" help:"Leave one out: every document by the model of all others."`
	Prequential bool    `help:"Test every document before it is learned, in the order of the file."`

	Repeat   int    `default:"1" placeholder:"N" help:"Times to repeat --holdout or --cv, drawn anew."`
	Seed     uint64 `default:"1" placeholder:"N" help:"Seed of what is drawn."`
	Stratify bool   `help:"Divide each class alike."`
	Delay    int    `default:"0" placeholder:"N" help:"With --prequential: a label comes only N documents later."`
	Window   int    `default:"1000" placeholder:"N" help:"With --prequential: documents of the sliding window."`
	Positive string `placeholder:"CLASS" help:"The positive class of the scores for two. Without it: the last by name."`

	Short     shortFlags `embed:""`
	dataFlags `embed:""`
}

// problems says all that is wrong with the flags.
func (f *wayFlags) problems(files []string) error {
	var found []error
	switch ways := f.ways(); len(ways) {
	case 0:
		found = append(found, errors.New("want one of --train with --test, --cv, --holdout, --loo and --prequential"))
	case 1:
		found = append(found, f.strangers()...)
	default:
		found = append(found, fmt.Errorf("%s exclude each other: each divides the documents in its own way", strings.Join(ways, " and ")))
	}
	if (f.Train == "") != (f.Test == "") {
		found = append(found, errors.New("--train and --test go together"))
	}
	if f.Train != "" && len(files) > 0 {
		found = append(found, errors.New("--train and --test name the files: want no others"))
	}
	if f.CV == 1 || f.CV < 0 {
		found = append(found, fmt.Errorf("--cv: %d; want at least 2 folds", f.CV))
	}
	if f.Holdout < 0 || f.Holdout >= 1 {
		found = append(found, fmt.Errorf("--holdout: %v; want a share between 0 and 1", f.Holdout))
	}
	if f.Repeat < 1 || f.Delay < 0 || f.Window < 1 {
		found = append(found, errors.New("--repeat and --window must be at least 1, --delay at least 0"))
	}
	return errors.Join(found...)
}

// ways returns the flags that say how to divide.
func (f *wayFlags) ways() []string {
	var given []string
	for _, way := range []struct {
		name  string
		given bool
	}{
		{"--train with --test", f.Train != "" || f.Test != ""}, {"--cv", f.CV != 0}, {"--holdout", f.Holdout != 0},
		{"--loo", f.LOO}, {"--prequential", f.Prequential},
	} {
		if way.given {
			given = append(given, way.name)
		}
	}
	return given
}

// strangers refuses what belongs to another way to divide, and would have no effect.
func (f *wayFlags) strangers() []error {
	var found []error
	if f.Repeat > 1 && f.CV == 0 && f.Holdout == 0 {
		found = append(found, errors.New("--repeat: only --cv and --holdout draw, and can draw anew"))
	}
	if f.Delay > 0 && !f.Prequential {
		found = append(found, errors.New("--delay: only with --prequential do labels come late"))
	}
	return found
}

// division is how a spec did on documents that were divided, and those documents.
type division struct {
	*experiment.Result
	Learned *experiment.Corpus // that may be learned: all, or those of --train
	Asked   *experiment.Corpus // of --test; nil: they are among the learned ones
}

// divide divides the documents of the files as the flags say, and tests.
func (f *wayFlags) divide(ctx context.Context, p cli.Process, s *spec.Spec, bad *dataset.OnBad, files []string) (*division, error) {
	if f.Train != "" {
		files = []string{f.Train}
	}
	d := &division{}
	var err error
	if d.Learned, err = f.corpus(ctx, p, s, bad, files...); err != nil {
		return nil, err
	}
	if f.Train != "" {
		if d.Asked, err = f.corpus(ctx, p, s, bad, f.Test); err != nil {
			return nil, err
		}
	}
	d.Result, err = f.test(ctx, d, evaluate.Options{})
	return d, err
}

func (f *wayFlags) test(ctx context.Context, d *division, o evaluate.Options) (*experiment.Result, error) {
	switch {
	case f.Train != "":
		return experiment.TrainTest(ctx, d.Learned, d.Asked, o)
	case f.LOO:
		return experiment.LeaveOneOut(ctx, d.Learned, o)
	case f.Prequential:
		return experiment.Prequential(ctx, d.Learned, o, evaluate.TrackerOptions{Window: f.Window}, f.Delay)
	}
	splits, err := f.splits(d.Learned)
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	return experiment.CrossValidate(ctx, d.Learned, splits, o)
}

func (f *wayFlags) corpus(ctx context.Context, p cli.Process, s *spec.Spec, bad *dataset.OnBad, files ...string) (*experiment.Corpus, error) {
	r, err := f.reader(ctx, p, s, false, files)
	if err != nil {
		return nil, err
	}
	before := bad.Skipped
	c, err := experiment.ReadCorpus(s, r, bad)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if len(c.Documents) == 0 {
		return nil, noDocuments(files, bad)
	}
	if bad.Report != nil {
		tell(p, bad.Skipped-before)
	}
	return c, nil
}

func (f *wayFlags) splits(c *experiment.Corpus) ([]evaluate.Split, error) {
	plan := evaluate.Plan{N: len(c.Documents), Seed: f.Seed}
	if f.Stratify {
		plan.Labels = c.Labels()
	}
	if f.CV == 0 {
		return plan.Holdouts(f.Holdout, f.Repeat)
	}
	var all []evaluate.Split
	for range f.Repeat {
		folds, err := plan.Folds(f.CV)
		if err != nil {
			return nil, err
		}
		all = append(all, folds...)
		plan.Round++
	}
	return all, nil
}

// words says how documents are divided.
func (f *wayFlags) words() string {
	drawn := fmt.Sprintf(", drawn from seed %d", f.Seed)
	if f.Stratify {
		drawn += ", each class alike"
	}
	if f.Repeat > 1 {
		drawn = fmt.Sprintf(", %d times", f.Repeat) + drawn
	}
	switch {
	case f.Train != "":
		return fmt.Sprintf("learned %s, tested on %s", f.Train, f.Test)
	case f.LOO:
		return "leave one out: every document is tested by a model of all others"
	case f.Prequential:
		late := ""
		if f.Delay > 0 {
			late = fmt.Sprintf(", which happens %d documents later", f.Delay)
		}
		return "every document is tested before it is learned, in the order of the file" + late
	case f.CV > 0:
		return fmt.Sprintf("cross-validation in %d folds%s", f.CV, drawn)
	}
	return fmt.Sprintf("tested on a share of %v, learned the rest%s", f.Holdout, drawn)
}
