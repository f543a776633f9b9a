package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/evaluate"
	"bayestream/internal/model"
	"bayestream/internal/offline"
)

func init() {
	register(verb{
		name: "eval", group: "Try it on files", place: 3,
		summary: "Measure how well a spec does on labelled files.",
		example: "bayestream eval --cv=10 sms.jsonl.gz",
		run:     runEval,
	})
}

// evalFlags are the flags of the verb eval.
type evalFlags struct {
	Train       string  `placeholder:"A" help:"Learn this file; test on that of --test."`
	Test        string  `placeholder:"B" help:"Test on this file."`
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
	Curves   bool   `help:"With --json: the points of the ROC and precision-recall curves as well."`
	JSON     bool   `name:"json" help:"Write the scores as JSON, an object for each spec."`

	Specs []string `name:"spec" sep:"none" type:"existingfile" placeholder:"FILE" help:"Spec to evaluate; several may be given. Without one: words of the field text, multinomial, alpha 1."`
	Files []string `arg:"" optional:"" name:"file" help:"Files or folders with labelled documents; - or none is standard input."`

	Short     shortFlags `embed:""`
	dataFlags `embed:""`
}

var evalCommand = config.Command{
	Name: program + " eval",
	About: "Measures how well a spec decides on documents it has not learned, by one of five ways to divide them. Scores are printed as a table, " +
		"or with --json as an object: rows of the confusion table are true classes, columns predicted ones.",
	Examples: []config.Example{
		{What: "Ten folds", Type: "bayestream eval --cv=10 --stratify sms.jsonl.gz"},
		{What: "A quarter for testing", Type: "bayestream eval --holdout=0.25 --seed=7 --json tickets.csv"},
		{What: "Two files", Type: "bayestream eval --train=old.jsonl --test=new.jsonl"},
		{What: "As a stream sees it", Type: "bayestream eval --prequential sms.jsonl.gz"},
		{What: "Two specs on the same folds", Type: "bayestream eval --cv=10 --spec=words.yaml --spec=bigrams.yaml sms.jsonl.gz"},
	},
}

// Validate says all that is wrong with the flags.
func (f evalFlags) Validate() error {
	ways := 0
	for _, used := range []bool{f.Train != "" || f.Test != "", f.CV != 0, f.Holdout != 0, f.LOO, f.Prequential} {
		if used {
			ways++
		}
	}
	var found []error
	if ways != 1 {
		found = append(found, errors.New("want one of --train with --test, --cv, --holdout, --loo and --prequential"))
	}
	if (f.Train == "") != (f.Test == "") {
		found = append(found, errors.New("--train and --test go together"))
	}
	if f.Train != "" && len(f.Files) > 0 {
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

// evaluation is what eval prints of a spec.
type evaluation struct {
	*evaluate.Report
	Spec        string              `json:"spec,omitempty"`
	Skipped     int64               `json:"skipped"`
	Folds       []foldScore         `json:"folds,omitempty"`
	Prequential []evaluate.Progress `json:"prequential,omitempty"`
	Seconds     float64             `json:"seconds"`
}

type foldScore struct {
	N        int64   `json:"n"`
	Accuracy float64 `json:"accuracy"`
}

func runEval(ctx context.Context, p cli.Process) error {
	var f evalFlags
	if err := evalCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	specs := f.Specs
	if len(specs) == 0 {
		specs = []string{""}
	}
	for _, file := range specs {
		e, err := f.evaluate(ctx, p, file)
		if err != nil {
			return inputError(err)
		}
		if f.JSON {
			err = json.NewEncoder(p.Stdout).Encode(e)
		} else {
			err = e.write(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *evalFlags) evaluate(ctx context.Context, p cli.Process, file string) (*evaluation, error) {
	start := time.Now()
	spec, err := f.Short.spec(file)
	if err != nil {
		return nil, err
	}
	bad := f.onBad(p)
	r, err := f.run(ctx, p, spec, bad)
	if err != nil {
		return nil, err
	}
	report, err := r.Scores.Report(evaluate.ReportOptions{Positive: f.Positive, Curves: f.Curves})
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	e := &evaluation{Report: report, Spec: file, Skipped: bad.Skipped, Seconds: time.Since(start).Seconds()}
	for _, s := range r.Folds {
		e.Folds = append(e.Folds, foldScore{N: s.N(), Accuracy: s.Confusion().Accuracy()})
	}
	if r.Tracker != nil {
		e.Prequential = r.Tracker.Trace()
	}
	return e, nil
}

// run divides the documents as the flags say, and tests.
func (f *evalFlags) run(ctx context.Context, p cli.Process, spec *model.Spec, bad *offline.OnBad) (*offline.Result, error) {
	o := evaluate.Options{}
	if f.Train != "" {
		train, err := f.corpus(p, spec, bad, f.Train)
		if err != nil {
			return nil, err
		}
		test, err := f.corpus(p, spec, bad, f.Test)
		if err != nil {
			return nil, err
		}
		return offline.TrainTest(train, test, o)
	}
	c, err := f.corpus(p, spec, bad, f.Files...)
	if err != nil {
		return nil, err
	}
	switch {
	case f.LOO:
		return offline.LeaveOneOut(ctx, c, o)
	case f.Prequential:
		return offline.Prequential(ctx, c, o, evaluate.TrackerOptions{Window: f.Window}, f.Delay)
	}
	splits, err := f.splits(c)
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	return offline.Splits(ctx, c, splits, o)
}

func (f *evalFlags) corpus(p cli.Process, spec *model.Spec, bad *offline.OnBad, files ...string) (*offline.Corpus, error) {
	r, err := f.reader(p, spec, false, files)
	if err != nil {
		return nil, err
	}
	c, err := offline.ReadCorpus(spec, r, bad)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if len(c.Documents) == 0 {
		return nil, cli.WrongInput(fmt.Errorf("%v: no labelled documents", files))
	}
	return c, nil
}

func (f *evalFlags) splits(c *offline.Corpus) ([]evaluate.Split, error) {
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

func (e *evaluation) write(p cli.Process) error {
	out := &printer{w: p.Stdout}
	if e.Spec != "" {
		out.f("%s\n", e.Spec)
	}
	out.f("documents %d   accuracy %.4f   error %.4f   macro F1 %.4f   log loss %.4f   Brier %.4f   ECE %.4f\n",
		e.N, e.Accuracy, e.Report.Error, e.MacroF1, e.LogLoss, e.Brier, e.ECE)
	if len(e.Folds) > 1 {
		var x []float64
		for _, s := range e.Folds {
			x = append(x, s.Accuracy)
		}
		s := evaluate.Summarise(x)
		out.f("over %d tests: accuracy %.4f, standard deviation %.4f\n", s.N, s.Mean, s.SD)
	}
	out.f("kappa %.4f   Matthews %.4f   balanced accuracy %.4f   AUC one-vs-rest %.4f\n", e.CohenKappa, e.Matthews, e.BalancedAccuracy, e.OneVersusRest)
	out.f("\n%-24s%10s%10s%10s%10s%10s\n", "CLASS", "PRECISION", "RECALL", "F1", "AUC", "SUPPORT")
	for _, name := range e.Confusion.Labels {
		c := e.Classes[name]
		out.f("%-24s%10.4f%10.4f%10.4f%10.4f%10d\n", name, c.Precision, c.Recall, c.F1, c.AUC, c.Support)
	}
	if len(e.Confusion.Labels) <= 12 {
		e.writeConfusion(out)
	}
	if b := e.Binary; b != nil {
		out.f("\npositive %s: TP %d  FP %d  FN %d  TN %d   TPR %.4f  FPR %.4f  AUC %.4f  average precision %.4f\n",
			b.Positive, b.TP, b.FP, b.FN, b.TN, b.TPR, b.FPR, b.AUC, b.AveragePrecision)
	}
	if e.Skipped > 0 {
		out.f("\n%d records skipped\n", e.Skipped)
	}
	return out.err
}

func (e *evaluation) writeConfusion(out *printer) {
	out.f("\n%-24s", "TRUE \\ PREDICTED")
	for _, name := range e.Confusion.Labels {
		out.f("%12.11s", name)
	}
	out.f("\n")
	for i, name := range e.Confusion.Labels {
		out.f("%-24.23s", name)
		for _, n := range e.Confusion.Rows[i] {
			out.f("%12d", n)
		}
		out.f("\n")
	}
}
