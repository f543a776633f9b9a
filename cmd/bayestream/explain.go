package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"bayestream/internal/bow"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

func init() {
	register(verb{
		name: "explain", group: "Try it on files", place: 4,
		summary: "Explain why a text gets its label, as a sum of evidence.",
		example: `bayestream explain --model=sms.db "You won a prize"`,
		run:     runExplain,
		outline: outline[explainFlags](&explainCommand),
	})
}

// explainFlags are the flags of the verb explain.
type explainFlags struct {
	Model  config.FileOrURL   `required:"" complete:"file" placeholder:"M.db|URL" help:"Model file, or the snapshot of a running worker: http://HOST:PORT/v1/snapshot."`
	Prior  map[string]float64 `placeholder:"CLASS=P" mapsep:"," help:"Prior instead of that of the model, such as spam=0.2,ham=0.8. A class that is not named gets the smallest of the numbers."`
	Top    int                `default:"0" placeholder:"N" help:"Maximum number of evidence entries; 0: all."`
	Format string             `enum:"jsonl,csv,text,labelled,mail," default:"" placeholder:"FORMAT" help:"Format of the record on standard input: jsonl, csv, text, labelled or mail. Default: that of a mail if the model has learned mails, else by its content."`
	JSON   bool               `name:"json" help:"Write the decision as JSON."`

	Encoding  encoding `placeholder:"NAME" help:"Encoding of standard input, such as utf-16 or windows-1252 (or latin-1). Default: utf-8. A mail says its own."`
	TextField string   `placeholder:"NAME" help:"Field or column of the text on standard input. Default: the field of the spec."`

	Text *string `arg:"" optional:"" help:"The text; - or none: one record from standard input, with all fields of the model."`

	keyFlags  `embed:""`
	formFlags `embed:""`
}

var explainCommand = config.Command{
	Name: program + " explain",
	About: "Labels one text and shows the decision as a sum: the prior, the evidence of each known word for the label against the runner-up, " +
		"the evidence of blocks of numbers and categories, and the rest. They add up to the margin.",
	Examples: []config.Example{
		{What: "Why is this spam?", Type: `bayestream explain --model=sms.db "You won a prize, call now"`},
		{What: "A record with numbers", Type: `echo '{"text":"hi","numbers":{"length":2}}' | bayestream explain --model=m.db`},
		{What: "A mail", Type: "bayestream explain --model=sms.db --format=mail - < one.eml"},
		{What: "If spam were rarer than it was in training", Type: `bayestream explain --model=sms.db --prior=spam=0.01,ham=0.99 "You won"`},
	},
}

// Validate returns the problems of the flags.
func (f explainFlags) Validate() error {
	return errors.Join(fromZero("top", f.Top), config.CheckDigits(f.Digits))
}

func runExplain(ctx context.Context, p cli.Process) error {
	var f explainFlags
	if err := explainCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	state, err := modelfile.Load(ctx, f.Model.Reveal())
	if err != nil {
		return inputError(err)
	}
	if err := f.unlock(state); err != nil {
		return err
	}
	if err := f.checkPrior(state.Model().ClassNames()); err != nil {
		return cli.WrongInput(err)
	}
	rec, rest, err := f.record(p, state)
	if err != nil {
		return inputError(err)
	}
	predictor, err := modelfile.NewPredictor(state, model.Options{Evidence: f.Top, Prior: f.Prior})
	if err != nil {
		return err
	}
	d, err := predictor.Decide(rec)
	if err = errors.Join(err, rest()); err != nil {
		return inputError(err)
	}
	if f.JSON {
		encoder := wire.DecisionEncoder{Form: f.form()}
		_, err = p.Stdout.Write(append(encoder.Append(nil, rec.ID, wire.Source{}, d), '\n'))
		return err
	}
	return writeExplanation(p.Stdout, state.Model(), d)
}

// checkPrior returns an error for a prior that is not positive, and for a class that the model does not have:
// a misspelt name would change the priors of the others.
func (f *explainFlags) checkPrior(names []string) error {
	for _, class := range slices.Sorted(maps.Keys(f.Prior)) {
		if v := f.Prior[class]; !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("--prior: the prior of class %q is %v; want a number above 0", class, v)
		}
		if !slices.Contains(names, class) {
			return fmt.Errorf("--prior: the model has no class %q; it has %q", class, names)
		}
	}
	return nil
}

// record returns the text of the argument as a record, or the record on standard input. After it is used, rest
// returns an error if standard input holds more.
func (f *explainFlags) record(p cli.Process, state *fold.State) (rec *dataset.Record, rest func() error, err error) {
	spec := state.Model().Spec()
	if f.Text == nil || *f.Text == "-" {
		r, err := dataset.Open(dataset.Options{Format: f.Format, Spec: spec, Unlabelled: true, Encoding: string(f.Encoding), TextField: f.TextField}, p.Stdin, "-")
		if err != nil {
			return nil, nil, err
		}
		rec = &dataset.Record{}
		err = r.Read(rec)
		if errors.Is(err, io.EOF) {
			err = cli.WrongInput(errors.New("standard input is empty: want a text as argument, or one record"))
		}
		return rec, func() error { return ended(r) }, err
	}
	if err := spec.NeedsFields(); err != nil {
		return nil, nil, cli.WrongInput(err)
	}
	if err := checkText([]byte(*f.Text)); err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(*f.Text); err == nil && !info.IsDir() {
		fmt.Fprintf(p.Stderr, "the text is the name of a file: to explain what is in it, type - < %s\n", escape.Text(*f.Text))
	}
	if spec.Text == nil {
		return nil, nil, cli.WrongInput(errors.New("the model reads no text: send a record in JSON to standard input"))
	}
	rec = &dataset.Record{ID: "argument", Input: model.Input{Segments: []model.Segment{{Text: []byte(*f.Text)}}}}
	rec.Input.Numbers = make([]model.Number, len(spec.NumberFields()))
	rec.Input.Categories = make([]model.Category, len(spec.CategoryFields()))
	return rec, func() error { return nil }, nil
}

// ended returns an error if there is another record.
func ended(r dataset.Reader) error {
	err := r.Read(&dataset.Record{})
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = cli.WrongInput(errors.New("standard input holds more than one record: want one, or use predict"))
	}
	return err
}

// writeExplanation prints a decision as a sum.
func writeExplanation(w io.Writer, m *model.Model, d *model.Decision) error {
	out := &printer{w: w}
	if d.Status == model.StatusImpossible {
		out.f("no label: the document has probability 0 in every class, since each never had one of its values and alpha is 0; an alpha above 0 in the spec decides it\n")
		return out.err
	}
	if !d.Labelled {
		out.f("no label: the model has no class yet\n")
		return out.err
	}
	out.f("label     %s   (%s)\n", d.Label, d.Status)
	prior := map[string]float64{}
	for _, c := range d.Classes {
		out.f("          %-16s posterior %-12.6g ln posterior %-12.6g ln prior %.6g\n", c.Name, c.Posterior, c.LogPosterior, c.LogPrior)
		prior[c.Name] = c.LogPrior
	}
	if d.HasMargin && d.Margin < 0 {
		out.f("          decided by the losses of the spec: %s is more probable, and to be wrong about it costs more\n", d.RunnerUp)
	}
	if m.Text() != nil {
		out.f("tokens    %d, of which the model knows %d\n", d.Tokens, d.Known)
		if d.Truncated {
			out.f("          the text has more terms than limits.terms_per_document: those that occur first count\n")
		}
	}
	switch {
	case d.Scoring.Candidate == "":
	case d.Scoring.Temper == 1:
		out.f("scored    by %s\n", d.Scoring.Candidate)
	default:
		out.f("temper    %.4g of %s: a factor in all logarithms, that of the prior too\n", d.Scoring.Temper, d.Scoring.Candidate)
	}
	if !d.HasMargin {
		return out.err
	}
	out.f("\n%s against %s, in natural logarithms:\n\n", d.Label, d.RunnerUp)
	out.f("%12.4f  prior\n", prior[d.Label]-prior[d.RunnerUp])
	for _, e := range d.Evidence {
		out.f("%12.4f  %s\n", e.Weight, describe(m, d, &e))
	}
	out.f("%12.4f  the rest\n%12s\n%12.4f  margin\n", settled(d.Rest), strings.Repeat("-", 10), d.Margin)
	return out.err
}

// settled returns 0 for a rounding error.
func settled(x float64) float64 {
	if math.Abs(x) < 1e-9 {
		return 0
	}
	return x
}

// describe names an entry of evidence and shows the counts behind it.
func describe(m *model.Model, d *model.Decision, e *model.Evidence) string {
	switch {
	case e.Value != "":
		return describeValue(m, d, e)
	case e.Block != "":
		return describeBlock(e)
	}
	term := countedTerm(m, e.Term)
	times := ""
	if e.Count > 1 {
		times = fmt.Sprintf(" x%d", e.Count)
	}
	word := e.Term
	if len(e.As) > 0 {
		word = fmt.Sprintf("%s (%s)", strings.Join(e.As, ", "), word)
	}
	return fmt.Sprintf("%s%s   (%s)", word, times, countsOf(m, m.Text(), term, d))
}

// countsOf says how often the label and the runner-up have a term or a value.
func countsOf(m *model.Model, t *counts.Table, term []byte, d *model.Decision) string {
	row := t.Lookup(bow.Hash(term), term)
	var out []string
	for _, name := range []string{d.Label, d.RunnerUp} {
		if id, ok := m.Classes().ID(name); ok {
			out = append(out, fmt.Sprintf("%s %d of %d", name, t.Count(row, id), t.Total(id)))
		}
	}
	return strings.Join(out, ", ")
}

// countedTerm returns a term as the counts know it, nil if the key of its hash is not there.
func countedTerm(m *model.Model, term string) []byte {
	counted, err := m.Spec().CountedTerm([]byte(term))
	if err != nil {
		return nil
	}
	return counted
}

// describeValue says what the shape of the text is, or which word is at its ends, and shows how many documents of the classes have the same.
func describeValue(m *model.Model, d *model.Decision, e *model.Evidence) string {
	title := model.TextTitles[slices.Index(model.TextBlocks[:], e.Block)]
	key := []byte(e.Value)
	if !model.IsShape(e.Block) {
		key = countedTerm(m, e.Value)
	}
	return fmt.Sprintf("%s: %s   (%s)", title, e.Value, countsOf(m, m.ValuesOf(e.Block), key, d))
}

// describeBlock names a block and its fields, with the weight of each where they have weights of their own.
func describeBlock(e *model.Evidence) string {
	fields := slices.Clone(e.Fields)
	for i, weight := range e.FieldWeights {
		fields[i] = fmt.Sprintf("%s %+.4f", fields[i], weight)
	}
	return fmt.Sprintf("%s (%s)", e.Block, strings.Join(fields, ", "))
}
