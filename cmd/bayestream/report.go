package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/config/version"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
	"bayestream/internal/tools/lab/report"
)

func init() {
	register(verb{
		name: "report", group: "Try it on files", place: 10,
		summary: "Write an evaluation as an HTML page with charts.",
		example: "bayestream report --cv=10 sms.html sms.jsonl.gz",
		run:     cli.Watched(runReport),
		outline: outline[reportFlags](&reportCommand),
	})
}

// reportFlags are the flags of the verb report.
type reportFlags struct {
	Spec   string   `type:"existingfile" placeholder:"FILE" help:"Spec to evaluate (YAML). Default: words of the field text; the documents choose how they are scored."`
	Title  string   `placeholder:"TEXT" help:"Title of the page. Default: the names of the spec and the files."`
	Top    int      `default:"12" placeholder:"N" help:"Number of strongest words to show for each class; 0: none."`
	Points int      `default:"8" placeholder:"N" help:"Training sizes of the learning curve; 0: no curve."`
	Rounds int      `default:"10" placeholder:"N" help:"Random splits of the learning curve."`
	JSON   bool     `name:"json" help:"Write the scores as JSON to standard output, as eval does."`
	Page   string   `arg:"" complete:"file" name:"page" placeholder:"FILE.html" help:"Page to write."`
	Files  []string `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders of labelled documents; - or none: standard input."`

	splitFlags `embed:""`
}

var reportCommand = config.Command{
	Name: program + " report",
	About: "Measures a spec as eval does and writes one HTML page: scores, confusion table, ROC, precision and recall, reliability, a learning curve, the " +
		"strongest words of each class; with --prequential, accuracy and log loss along the stream; for a spec of two numeric fields, its decision regions. " +
		"The page states how everything was measured. It needs no network and no scripts, and has a light and a dark theme, for screens of any size and for paper.",
	Examples: []config.Example{
		{What: "Ten folds", Type: "bayestream report --cv=10 sms.html sms.jsonl.gz"},
		{What: "As a stream sees it", Type: "bayestream report --prequential --spec=sms.yaml sms.html sms.jsonl.gz"},
		{What: "Decision regions of two numeric fields", Type: "bayestream report --cv=10 --spec=petals.yaml iris.html iris.csv"},
	},
}

// Limits of the learning curve: the share of the documents that is held out unless there is a test file, how many
// documents are tested at a point, and the minimum number of training documents.
const (
	curveHeldOut    = 0.25
	curveAskHeldOut = 5000
	curveAskLearned = 1000
	curveFrom       = 10
)

// Validate returns all problems of the flags.
func (f reportFlags) Validate() error {
	found := []error{f.problems(f.Files)}
	if ext := strings.ToLower(filepath.Ext(f.Page)); ext != ".html" && ext != ".htm" {
		found = append(found, fmt.Errorf("the first argument is the page to write: got %q, want a name that ends in .html", f.Page))
	}
	if f.Points < 0 || f.Rounds < 1 || f.Top < 0 {
		found = append(found, errors.New("--rounds must be at least 1, --points and --top at least 0"))
	}
	return errors.Join(found...)
}

func runReport(ctx context.Context, p cli.Process) error {
	var f reportFlags
	if err := reportCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	if err := hasFolder(f.Page); err != nil {
		return err
	}
	bad := f.onBad(p)
	e, err := f.evaluate(ctx, p, bad)
	if err != nil {
		return inputError(err)
	}
	var page bytes.Buffer
	if err := report.Write(&page, e); err != nil {
		return err
	}
	if err := writeWhole(f.Page, page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(struct {
			*evaluate.Report
			Skipped int64 `json:"skipped"`
		}{e.Report, bad.Skipped})
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: %s, accuracy %.4f\n", f.Page, counted(e.Report.N, "document"), e.Report.Accuracy)
	return err
}

func (f *reportFlags) evaluate(ctx context.Context, p cli.Process, bad *dataset.OnBad) (*report.Evaluation, error) {
	sp, err := f.Short.specFor(f.Spec, f.documents(f.Files))
	if err != nil {
		return nil, err
	}
	leaveWindowOut(p, sp)
	d, err := f.measure(ctx, p, sp, bad, f.Files)
	if err != nil {
		return nil, err
	}
	scores, err := d.Scores.Report(evaluate.ReportOptions{Positive: f.Positive, Wanted: f.WantedError})
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	e := &report.Evaluation{
		Title: f.title(sp), Facts: f.facts(p, d, bad), Spec: string(sp.YAML()), Scores: d.Scores, Report: scores, Again: f.Repeat > 1,
	}
	for _, s := range d.Splits {
		e.Folds = append(e.Folds, s.Confusion().Accuracy())
	}
	if d.Tracker != nil {
		e.Trace = d.Tracker.Trace()
	}
	if e.Curve, e.CurveWhy, err = f.curve(ctx, d); err != nil {
		return nil, err
	}
	m, err := d.Learned.Model()
	if err != nil {
		return nil, err
	}
	e.Top = f.top(m)
	e.Plane, e.PlaneWhy, err = regions(d.Learned, m)
	return e, err
}

// facts returns how the scores were measured.
func (f *reportFlags) facts(p cli.Process, d *testedCorpus, bad *dataset.OnBad) []report.Fact {
	facts := []report.Fact{{Name: "divided", Text: f.describe()}}
	if d.Asked != nil {
		facts = append(facts, report.Fact{Name: "documents learned", Text: strconv.Itoa(len(d.Learned.Documents))})
	}
	if d.Asked == nil && f.Repeat > 1 {
		facts = append(facts, report.Fact{Name: "documents in all", Text: strconv.Itoa(len(d.Learned.Documents))})
	}
	if bad.Skipped > 0 {
		facts = append(facts, report.Fact{Name: "records skipped", Text: fmt.Sprintf("%d, which could not be used", bad.Skipped)})
	}
	if decided := decidersInWords(deciders(d.Leaders), d.Scored, f.Prequential); len(decided) > 0 {
		facts = append(facts, report.Fact{Name: "decided by", Text: strings.TrimPrefix(strings.Join(decided, ", "), "decided by ")})
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
	line := []string{program, "report"}
	for _, a := range args {
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_=./:,+@%", r)
		}) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		line = append(line, a)
	}
	return strings.Join(line, " ")
}

// curve measures the learning curve, or returns why there is none.
func (f *reportFlags) curve(ctx context.Context, d *testedCorpus) (*experiment.ErrorCurve, string, error) {
	if f.Points == 0 {
		return nil, "", nil
	}
	if n := len(d.Learned.Documents); n < curveFrom {
		return nil, fmt.Sprintf("Not drawn: there are %d documents to learn, and a learning curve needs at least %d.", n, curveFrom), nil
	}
	c, err := experiment.MeasureErrors(ctx, d.Learned, d.Asked, experiment.ErrorCurveOptions{
		Points: f.Points, Rounds: f.Rounds, Share: curveHeldOut, Seed: f.Seed, Ask: experiment.ErrorCurveAsked{HeldOut: curveAskHeldOut, Learned: curveAskLearned},
	})
	return c, "", err
}

// regions evaluates the decision regions of a model of two numbers. For a model with text it returns nil.
func regions(c *experiment.Corpus, m *model.Model) (plane *experiment.Plane, why string, err error) {
	plane, err = experiment.NewPlane(c, m, report.PlaneSize)
	var no *experiment.NoPlaneError
	if errors.As(err, &no) {
		if len(c.Spec.Numbers) > 0 {
			why = no.Why
		}
		return nil, why, nil
	}
	return plane, "", err
}

func (f *reportFlags) title(s *spec.Spec) string {
	if f.Title != "" {
		return f.Title
	}
	files := f.Files
	if f.Train != "" {
		files = []string{f.Test}
	}
	names := make([]string, 0, len(files))
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	if len(names) == 0 {
		names = []string{"standard input"}
	}
	return s.Name + " on " + strings.Join(names, ", ")
}

// top returns the strongest words of each class.
func (f *reportFlags) top(m *model.Model) []report.Class {
	if m.Text() == nil || f.Top == 0 {
		return nil
	}
	var out []report.Class
	for _, id := range m.Classes().Live() {
		x := report.Class{Name: m.Classes().Name(id), Documents: m.Classes().Documents(id)}
		for _, t := range strongest(m, id, f.Top) {
			x.Terms = append(x.Terms, report.Term{Text: t.Term, Count: t.Count, Total: t.Total, Weight: t.Weight})
		}
		out = append(out, x)
	}
	return out
}
