package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/digest"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
	"bayestream/internal/tools/lab/modelfile"
)

type evalFlags struct {
	Curves bool `help:"With --json: include the points of the ROC and precision-recall curves."`
	JSON   bool `name:"json" help:"Write the scores as JSON, one object per spec."`

	Dump  string           `complete:"file" placeholder:"FILE" help:"Write a line of JSON for each document that was tested: id, label, predicted label, log posterior of each class."`
	Model config.FileOrURL `complete:"file" placeholder:"M.db|URL" help:"Measure this model as it is: a model file, or the snapshot of a running worker, http://HOST:PORT/v1/snapshot. The files must not be those that it learned."`
	Specs []string         `name:"spec" sep:"none" type:"existingfile" placeholder:"FILE" help:"Spec to evaluate; may be repeated. Default: words of the field text; the documents choose how they are counted and scored."`
	Files []string         `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders of labelled documents; - or none: standard input."`

	pageFlags  `embed:""`
	gridFlags  `embed:""`
	splitFlags `embed:""`
	keyFlags   `embed:""`
}

var evalVerb = verbOf[evalFlags](config.Command{
	Name:    "eval",
	Summary: "Measure the accuracy of a spec on labelled files.",
	About: "Measures the decisions of a spec on documents that it was not trained on, in one of five ways: " +
		"cross-validation (--cv), a random test set (--holdout), " +
		"leave-one-out (--loo), two files (--train and --test), or as a stream (--prequential: each document is " +
		"tested, then learned). If none is named, it takes ten stratified folds. Without a spec each test counts " +
		"the words as the default or the preset that is best on the documents it learns; a stream has the default. " +
		"With --model it measures a model that exists. " +
		"With --grid it finds the best values for fields of the spec; the best of many scores is too good, so " +
		"test the best point on a share that had no part in the choice. Accuracy and F1 measure the labels, log " +
		"loss and Brier score the posteriors, ECE their calibration (0 is best). With 200 documents or more it " +
		"also reports the effect of decision.reject, and for two classes the cost of each kind of error. The " +
		"mistakes that the model was surest of come last.",
	Examples: []config.Example{
		{What: "Ten folds, each with the same share of every class", Type: "bayestream eval --cv=10 --stratify sms.jsonl.gz"},
		{What: "A quarter for testing, as JSON", Type: "bayestream eval --holdout=0.25 --seed=7 --json --text-field=body " +
			"--label-field=team tickets.csv"},
		{What: "Two files", Type: "bayestream eval --train=old.jsonl --test=new.jsonl"},
		{What: "As a stream sees it", Type: "bayestream eval --prequential sms.jsonl.gz"},
		{What: "A model that exists, on files that it has not learned", Type: "bayestream eval --model=sms.db new.jsonl"},
		{What: "The scores of each document of a stream, for another program",
			Type: "bayestream eval --prequential --dump=scores.jsonl sms.jsonl.gz"},
		{What: "How many labels can be had with one error in a hundred",
			Type: "bayestream eval --cv=10 --wanted-error=0.01 sms.jsonl.gz"},
		{What: "A page with charts", Type: "bayestream eval --cv=10 --html=sms.html sms.jsonl.gz"},
		{What: "How much smoothing?", Type: "bayestream eval --grid=text.alpha=0.01,0.1,1 --cv=5 --stratify sms.jsonl.gz"},
		{What: "Pairs of words, and which event model; chosen on one part, tested on another",
			Type: "bayestream eval --grid=text.ngrams=1,2 --grid=text.likelihood=multinomial,bernoulli --holdout=0.2 " +
				"--best=best.yaml sms.jsonl.gz"},
		{What: "How much to shrink a covariance", Type: "bayestream eval --spec=lda.yaml " +
			"--grid=numbers[0].shrinkage=0,0.1,0.5,oas --cv=10 spambase.csv"},
		{What: "Two specs on the same folds", Type: "bayestream eval --cv=10 --spec=words.yaml " +
			"--spec=bigrams.yaml sms.jsonl.gz"},
	},
}, cli.Watched)

func (f evalFlags) Validate() error {
	found := append(f.gridProblems(), f.splitFlags.problems(f.Files), f.pageFlags.problems())
	found.If(f.HTML != "" && (f.Model != "" || len(f.Specs) > 1),
		"--html writes the page of one spec: want one --spec and no --model")
	found.If(f.Model != "" && (len(f.methods()) > 0 || len(f.Specs) > 0 || f.Short != shortFlags{}),
		"--model measures a model as it is: want no spec, none of its shortcuts, and none of --train, --test, --cv, "+
			"--holdout, --loo and --prequential")
	found.If(f.Dump != "" && len(f.Specs) > 1, "--dump writes the scores of one spec: want one --spec")
	found.If(f.TermsKeyFile != "" && f.Model == "", "--terms-key-file has an effect only with --model")
	return errors.Join(found...)
}

type evaluation struct {
	*evaluate.Report
	Spec        string              `json:"spec,omitempty"`
	Model       config.FileOrURL    `json:"model,omitempty"`
	Skipped     int64               `json:"skipped"`
	Folds       []foldScore         `json:"folds,omitempty"`
	Counted     []countedAs         `json:"counted,omitempty"` // where the documents chose
	Scoring     []decider           `json:"scoring,omitempty"`
	ScoredBy    map[string]int      `json:"scored_by,omitempty"` // documents by candidate
	Prequential []evaluate.Progress `json:"prequential,omitempty"`
	Seconds     float64             `json:"seconds"`
}

type foldScore struct {
	N        int64   `json:"n"`
	Accuracy float64 `json:"accuracy"`
}

func (f *evalFlags) run(ctx context.Context, p cli.Process) error {
	if len(f.Grid) > 0 {
		return f.runGrid(ctx, p)
	}
	inputs := slices.Concat(f.Specs, f.Files, []string{f.Train, f.Test})
	if err := errors.Join(canWrite(f.HTML, inputs), canWrite(f.Dump, inputs)); err != nil {
		return err
	}
	specs := f.Specs
	if len(specs) == 0 { // or the spec is the model's
		specs = []string{""}
	}
	if f.Dump == "" {
		return f.evaluateAll(ctx, p, specs)
	}
	var lines dump
	f.each = lines.add
	if err := f.evaluateAll(ctx, p, specs); err != nil {
		return err
	}
	return writeWhole(f.Dump, lines.Bytes(), 0o644)
}

func (f *evalFlags) evaluateAll(ctx context.Context, p cli.Process, specs []string) error {
	stdin := keepStdin(p, len(specs) > 1, f.Files)
	for _, file := range specs {
		p.Stdin = stdin()
		e, err := f.evaluate(ctx, p, file)
		if err != nil {
			return inputError(err)
		}
		if err := result(p, f.JSON, e, e.write); err != nil {
			return err
		}
	}
	return nil
}

func (f *evalFlags) evaluate(ctx context.Context, p cli.Process, file string) (*evaluation, error) {
	start := time.Now()
	bad := f.onBad(p)
	r, err := f.result(ctx, p, file, bad)
	if err != nil {
		return nil, err
	}
	report, err := r.Scores.Report(evaluate.ReportOptions{Positive: f.Positive, Curves: f.Curves, Wanted: f.WantedError})
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	if f.HTML != "" {
		if err := f.writePage(ctx, p, r, report, bad); err != nil {
			return nil, err
		}
	}
	e := &evaluation{Report: report, Spec: file, Model: f.Model, Skipped: bad.Skipped, Counted: r.Counted,
		Scoring: deciders(r.Leaders), ScoredBy: r.Scored, Seconds: time.Since(start).Seconds()}
	for _, s := range r.Splits {
		e.Folds = append(e.Folds, foldScore{N: s.N(), Accuracy: s.Confusion().Accuracy()})
	}
	if r.Tracker != nil {
		e.Prequential = r.Tracker.Trace()
	}
	return e, nil
}

// result measures a spec, or the model that exists.
func (f *evalFlags) result(ctx context.Context, p cli.Process, file string, bad *dataset.OnBad) (*testedCorpus, error) {
	if f.Model != "" {
		r, err := f.testModel(ctx, p, bad)
		return &testedCorpus{Result: r}, err
	}
	spec, err := f.Short.specFor(file, f.documents(f.Files))
	if err != nil {
		return nil, err
	}
	leaveWindowOut(p, spec)
	if file != "" || f.Short != (shortFlags{}) {
		return f.measure(ctx, p, spec, nil, bad, f.Files)
	}
	stdin := keepStdin(p, true, f.documents(f.Files))
	counter := &counter{spec: spec, data: &f.dataFlags, stdin: stdin, files: f.documents(f.Files)}
	p.Stdin = stdin()
	return f.measure(ctx, p, spec, counter, bad, f.Files)
}

// testModel measures a model that exists. It warns of classes that the model does not know, since
// no document of them can be right, and of files that the model learned.
func (f *evalFlags) testModel(ctx context.Context, p cli.Process, bad *dataset.OnBad) (*experiment.Result, error) {
	state, err := modelfile.Load(ctx, f.Model.Reveal())
	if err != nil {
		return nil, err
	}
	if err := f.unlock(state); err != nil {
		return nil, err
	}
	m := state.Model()
	r, err := f.reader(ctx, p, m.Spec(), f.Files)
	if err != nil {
		return nil, err
	}
	var sums modelfile.Sums
	c, err := readCorpus(p, m.Spec(), sums.Of(r), bad, f.Files)
	if err != nil {
		return nil, err
	}
	if err := f.reportKnown(p, sums.Parts); err != nil {
		return nil, err
	}
	isKnown := func(label string) bool { _, known := m.Classes().ID(label); return known }
	if foreign := slices.DeleteFunc(distinct(c.Labels()), isKnown); len(foreign) > 0 {
		fmt.Fprintf(p.Stderr, "warning: the model has no class %s: such documents count as wrong\n", firstQuoted(foreign))
	}
	return experiment.TestModel(ctx, m, c,
		evaluate.Options{Mistakes: f.Mistakes, Each: f.each, Risks: f.WantedError != nil})
}

func (f *evalFlags) reportKnown(p cli.Process, sums []digest.Sum) error {
	known, err := modelfile.Learned(f.Model.Reveal())
	var again []string
	for i, sum := range sums {
		if known[sum] {
			again = append(again, escape.Text(fileAt(f.Files, i)))
		}
	}
	if len(again) > 0 {
		fmt.Fprintf(p.Stderr, "warning: the model learned the documents of %s: how well it decides them says little "+
			"about others\n", firstOf(again))
	}
	return err
}

func (e *evaluation) write(out *printer) {
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
	if len(e.Counted) > 0 {
		out.f("%s\n", countedInWords(e.Counted))
	}
	for _, line := range decidersInWords(e.Scoring, e.ScoredBy, e.Prequential != nil) {
		out.f("%s\n", line)
	}
	out.f("kappa %.4f   Matthews %.4f   balanced accuracy %.4f   AUC one-vs-rest %.4f\n", e.CohenKappa, e.Matthews,
		e.BalancedAccuracy, e.OneVersusRest)
	out.f("\n%-24s%10s%10s%10s%10s%10s\n", "CLASS", "PRECISION", "RECALL", "F1", "AUC", "SUPPORT")
	for _, name := range e.Confusion.Labels {
		c := e.Classes[name]
		out.f("%s %10.4f%10.4f%10.4f%10.4f%10d\n", className(name), c.Precision, c.Recall, c.F1, c.AUC, c.Support)
	}
	if len(e.Confusion.Labels) <= 12 {
		e.writeConfusion(out)
	}
	if e.Unlabelled > 0 {
		out.f("\ndocuments without a label, which count as wrong: %d\n", e.Unlabelled)
	}
	if b := e.Binary; b != nil {
		out.f("\npositive %s: TP %d  FP %d  FN %d  TN %d   TPR %.4f  FPR %.4f  AUC %.4f  average precision %.4f\n",
			b.Positive, b.TP, b.FP, b.FN, b.TN, b.TPR, b.FPR, b.AUC, b.AveragePrecision)
	}
	e.writeCosts(out)
	if len(e.Coverage) > 0 {
		e.writeCoverage(out)
	}
	if e.Threshold != nil {
		e.writeThreshold(out)
	}
	e.writeMistakes(out)
	if e.Skipped > 0 {
		out.f("\n%s skipped\n", counted(e.Skipped, "record"))
	}
}

// writeMistakes writes the pairs of classes that are confused most, which two classes show in the
// table, and the mistakes.
func (e *evaluation) writeMistakes(out *printer) {
	if len(e.Confusion.Labels) > 2 && len(e.Confused) > 0 {
		out.f("\n%-24s%-24s%10s\n", "CONFUSED: TRUE", "PREDICTED", "DOCUMENTS")
		for _, c := range e.Confused {
			out.f("%s %s %10d\n", className(c.Truth), className(c.Label), c.Documents)
		}
	}
	if len(e.Mistakes) == 0 {
		return
	}
	out.f("\n%-24s%-24s%10s  %s\n", "MISTAKES: TRUE", "PREDICTED", "POSTERIOR", "DOCUMENT")
	for _, m := range e.Mistakes {
		document := m.ID
		if m.Text != "" {
			document += ": " + table.Clip(m.Text, 50)
		}
		out.f("%s %s %10.4f  %s\n", className(m.Truth), className(m.Label), m.Posterior, document)
	}
}

func (e *evaluation) writeConfusion(out *printer) {
	out.f("\n%-24s", "TRUE \\ PREDICTED")
	for _, name := range e.Confusion.Labels {
		out.f("%s", classHeading(name, 12))
	}
	out.f("\n")
	for i, name := range e.Confusion.Labels {
		out.f("%s ", className(name))
		for _, n := range e.Confusion.Rows[i] {
			out.f("%12d", n)
		}
		out.f("\n")
	}
}

func className(name string) string { return table.Name(name, 23) }

// classHeading returns the name of a class over a column of numbers, at its right.
func classHeading(name string, width int) string {
	short := strings.TrimRight(table.Name(name, width-1), " ")
	return strings.Repeat(" ", width-table.Width(short)) + short
}

// writeCosts writes what the decisions come to if one kind of error costs more than the other.
func (e *evaluation) writeCosts(out *printer) {
	if e.Binary == nil || len(e.Binary.Costs) == 0 {
		return
	}
	out.f("\n%-32s%10s%10s%10s%10s%10s\n", "COST OF A FALSE POSITIVE", "FPR", "FNR", "COST", "BEST", "TRIVIAL")
	for _, c := range e.Binary.Costs {
		out.f("%-32g%9.2f%%%9.2f%%%10.4f%10.4f%10.4f\n", c.Cost, 100*c.FPR, 100*c.FNR, c.PerDocument, c.Best, c.Trivial)
	}
}

// writeThreshold writes the reject option for the error that was wanted.
func (e *evaluation) writeThreshold(out *printer) {
	t := e.Threshold
	if t.N == 0 {
		out.f("\nno decision.reject brings the error down to %g: the surest labels are wrong more often\n", t.Wanted)
		return
	}
	out.f("\nfor an error of %g: decision.reject %s, %d documents accepted (%.2f%%), %d of them wrong (%.4f, of others "+
		"up to %.4f), %d get no label\n",
		t.Wanted, short(float64(t.Reject)), t.N, 100*t.Share, t.Errors, t.Error, t.High, t.Rejected)
}

// writeCoverage writes what a reject option would leave.
func (e *evaluation) writeCoverage(out *printer) {
	out.f("\n%-25s%10s%10s\n", "REJECT: RISK OVER", "ACCEPTED", "ACCURACY")
	for _, c := range e.Coverage {
		out.f("%-26g%9.2f%%%10s\n", c.Reject, 100*c.Share, decimals("%.4f", c.Accuracy))
	}
}

// scoredDocument is a line of --dump.
type scoredDocument struct {
	ID           string                     `json:"id"`
	Label        string                     `json:"label"`
	Predicted    *string                    `json:"predicted"` // null: the model had no class yet
	LogPosterior map[string]evaluate.Number `json:"log_posterior"`
}

// dump collects the lines of a file, which is written once all documents were tested.
type dump struct{ bytes.Buffer }

func (d *dump) add(o *evaluate.Outcome) error {
	line := scoredDocument{ID: o.ID, Label: o.Truth, LogPosterior: map[string]evaluate.Number{}}
	if o.Label != "" {
		line.Predicted = &o.Label
	}
	for i, class := range o.Classes {
		line.LogPosterior[class] = evaluate.Number(o.LogPosterior[i])
	}
	return json.NewEncoder(d).Encode(line)
}
