package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

type compareFlags struct {
	Specs   []string `name:"spec" sep:"none" type:"existingfile" placeholder:"FILE" help:"Spec to compare; may be repeated. A single spec of numbers is compared with logistic regression and nearest neighbours."`
	CV      folds    `name:"cv" placeholder:"K" help:"Number of stratified folds to compare specs on. Default: 10, or as many as there are documents."`
	Rounds  int      `default:"20" placeholder:"N" help:"Random splits of a learning curve."`
	Points  int      `default:"8" placeholder:"N" help:"Training sizes of a learning curve, at most."`
	Share   float64  `default:"0.3" placeholder:"SHARE" help:"Share of the documents that each split of a learning curve tests on."`
	Nearest int      `default:"5" placeholder:"K" help:"Number of nearest neighbours."`
	Density bool     `help:"Add the density estimate of the nearest neighbours to a learning curve: its decisions with the prior of the spec, and the mean of ln p(x) over the test documents."`
	Seed    uint64   `default:"1" placeholder:"N" help:"Seed of the random numbers."`
	JSON    bool     `name:"json" help:"Write one JSON object."`
	Files   []string `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders of labelled documents; - or none: standard input."`

	config.PresetFlag `embed:""`
	dataFlags         `embed:""`
}

var compareVerb = verbOf[compareFlags](config.Command{
	Name:    "compare",
	Summary: "Compare specs with each other, or naive Bayes with logistic regression.",
	About: "Compares classifiers on the same documents. Several specs are compared on the same folds: mean and " +
		"standard deviation of the accuracy, and a paired test against the first spec (Nadeau and Bengio's " +
		"correction). A preset is compared with the specs, or with the default. A single spec of numbers is " +
		"compared by learning curves with logistic regression and with the nearest neighbours. If two classes " +
		"share variances, the logistic form of the spec is printed, and the posteriors of both forms are compared.",
	Examples: []config.Example{
		{What: "Two specs", Type: "bayestream compare --spec=words.yaml --spec=bigrams.yaml sms.jsonl.gz"},
		{What: "A preset with the default", Type: "bayestream compare --preset=sms sms.jsonl.gz"},
		{What: "Naive Bayes against logistic regression", Type: "bayestream compare --spec=shared.yaml cancer.csv"},
	},
}, cli.Watched)

func (f compareFlags) Validate() error {
	var found config.Problems
	found.If(len(f.Specs) == 0 && f.Preset == "",
		"--spec: want several specs to compare with each other, or one of numbers to compare with logistic regression; "+
			"or --preset, to compare with the default")
	found.If(f.Rounds < 1 || f.Points < 1 || f.Nearest < 1 || !(f.Share > 0 && f.Share < 1),
		"want --rounds, --points and --nearest of at least 1, and a --share between 0 and 1")
	if f.isCurve() {
		found.If(f.CV != 0, "--cv has an effect only where several specs are compared")
		return errors.Join(found...)
	}
	const onCurves = "%s has an effect only on the learning curves of a single --spec"
	found.If(f.Rounds != usualRounds, onCurves, "--rounds")
	found.If(f.Points != usualPoints, onCurves, "--points")
	found.If(f.Share != usualShare, onCurves, "--share")
	found.If(f.Nearest != usualNearest, onCurves, "--nearest")
	found.If(f.Density, onCurves, "--density")
	return errors.Join(found...)
}

// isCurve reports whether learning curves are compared, and not specs.
func (f *compareFlags) isCurve() bool { return len(f.Specs) == 1 && f.Preset == "" }

// Defaults of flags.
const (
	usualRounds  = 20
	usualPoints  = 8
	usualShare   = 0.3
	usualNearest = 5
)

type comparison struct {
	Specs   []comparedSpec           `json:"specs,omitempty"`
	Form    *experiment.LogisticForm `json:"logistic_form,omitempty"`
	Curve   []experiment.CurvePoint  `json:"learning_curve,omitempty"`
	Skipped int64                    `json:"skipped"` // records, of the spec that skipped most
}

type comparedSpec struct {
	Spec     string           `json:"spec"`
	Accuracy evaluate.Summary `json:"accuracy"` // over the folds
	LogLoss  evaluate.Number  `json:"log_loss"`
	MacroF1  evaluate.Number  `json:"macro_f1"`
	Against  *evaluate.Paired `json:"against_first,omitempty"`

	byFold []float64 // accuracies
}

func (f *compareFlags) run(ctx context.Context, p cli.Process) error {
	var c *comparison
	var err error
	if f.isCurve() {
		c, err = f.compareClassifiers(ctx, p)
	} else {
		c, err = f.compareSpecs(ctx, p)
	}
	if err != nil {
		return inputError(err)
	}
	return result(p, f.JSON, c, c.write)
}

// named is a spec to compare: a file, a preset, or the default.
type named struct {
	file   string
	preset config.PresetFlag
}

// named returns the specs to compare, the preset last. A preset alone is compared with the default.
func (f *compareFlags) named() (all []named) {
	for _, file := range f.Specs {
		all = append(all, named{file: file})
	}
	if f.Preset == "" {
		return all
	}
	if len(all) == 0 {
		all = append(all, named{})
	}
	return append(all, named{preset: f.PresetFlag})
}

// String returns what the table calls the spec.
func (n named) String() string { return cmp.Or(n.preset.Preset, n.file, "default") }

// read reads the documents for a spec, and returns how many records were skipped.
func (f *compareFlags) read(ctx context.Context, p cli.Process, n named) (c *experiment.Corpus, skipped int64,
	err error) {
	spec, err := (&shortFlags{PresetFlag: n.preset}).specFor(n.file, f.Files)
	if err != nil {
		return nil, 0, err
	}
	leaveWindowOut(p, spec)
	bad := f.onBad(p)
	c, err = f.corpus(ctx, p, spec, bad, f.Files...)
	return c, bad.Skipped, err
}

func (f *compareFlags) compareSpecs(ctx context.Context, p cli.Process) (*comparison, error) {
	out := &comparison{}
	stdin := keepStdin(p, true, f.Files)
	for _, n := range f.named() {
		p.Stdin = stdin()
		c, skipped, err := f.read(ctx, p, n)
		if err != nil {
			return nil, err
		}
		plan := evaluate.Plan{N: len(c.Documents), Labels: c.Labels(), Seed: f.Seed}
		k := f.CV.orUsual(plan.N)
		splits, err := plan.Folds(k)
		if err != nil {
			return nil, cli.WrongInput(fmt.Errorf("%s: %w", namesOf(f.Files), err))
		}
		r, err := experiment.CrossValidate(ctx, c, splits, evaluate.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		x := comparedSpec{Spec: n.String(), LogLoss: evaluate.Number(r.Scores.LogLoss()),
			MacroF1: evaluate.Number(r.Scores.Confusion().Macro().F1)}
		for _, s := range r.Splits {
			x.byFold = append(x.byFold, s.Confusion().Accuracy())
		}
		x.Accuracy = evaluate.Summarise(x.byFold)
		if len(out.Specs) > 0 {
			paired, err := evaluate.ComparePaired(x.byFold, out.Specs[0].byFold, 1/float64(k-1))
			if err != nil {
				return nil, err
			}
			x.Against = &paired
		}
		out.Specs = append(out.Specs, x)
		out.Skipped = max(out.Skipped, skipped)
	}
	return out, nil
}

func (f *compareFlags) compareClassifiers(ctx context.Context, p cli.Process) (*comparison, error) {
	c, skipped, err := f.read(ctx, p, named{file: f.Specs[0]})
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
		if out.Form, err = experiment.NewLogisticForm(c, rows); err != nil {
			return nil, cli.WrongInput(err)
		}
	}
	out.Curve, err = experiment.LearningCurve(ctx, c, rows, experiment.CurveOptions{
		Points: f.Points, Rounds: f.Rounds, Share: f.Share, Seed: f.Seed, K: f.Nearest, Density: f.Density,
	})
	if err != nil && ctx.Err() == nil {
		err = cli.WrongInput(err) // too few documents, or none that can be evaluated
	}
	return out, err
}

func (c *comparison) write(out *printer) {
	c.writeSpecs(out)
	if form := c.Form; form != nil {
		out.f("Gaussian naive Bayes with shared variances is the logistic regression P(%s|x) = 1/(1 + exp(w0 + w'x)) "+
			"with\n\n  w0 = %.9g\n", form.Classes[1], form.W0)
		for j, w := range form.W {
			out.f("  w%d = %.9g\n", j+1, w)
		}
		out.f("\nThe posteriors of both forms differ by at most %.2g on %d documents.\n\n", form.Difference, form.Documents)
	}
	c.writeCurve(out)
}

func (c *comparison) writeSpecs(out *printer) {
	if len(c.Specs) == 0 {
		return
	}
	out.f("%-32s%10s%10s%10s%10s%14s%10s\n", "SPEC", "ACCURACY", "SPREAD", "MACRO F1", "LOG LOSS", "AGAINST FIRST", "P")
	for _, s := range c.Specs {
		out.f("%-32s%10.4f%10.4f%10.4f%10.4f", filepath.Base(s.Spec), s.Accuracy.Mean, s.Accuracy.SD, s.MacroF1, s.LogLoss)
		if s.Against != nil {
			out.f("%+14.4f%10.4f", s.Against.Difference.Mean, s.Against.P)
		}
		out.f("\n")
	}
}

// writeCurve writes a row for each point of the learning curve, with a column for each classifier.
func (c *comparison) writeCurve(out *printer) {
	if len(c.Curve) == 0 {
		return
	}
	titles := []string{"GENERATIVE", "LOGISTIC", "NEIGHBOURS"}
	if c.Curve[0].Density != nil {
		titles = append(titles, "DENSITY", "LN P(X)")
	}
	out.f("Error on documents set aside, mean and standard deviation:\n\n%10s", "LEARNED")
	for _, title := range titles {
		out.f("%22s", title)
	}
	out.f("\n")
	for _, x := range c.Curve {
		columns := []evaluate.Summary{x.Generative, x.Logistic, x.Neighbors}
		if x.Density != nil {
			columns = append(columns, x.Density.Error, x.Density.LogDensity)
		}
		out.f("%10d", x.Size)
		for _, s := range columns {
			out.f("%13.4f ±%7.4f", s.Mean, s.SD)
		}
		out.f("\n")
	}
}
