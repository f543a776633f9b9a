package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config/version"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
	"bayestream/internal/tools/lab/report"
)

// pageFlags are the flags of the page that --html writes.
type pageFlags struct {
	HTML   string `name:"html" type:"path" placeholder:"FILE.html" help:"Write an HTML page with charts, too: ROC, precision and recall, reliability, a learning curve, the strongest words of each class."`
	Points int    `default:"8" placeholder:"N" help:"With --html: training sizes of the learning curve; 0: no curve."`
}

func (f *pageFlags) problems() error {
	if f.HTML == "" {
		if f.Points != curvePoints {
			return errors.New("--points has an effect only with --html")
		}
		return nil
	}
	if ext := strings.ToLower(filepath.Ext(f.HTML)); ext != ".html" && ext != ".htm" {
		return fmt.Errorf("--html: %q; want a name that ends in .html", f.HTML)
	}
	return fromZero("points", f.Points)
}

// Limits of the learning curve: the share of the documents that is held out unless there is a test
// file, how many documents are tested at a point, and the minimum number of training documents.
const (
	curveHeldOut    = 0.25
	curveAskHeldOut = 5000
	curveAskLearned = 1000
	curveFrom       = 10
	curvePoints     = 8 // default of --points
	curveRounds     = 10
	strongestTerms  = 12 // of each class on the page
)

func (f *evalFlags) writePage(ctx context.Context, p cli.Process, d *testedCorpus, scores *evaluate.Report,
	bad *dataset.OnBad) error {
	e, err := f.page(ctx, p, d, scores, bad)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := report.Write(&text, e); err != nil {
		return err
	}
	if err := writeWhole(f.HTML, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func (f *evalFlags) page(ctx context.Context, p cli.Process, d *testedCorpus, scores *evaluate.Report,
	bad *dataset.OnBad) (*report.Evaluation, error) {
	e := &report.Evaluation{
		Title: f.title(d.Learned.Spec), Facts: f.facts(p, d, bad), Spec: string(d.Learned.Spec.YAML()), Scores: d.Scores,
		Report: scores,
	}
	for _, s := range d.Splits {
		e.Folds = append(e.Folds, s.Confusion().Accuracy())
	}
	if d.Tracker != nil {
		e.Trace = d.Tracker.Trace()
	}
	var err error
	if e.Curve, e.CurveWhy, err = f.curve(ctx, d); err != nil {
		return nil, err
	}
	m, err := d.Learned.Model()
	if err != nil {
		return nil, err
	}
	e.Top = topOf(m)
	e.Plane, e.PlaneWhy, err = regions(d.Learned, m)
	return e, err
}

// facts returns how the scores were measured.
func (f *evalFlags) facts(p cli.Process, d *testedCorpus, bad *dataset.OnBad) []report.Fact {
	facts := []report.Fact{{Name: "divided", Text: f.describe()}}
	if d.Asked != nil {
		facts = append(facts, report.Fact{Name: "documents learned", Text: strconv.Itoa(len(d.Learned.Documents))})
	}
	if bad.Skipped > 0 {
		facts = append(facts, report.Fact{Name: "records skipped",
			Text: fmt.Sprintf("%d, which could not be used", bad.Skipped)})
	}
	if decided := decidersInWords(deciders(d.Leaders), d.Scored, f.Prequential); len(decided) > 0 {
		facts = append(facts, report.Fact{Name: "decided by",
			Text: strings.TrimPrefix(strings.Join(decided, ", "), "decided by ")})
	}
	s := d.Learned.Spec
	return append(facts,
		report.Fact{Name: "model", Text: fmt.Sprintf("%s, counting %s, scoring %s", s.Name, s.Counting(), s.Scoring())},
		report.Fact{Name: "made by", Text: program + " " + version.Read().String()},
		report.Fact{Name: "command", Text: typed(p.Args), Code: true},
	)
}

// typed returns the arguments of the command line, quoted for a shell.
func typed(args []string) string {
	line := []string{program, "eval"}
	for _, a := range args {
		line = append(line, shellWord(a))
	}
	return strings.Join(line, " ")
}

// curve measures the learning curve, or returns why there is none.
func (f *evalFlags) curve(ctx context.Context, d *testedCorpus) (*experiment.ErrorCurve, string, error) {
	if f.Points == 0 {
		return nil, "", nil
	}
	if n := len(d.Learned.Documents); n < curveFrom {
		return nil, fmt.Sprintf("Not drawn: there are %d documents to learn, and a learning curve needs at least %d.", n,
			curveFrom), nil
	}
	c, err := experiment.MeasureErrors(ctx, d.Learned, d.Asked, experiment.ErrorCurveOptions{
		Points: f.Points, Rounds: curveRounds, Share: curveHeldOut, Seed: f.Seed,
		Ask: experiment.ErrorCurveAsked{HeldOut: curveAskHeldOut, Learned: curveAskLearned},
	})
	return c, "", err
}

// regions evaluates the decision regions of a model of two numbers. For a model with text it
// returns nil.
func regions(c *experiment.Corpus, m *model.Model) (plane *experiment.Plane, why string, err error) {
	plane, err = experiment.NewPlane(c, m, report.PlaneColumns, report.PlaneRows)
	if no, ok := errors.AsType[*experiment.NoPlaneError](err); ok {
		if len(c.Spec.Numbers) > 0 {
			why = no.Why
		}
		return nil, why, nil
	}
	return plane, "", err
}

func (f *evalFlags) title(s *spec.Spec) string {
	files := f.Files
	if f.Train != "" {
		files = []string{f.Test}
	}
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	return s.Name + " on " + namesOf(names)
}

func topOf(m *model.Model) []report.Class {
	if m.Text() == nil {
		return nil
	}
	var out []report.Class
	for _, id := range m.Classes().Live() {
		out = append(out, report.Class{Name: m.Classes().Name(id), Documents: m.Classes().Documents(id),
			Terms: strongest(m, id, strongestTerms)})
	}
	return out
}
