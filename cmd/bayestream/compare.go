package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/lab/evaluate"
	"bayestream/internal/lab/experiment"
)

func init() {
	register(verb{
		name: "compare", group: "Try it on files", place: 6,
		summary: "Set specs beside each other, or naive Bayes beside logistic regression.",
		example: "bayestream compare --spec=words.yaml --spec=bigrams.yaml sms.jsonl.gz",
		run:     cli.Watched(runCompare),
		outline: outline[compareFlags](&compareCommand),
	})
}

// compareFlags are the flags of the verb compare.
type compareFlags struct {
	Specs      []string `name:"spec" sep:"none" type:"existingfile" placeholder:"FILE" help:"Spec to compare; give several. A single one of numbers is compared with logistic regression and nearest neighbours."`
	CV         int      `name:"cv" default:"10" placeholder:"K" help:"Folds on which specs are compared, stratified."`
	Rounds     int      `default:"20" placeholder:"N" help:"Random divisions of a learning curve."`
	Points     int      `default:"8" placeholder:"N" help:"Training sizes of a learning curve."`
	Share      float64  `default:"0.3" placeholder:"SHARE" help:"Share of the documents that a learning curve tests on."`
	Nearest    int      `default:"5" placeholder:"K" help:"How many nearest neighbours vote."`
	LedoitWolf bool     `name:"ledoit-wolf" help:"Add linear discriminant analysis with Ledoit and Wolf's shrinkage to a learning curve. It is for offline fits: a stream does not keep the sums that it needs."`
	Seed       uint64   `default:"1" placeholder:"N" help:"Seed of what is drawn."`
	JSON       bool     `name:"json" help:"Write one JSON object."`
	Files      []string `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders with labelled documents; - or none is standard input."`
	dataFlags  `embed:""`
}

var compareCommand = config.Command{
	Name: program + " compare",
	About: "Compares classifiers on the same documents. Several specs are compared on the same folds, with mean, spread and a paired test against the first " +
		"(Nadeau and Bengio's correction). A single spec of numbers is a generative classifier: it is set beside logistic regression, its discriminative " +
		"counterpart, and the nearest neighbours, by learning curves; where two classes share variances its logistic form is printed, and both shown to be equal.",
	Examples: []config.Example{
		{What: "Two specs", Type: "bayestream compare --spec=words.yaml --spec=bigrams.yaml sms.jsonl.gz"},
		{What: "Naive Bayes against logistic regression", Type: "bayestream compare --spec=shared.yaml cancer.csv"},
	},
}

// Validate says all that is wrong with the flags.
func (f compareFlags) Validate() error {
	var found []error
	if len(f.Specs) == 0 {
		found = append(found, errors.New("--spec: want several to compare with each other, or one of numbers to compare with logistic regression"))
	}
	if f.CV < 2 || f.Rounds < 1 || f.Points < 1 || f.Nearest < 1 || !(f.Share > 0 && f.Share < 1) {
		found = append(found, errors.New("want --cv of at least 2, --rounds, --points and --nearest of at least 1, and a --share between 0 and 1"))
	}
	return errors.Join(found...)
}

// comparison is what compare prints.
type comparison struct {
	Specs    []comparedSpec          `json:"specs,omitempty"`
	Identity *experiment.Identity    `json:"logistic_form,omitempty"`
	Curve    []experiment.CurvePoint `json:"learning_curve,omitempty"`
	Skipped  int64                   `json:"skipped"` // records: the most that a spec could not use
}

type comparedSpec struct {
	Spec     string           `json:"spec"`
	Accuracy evaluate.Summary `json:"accuracy"` // over the folds
	LogLoss  evaluate.Number  `json:"log_loss"`
	MacroF1  evaluate.Number  `json:"macro_f1"`
	Against  *evaluate.Paired `json:"against_first,omitempty"`

	folds []float64
}

func runCompare(ctx context.Context, p cli.Process) error {
	var f compareFlags
	if err := compareCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	var c *comparison
	var err error
	if len(f.Specs) == 1 {
		c, err = f.others(ctx, p)
	} else {
		c, err = f.specs(ctx, p)
	}
	if err != nil {
		return inputError(err)
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(c)
	}
	return c.write(p)
}

// read reads the documents as a spec sees them, and counts those that were passed over.
func (f *compareFlags) read(ctx context.Context, p cli.Process, file string) (c *experiment.Corpus, skipped int64, err error) {
	w := wayFlags{dataFlags: f.dataFlags}
	spec, err := w.Short.spec(file)
	if err != nil {
		return nil, 0, err
	}
	bad := f.onBad(p)
	c, err = w.corpus(ctx, p, spec, bad, f.Files...)
	return c, bad.Skipped, err
}

// specs compares several specs on the same folds.
func (f *compareFlags) specs(ctx context.Context, p cli.Process) (*comparison, error) {
	out := &comparison{}
	again, err := keepStdin(p, true, f.Files)
	if err != nil {
		return nil, err
	}
	for _, file := range f.Specs {
		p.Stdin = again()
		c, skipped, err := f.read(ctx, p, file)
		if err != nil {
			return nil, err
		}
		plan := evaluate.Plan{N: len(c.Documents), Labels: c.Labels(), Seed: f.Seed}
		folds, err := plan.Folds(f.CV)
		if err != nil {
			return nil, cli.WrongInput(err)
		}
		r, err := experiment.Splits(ctx, c, folds, evaluate.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		x := comparedSpec{Spec: file, LogLoss: evaluate.Number(r.Scores.LogLoss()), MacroF1: evaluate.Number(r.Scores.Confusion().Macro().F1)}
		for _, s := range r.Folds {
			x.folds = append(x.folds, s.Confusion().Accuracy())
		}
		x.Accuracy = evaluate.Summarise(x.folds)
		if len(out.Specs) > 0 {
			paired, err := evaluate.ComparePaired(x.folds, out.Specs[0].folds, 1/float64(f.CV-1))
			if err != nil {
				return nil, err
			}
			x.Against = &paired
		}
		out.Specs, out.Skipped = append(out.Specs, x), max(out.Skipped, skipped)
	}
	return out, nil
}

// others compares a spec of numbers with classifiers of other kinds.
func (f *compareFlags) others(ctx context.Context, p cli.Process) (*comparison, error) {
	c, skipped, err := f.read(ctx, p, f.Specs[0])
	if err != nil {
		return nil, err
	}
	rows, err := experiment.NumericRows(c)
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	if len(rows.X) == 0 {
		return nil, cli.WrongInput(errors.New("no document has all numbers"))
	}
	out := &comparison{Skipped: skipped}
	if n := c.Spec.Numbers; len(n) == 1 && n[0].Variance == "shared" {
		if out.Identity, err = experiment.LogisticForm(c, rows); err != nil {
			return nil, cli.WrongInput(err)
		}
	}
	out.Curve, err = experiment.LearningCurve(ctx, c, rows, experiment.CurveOptions{Points: f.Points, Rounds: f.Rounds, Share: f.Share, Seed: f.Seed, K: f.Nearest, LedoitWolf: f.LedoitWolf})
	if err != nil && ctx.Err() == nil {
		err = cli.WrongInput(err) // too few documents to divide, or none that can be evaluated
	}
	return out, err
}

func (c *comparison) write(p cli.Process) error {
	out := &printer{w: p.Stdout}
	if len(c.Specs) > 0 {
		out.f("%-32s%10s%10s%10s%10s%14s%10s\n", "SPEC", "ACCURACY", "SPREAD", "MACRO F1", "LOG LOSS", "AGAINST FIRST", "P")
	}
	for _, s := range c.Specs {
		out.f("%-32s%10.4f%10.4f%10.4f%10.4f", filepath.Base(s.Spec), s.Accuracy.Mean, s.Accuracy.SD, s.MacroF1, s.LogLoss)
		if s.Against != nil {
			out.f("%+14.4f%10.4f", s.Against.Difference.Mean, s.Against.P)
		}
		out.f("\n")
	}
	if i := c.Identity; i != nil {
		out.f("Gaussian naive Bayes with shared variances is the logistic regression P(%s|x) = 1/(1 + exp(w0 + w'x)) with\n\n  w0 = %.9g\n", i.Classes[1], i.W0)
		for j, w := range i.W {
			out.f("  w%d = %.9g\n", j+1, w)
		}
		out.f("\nThe posteriors of both forms differ by at most %.2g on %d documents.\n\n", i.Difference, i.Documents)
	}
	if len(c.Curve) > 0 {
		out.f("Error on documents set aside, mean and standard deviation:\n\n%10s%22s%22s%22s%s\n", "LEARNED", "GENERATIVE", "LOGISTIC", "NEIGHBOURS", lastColumn(c.Curve[0].LedoitWolf != nil))
	}
	for _, x := range c.Curve {
		out.f("%10d", x.Size)
		for _, s := range x.Summaries() {
			out.f("%13.4f ±%7.4f", s.Mean, s.SD)
		}
		out.f("\n")
	}
	return out.err
}

// lastColumn is the heading of the column that is there only when it was asked for.
func lastColumn(asked bool) string {
	if !asked {
		return ""
	}
	return fmt.Sprintf("%22s", "LDA LEDOIT-WOLF")
}
