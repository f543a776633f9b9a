package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/experiment"
	"bayestream/internal/tools/lab/tune"
)

func init() {
	register(verb{
		name: "tune", group: "Try it on files", place: 9,
		summary: "Find the best values for fields of a spec by grid search.",
		example: "bayestream tune --grid=text.alpha=0.01,0.1,1 --cv=5 sms.jsonl.gz",
		run:     cli.Watched(runTune),
		outline: outline[tuneFlags](&tuneCommand),
	})
}

// tuneFlags are the flags of the verb tune.
type tuneFlags struct {
	Spec      string   `type:"existingfile" placeholder:"FILE" help:"Spec to start from (YAML). Default: words of the field text; the documents choose how they are scored."`
	Grid      []string `sep:"none" placeholder:"FIELD=V,V" help:"Field of the spec and the values to try, such as text.alpha=0.01,0.1,1 or numbers[0].shrinkage=0,0.5,oas. May be repeated: all combinations are tried. text.temper=auto finds the temper with the least log loss. Default: how words are scored, the smoothing of each block, pairs of words, and the temper."`
	CV        folds    `name:"cv" placeholder:"K" help:"Compare the points by cross-validation with K folds. Default, without --holdout: 10 stratified ones."`
	Holdout   share    `placeholder:"SHARE" help:"Compare the points on this share of the documents, chosen at random."`
	TestShare float64  `placeholder:"SHARE" help:"Set this share of the documents aside and test only the best point on it. Default: the share of --holdout; with --cv: 0."`
	Metric    string   `enum:"accuracy,macro_f1,log_loss" default:"accuracy" placeholder:"NAME" help:"Score to choose by: accuracy, macro_f1 or log_loss."`
	Seed      uint64   `default:"1" placeholder:"N" help:"Seed of the random numbers."`
	Stratify  bool     `help:"Keep the share of each class in every part."`
	Out       string   `type:"path" placeholder:"BEST.yaml" help:"File to write the best spec to."`
	Log       string   `type:"path" placeholder:"FILE" help:"Log of finished points, one per line. Points in an existing log are not tried again, so that an interrupted search can be continued."`
	JSON      bool     `name:"json" help:"Write the result as one JSON object."`
	Files     []string `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders of labelled documents; - or none: standard input."`

	config.PresetFlag `embed:""`
	dataFlags         `embed:""`
}

var tuneCommand = config.Command{
	Name: program + " tune",
	About: "Tries every combination of values for some fields of a spec, on the same splits of the documents, and prints them from the best to the worst. " +
		"The score of the best of many is too good, since it was chosen by that score: therefore the best point is trained again and tested on the documents " +
		"that --holdout or --test-share set aside, which had no part in the choice. Points are evaluated in parallel; points with the same counting settings share the counts.",
	Examples: []config.Example{
		{What: "What is usual: multinomial, complement or one against all, smoothing, pairs of words, and the temper", Type: "bayestream tune sms.jsonl.gz"},
		{What: "How much smoothing?", Type: "bayestream tune --grid=text.alpha=0.01,0.1,1 --cv=5 --stratify sms.jsonl.gz"},
		{What: "Words or pairs, and which event model; chosen on one part, tested on another", Type: "bayestream tune --grid=text.ngrams=1,2 --grid=text.likelihood=multinomial,bernoulli --holdout=0.2 --out=best.yaml sms.jsonl.gz"},
		{What: "Which smoothing, for tickets", Type: "bayestream tune --preset=topics --grid=text.alpha=0.01,0.1,1 --text-field=body --label-field=team tickets.csv"},
		{What: "A long search that may be interrupted", Type: "bayestream tune --spec=lda.yaml --grid=numbers[0].shrinkage=0,0.1,0.5,oas --cv=10 --log=lda.tune spambase.csv"},
	},
}

// Validate returns all problems of the flags.
func (f tuneFlags) Validate() error {
	var found []error
	if f.CV != 0 && f.Holdout != 0 {
		found = append(found, errors.New("--cv and --holdout exclude each other"))
	}
	if !(f.TestShare >= 0 && f.TestShare < 1 && float64(f.Holdout)+f.test() < 1) {
		found = append(found, fmt.Errorf("--holdout %v and --test-share %v: want shares between 0 and 1, together below 1", f.Holdout, f.test()))
	}
	for _, g := range f.Grid {
		if _, err := tune.ParseAxis(g); err != nil {
			found = append(found, fmt.Errorf("--grid: %w", err))
		}
	}
	return errors.Join(found...)
}

// test returns the share of the documents to set aside for the final test.
func (f *tuneFlags) test() float64 {
	if f.TestShare == 0 {
		return float64(f.Holdout)
	}
	return f.TestShare
}

func runTune(ctx context.Context, p cli.Process) (err error) {
	var f tuneFlags
	if err := tuneCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	if f.Out != "" {
		if err := errors.Join(hasFolder(f.Out), isNoInput(f.Out, f.Files...)); err != nil {
			return err
		}
	}
	var skipped int64
	s, err := f.search(ctx, p, &skipped)
	if err != nil {
		return err
	}
	if f.Log != "" {
		if s.Log, err = tune.OpenLog(f.Log); err != nil {
			return inputError(err)
		}
		defer func() { err = errors.Join(err, s.Log.Close()) }()
	}
	found, err := s.Run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return cli.WrongInput(err)
	}
	if f.Out != "" {
		if err := writeWhole(f.Out, found.Results[0].Spec().YAML(), 0o600); err != nil {
			return fmt.Errorf("write the best spec: %w", err)
		}
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(struct {
			*tune.Found
			Skipped int64 `json:"skipped"` // records, of one reading
		}{found, skipped})
	}
	return writeFound(p, found)
}

// search returns the search. It counts skipped records in skipped.
func (f *tuneFlags) search(ctx context.Context, p cli.Process, skipped *int64) (*tune.Search, error) {
	s := &tune.Search{Metric: f.Metric, Way: tune.Way{Folds: int(f.CV), Holdout: float64(f.Holdout), Test: f.test(), Seed: f.Seed, Stratify: f.Stratify}}
	if f.CV == 0 && f.Holdout == 0 {
		s.Way.Folds, s.Way.Stratify, s.Fewer = usualFolds, true, true
	}
	for _, g := range f.Grid {
		axis, err := tune.ParseAxis(g)
		if err != nil {
			return nil, err
		}
		s.Axes = append(s.Axes, axis)
	}
	var err error
	if s.Text, err = f.SpecText(f.Spec); err != nil {
		return nil, cli.WrongInput(err)
	}
	if err := f.settle(p, s); err != nil {
		return nil, err
	}
	stdin, err := keepStdin(p, true, f.Files)
	if err != nil {
		return nil, err
	}
	told := false
	s.Read = func(sp *spec.Spec) (*experiment.Corpus, error) {
		bad := f.onBad(p)
		if told {
			bad.Report = nil // report each record once
		}
		told = true
		p.Stdin = stdin()
		w := splitFlags{dataFlags: f.dataFlags}
		if err := expand(sp, f.Spec, f.Files); err != nil {
			return nil, err
		}
		c, err := w.corpus(ctx, p, sp, bad, f.Files...)
		*skipped = bad.Skipped
		return c, err
	}
	return s, nil
}

// settle chooses the grid if no flag does, and says so.
func (f *tuneFlags) settle(p cli.Process, s *tune.Search) error {
	if len(s.Axes) > 0 {
		return nil
	}
	start, err := spec.Parse(s.Text)
	if err != nil {
		return cli.WrongInput(fmt.Errorf("%s: %w", f.SpecName(f.Spec), err))
	}
	s.Axes = tune.Usual(start)
	fmt.Fprint(p.Stderr, "no grid was named:")
	for _, a := range s.Axes {
		fmt.Fprintf(p.Stderr, " --grid=%s=%s", a.Path, strings.Join(a.Values, ","))
	}
	fmt.Fprintln(p.Stderr)
	return nil
}

func writeFound(p cli.Process, found *tune.Found) error {
	out := &printer{w: p.Stdout}
	out.f("%10s%10s%10s%10s  POINT\n", "ACCURACY", "SPREAD", "MACRO F1", "LOG LOSS")
	for _, r := range found.Results {
		if r.Problem != "" {
			out.f("%40s  %s\n%42s%s\n", "cannot be evaluated", settings(r), "", r.Problem)
			continue
		}
		spread := "-" // of one test
		if x := float64(r.Spread); !math.IsNaN(x) {
			spread = fmt.Sprintf("%.4f", x)
		}
		out.f("%10.4f%10s%10.4f%10.4f  %s\n", r.Accuracy, spread, r.MacroF1, r.LogLoss, settings(r))
	}
	if t := found.Test; t != nil {
		out.f("\nThe best by %s, tested on the documents set aside:\n%10.4f%10s%10.4f%10.4f  %s\n", found.Metric, t.Accuracy, "", t.MacroF1, t.LogLoss, settings(t))
	}
	return out.err
}

// settings returns the settings of a point as flags.
func settings(r *tune.Result) string {
	var out []string
	for _, s := range r.Point {
		out = append(out, s.String())
	}
	return strings.Join(out, " ")
}
