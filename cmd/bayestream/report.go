package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/evaluate"
	"bayestream/internal/model"
	"bayestream/internal/offline"
	"bayestream/internal/report"
)

func init() {
	register(verb{
		name: "report", group: "Try it on files", place: 10,
		summary: "Write an evaluation as a page with pictures.",
		example: "bayestream report --cv=10 sms.html sms.jsonl.gz",
		run:     cli.Watched(runReport),
		outline: outline[reportFlags](&reportCommand),
	})
}

// reportFlags are the flags of the verb report.
type reportFlags struct {
	Spec  string   `type:"existingfile" placeholder:"FILE" help:"Spec to evaluate (YAML). Without it: words of the field text, multinomial, alpha 1."`
	Title string   `placeholder:"TEXT" help:"Title of the page. Without it: the name of the spec and of the files."`
	Top   int      `default:"12" placeholder:"N" help:"How many of the strongest words of each class; 0 for none."`
	JSON  bool     `name:"json" help:"Write the scores as JSON to standard output, as eval does."`
	Page  string   `arg:"" complete:"file" name:"page" placeholder:"FILE.html" help:"Page to write."`
	Files []string `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders with labelled documents; - or none is standard input."`

	wayFlags `embed:""`
}

var reportCommand = config.Command{
	Name: program + " report",
	About: "Measures a spec as eval does and writes one page of HTML: scores, confusion table, ROC, precision and recall, reliability, with --prequential the " +
		"accuracy along the stream, and the strongest words of each class. The page needs no network and no script, and can be read in light and dark.",
	Examples: []config.Example{
		{What: "Ten folds", Type: "bayestream report --cv=10 sms.html sms.jsonl.gz"},
		{What: "As a stream sees it", Type: "bayestream report --prequential --spec=sms.yaml sms.html sms.jsonl.gz"},
	},
}

// Validate says all that is wrong with the flags.
func (f reportFlags) Validate() error {
	found := []error{f.problems(f.Files)}
	if ext := strings.ToLower(filepath.Ext(f.Page)); ext != ".html" && ext != ".htm" {
		found = append(found, fmt.Errorf("the page comes first, then the files: got %q, want a name that ends in .html", f.Page))
	}
	return errors.Join(found...)
}

func runReport(ctx context.Context, p cli.Process) error {
	var f reportFlags
	if err := reportCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	e, err := f.evaluate(ctx, p)
	if err != nil {
		return inputError(err)
	}
	var page bytes.Buffer
	if err := report.Write(&page, e); err != nil {
		return err
	}
	if err := os.WriteFile(f.Page, page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(e.Report)
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: %d documents, accuracy %.4f\n", f.Page, e.Report.N, e.Report.Accuracy)
	return err
}

func (f *reportFlags) evaluate(ctx context.Context, p cli.Process) (*report.Evaluation, error) {
	spec, err := f.Short.spec(f.Spec)
	if err != nil {
		return nil, err
	}
	bad := f.onBad(p)
	r, corpus, err := f.divide(ctx, p, spec, bad, f.Files)
	if err != nil {
		return nil, err
	}
	scores, err := r.Scores.Report(evaluate.ReportOptions{Positive: f.Positive})
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	e := &report.Evaluation{Title: f.title(spec), Way: f.words(), Spec: string(spec.YAML()), Scores: r.Scores, Report: scores}
	if bad.Skipped > 0 {
		e.Way += fmt.Sprintf("; %d records skipped", bad.Skipped)
	}
	if r.Tracker != nil {
		e.Trace = r.Tracker.Trace()
	}
	e.Top, err = f.top(corpus)
	return e, err
}

func (f *reportFlags) title(spec *model.Spec) string {
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
	return spec.Name + " on " + strings.Join(names, ", ")
}

// top returns the strongest words of a model that has learned all documents.
func (f *reportFlags) top(c *offline.Corpus) ([]report.Class, error) {
	if c.Spec.Text == nil || f.Top == 0 {
		return nil, nil
	}
	m, err := c.Model()
	if err != nil {
		return nil, err
	}
	var out []report.Class
	for _, id := range m.Classes().Live() {
		x := report.Class{Name: m.Classes().Name(id), Documents: m.Classes().Documents(id)}
		for _, t := range strongest(m, id, f.Top) {
			x.Terms = append(x.Terms, report.Term{Text: t.Term, Count: t.Count, Total: t.Total, Weight: t.Weight})
		}
		out = append(out, x)
	}
	return out, nil
}
