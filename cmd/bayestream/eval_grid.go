package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/experiment"
	"bayestream/internal/tools/lab/tune"
)

// gridFlags are the flags of a search for the best values.
type gridFlags struct {
	Grid      []string `sep:"none" placeholder:"FIELD=V,V" help:"Compare values for a field of the spec, such as text.alpha=0.01,0.1,1 or numbers[0].shrinkage=0,0.5,oas. May be repeated: all combinations are tried. --grid=usual tries what is usual for each block."`
	Metric    string   `enum:"accuracy,macro_f1,log_loss" default:"accuracy" placeholder:"NAME" help:"With --grid: score to choose by: accuracy, macro_f1 or log_loss."`
	TestShare float64  `placeholder:"SHARE" help:"With --grid: set this share of the documents aside and test only the best point on it. Default: the share of --holdout; with --cv: 0."`
	Best      string   `type:"path" placeholder:"BEST.yaml" help:"With --grid: file to write the best spec to."`
}

// usualGrid is the value of --grid that tries what is usual.
const usualGrid = "usual"

// gridProblems returns the problems of a search, also with the other flags of eval.
func (f *evalFlags) gridProblems() (found config.Problems) {
	found.If(len(f.Grid) == 0 && (f.Metric != "accuracy" || f.TestShare != 0 || f.Best != ""),
		"--metric, --test-share and --best have an effect only with --grid")
	for _, g := range f.Grid {
		found.If(g == usualGrid && len(f.Grid) > 1, "--grid=usual chooses all fields: want no other --grid")
		if _, err := tune.ParseAxis(g); err != nil && g != usualGrid {
			found = append(found, fmt.Errorf("--grid: %w", err))
		}
	}
	if len(f.Grid) == 0 {
		return found
	}
	found.If(!(f.TestShare >= 0 && f.TestShare < 1 && float64(f.Holdout)+f.test() < 1),
		"--holdout %v and --test-share %v: want shares between 0 and 1, together below 1", f.Holdout, f.test())
	found.If(f.Train != "" || f.LOO || f.Prequential,
		"--grid compares by --cv or --holdout: want none of --train, --loo and --prequential")
	found.If(f.Model != "" || len(f.Specs) > 1 || f.Dump != "" || f.HTML != "" || f.Curves || f.WantedError != nil,
		"--grid compares values for one --spec: want none of --model, --dump, --html, --curves and --wanted-error")
	short := f.Short
	short.Preset = ""
	found.If(short != (shortFlags{}),
		"--grid names fields of the spec: say --alpha=1 as --grid=text.alpha=1, and so with the other shortcuts")
	return found
}

// test returns the share of the documents to set aside for the final test.
func (f *evalFlags) test() float64 { return cmp.Or(f.TestShare, float64(f.Holdout)) }

func (f *evalFlags) runGrid(ctx context.Context, p cli.Process) error {
	if err := canWrite(f.Best, f.Files); err != nil {
		return err
	}
	var skipped int64
	s, err := f.search(ctx, p, &skipped)
	if err != nil {
		return err
	}
	found, err := s.Run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return cli.WrongInput(err)
	}
	if f.Best != "" {
		if err := writeWhole(f.Best, found.Results[0].Spec.YAML(), 0o600); err != nil {
			return fmt.Errorf("write the best spec: %w", err)
		}
	}
	all := struct {
		*tune.Found
		Skipped int64 `json:"skipped"` // records, of one reading
	}{found, skipped}
	return result(p, f.JSON, all, func(out *printer) { writeFound(out, found) })
}

// search returns the search. It counts skipped records in skipped.
func (f *evalFlags) search(ctx context.Context, p cli.Process, skipped *int64) (*tune.Search, error) {
	s := &tune.Search{Metric: f.Metric,
		Way: tune.Way{Folds: int(f.CV), Holdout: float64(f.Holdout), Test: f.test(), Seed: f.Seed, Stratify: f.Stratify}}
	if f.CV == 0 && f.Holdout == 0 {
		s.Way.Folds, s.Way.Stratify, s.Fewer = usualFolds, true, true
	}
	file := ""
	if len(f.Specs) > 0 {
		file = f.Specs[0]
	}
	var err error
	if s.Text, err = f.Short.SpecText(file); err != nil {
		return nil, cli.WrongInput(err)
	}
	if s.Axes, err = f.axes(p, file, s.Text); err != nil {
		return nil, err
	}
	stdin := keepStdin(p, true, f.Files)
	told := false
	s.Read = func(sp *spec.Spec) (*experiment.Corpus, error) {
		bad := f.onBad(p)
		if told {
			bad.Report = nil // report each record once
		}
		told = true
		p.Stdin = stdin()
		if err := expand(sp, file, f.Files); err != nil {
			return nil, err
		}
		c, err := f.corpus(ctx, p, sp, bad, f.Files...)
		*skipped = bad.Skipped
		return c, err
	}
	return s, nil
}

// axes returns the fields and their values. What is usual for a spec it says.
func (f *evalFlags) axes(p cli.Process, file string, text []byte) (axes []tune.Axis, err error) {
	if f.Grid[0] != usualGrid {
		for _, g := range f.Grid {
			axis, err := tune.ParseAxis(g)
			if err != nil {
				return nil, err
			}
			axes = append(axes, axis)
		}
		return axes, nil
	}
	start, err := spec.Parse(text)
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("%s: %w", f.Short.SpecName(file), err))
	}
	axes = tune.Usual(start)
	fmt.Fprint(p.Stderr, "usual is")
	for _, a := range axes {
		fmt.Fprintf(p.Stderr, " --grid=%s=%s", a.Path, strings.Join(a.Values, ","))
	}
	fmt.Fprintln(p.Stderr)
	return axes, nil
}

func writeFound(out *printer, found *tune.Found) {
	out.f("%10s%10s%10s%10s  POINT\n", "ACCURACY", "SPREAD", "MACRO F1", "LOG LOSS")
	for _, r := range found.Results {
		if r.Problem != "" {
			out.f("%40s  %s\n%42s%s\n", "cannot be evaluated", settings(r), "", r.Problem)
			continue
		}
		writePoint(out, r, settings(r))
	}
	if found.AsItIs != nil {
		writePoint(out, found.AsItIs, "the spec as it is")
	}
	if t := found.Test; t != nil {
		out.f("\nThe best by %s, tested on the documents set aside:\n%10.4f%10s%10.4f%10.4f  %s\n", found.Metric, t.Accuracy,
			"", t.MacroF1, t.LogLoss, settings(t))
	}
}

func writePoint(out *printer, r *tune.Result, name string) {
	spread := decimals("%.4f", r.Spread) // a dash for one test
	out.f("%10.4f%10s%10.4f%10.4f  %s\n", r.Accuracy, spread, r.MacroF1, r.LogLoss, name)
}

// settings returns the settings of a point as flags.
func settings(r *tune.Result) string {
	var out []string
	for _, s := range r.Point {
		out = append(out, s.String())
	}
	return strings.Join(out, " ")
}
