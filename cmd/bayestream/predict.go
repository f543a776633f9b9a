package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bayestream/internal/bow"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

type predictFlags struct {
	Model    config.FileOrURL   `required:"" complete:"file" placeholder:"M.db|URL" help:"Model file, or the snapshot of a running worker: http://HOST:PORT/v1/snapshot."`
	Text     *string            `placeholder:"TEXT" help:"Label this text instead of files."`
	Why      bool               `help:"Write each decision as a sum: the prior, the evidence of words and blocks for the label against the runner-up, and the rest."`
	JSON     bool               `name:"json" help:"Write whole decisions as JSON. Default: id, label, posterior and status, separated by tabs."`
	Append   bool               `help:"Write the columns of CSV as they are, and label, posterior and status behind them. If the file has a column label already, the new one is predicted_label, and so with the others."`
	Evidence int                `default:"10" placeholder:"N" help:"Maximum number of evidence entries with --json and --why; 0: all."`
	Prior    map[string]float64 `placeholder:"CLASS=P" mapsep:"," help:"Prior in the place of the model's, such as spam=0.2,ham=0.8. A class that is not named gets the smallest of the numbers."`
	Files    []string           `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders to label; - or none: standard input."`

	dataFlags `embed:""`
	keyFlags  `embed:""`
	formFlags `embed:""`
}

var predictVerb = verbOf[predictFlags](config.Command{
	Name:    "predict",
	Summary: "Label the documents of files, one decision per line.",
	About: "Labels the documents of files with a model, in their order, one decision per line. Labels in the " +
		"files are ignored. Every record gets a decision; the label has minimum risk, even if the status " +
		"is unsure. --why shows what decided, and the numbers add up to the margin. A pipe is followed, also " +
		"behind tail -f. A tab, a line break or another control character in an id or label is written as in Go, " +
		"as \\t, \\n or \\u202e, and so is a first character that a spreadsheet takes for a formula: =, @, and + " +
		"or - before what is no number.",
	Examples: []config.Example{
		{What: "id, label, posterior and status", Type: "bayestream predict --model=sms.db new.jsonl"},
		{What: "The decisions that classify would write", Type: "bayestream predict --model=sms.db --json new.jsonl.gz"},
		{What: "Why is this spam?", Type: `bayestream predict --model=sms.db --why --text="You won a prize, call now"`},
		{What: "Why is this mail?", Type: "bayestream predict --model=sms.db --why --format=mail - < one.eml"},
		{What: "If spam were rarer than it was in training",
			Type: `bayestream predict --model=sms.db --prior=spam=0.01,ham=0.99 --text="You won"`},
		{What: "A table with three columns more", Type: "bayestream predict --model=sms.db --append --text-field=body " +
			"tickets.csv > labelled.csv"},
		{What: "With the model of a running worker", Type: "bayestream predict " +
			"--model=http://127.0.0.1:7432/v1/snapshot - < new.jsonl"},
	},
}, cli.Watched, cli.Brief)

func (f predictFlags) Validate() error {
	found := config.Problems{fromZero("evidence", f.Evidence), config.CheckDigits(f.Digits)}
	found.If(f.Text != nil && (f.Append || len(f.Files) > 0),
		"--text takes the place of the files, and has no columns for --append")
	const both = "%s exclude each other"
	found.If(f.JSON && f.Append, both, "--json and --append")
	found.If(f.JSON && f.Why, both, "--json and --why")
	found.If(f.Append && f.Why, both, "--append and --why")
	return errors.Join(found...)
}

func (f *predictFlags) run(ctx context.Context, p cli.Process) error {
	state, err := modelfile.Load(ctx, f.Model.Reveal())
	if err != nil {
		return inputError(err)
	}
	if err := f.unlock(state); err != nil {
		return err
	}
	if err := f.checkPrior(p, state.Model().ClassNames()); err != nil {
		return cli.WrongInput(err)
	}
	table := &appendedTable{w: p.Stdout}
	asked := model.Options{Evidence: f.Evidence, Prior: f.Prior}
	if !f.JSON && !f.Why {
		asked.Evidence = -1
	}
	labellers, err := f.labellers(state, asked, table)
	if err != nil {
		return err
	}
	if f.Text != nil {
		return f.labelTyped(p, state.Model().Spec(), labellers[0])
	}
	bad := f.onBad(p)
	n, err := modelfile.LabelAll(ctx, p.Stdout, f.opener(ctx, p, state.Model().Spec(), table), bad, labellers)
	if err != nil {
		return inputError(err)
	}
	reportSkipped(p, bad.Skipped)
	if n == 0 {
		fmt.Fprintln(p.Stderr, "there were no documents to label")
	}
	return nil
}

func (f *predictFlags) labelTyped(p cli.Process, s *spec.Spec, label modelfile.Labeller) error {
	rec, err := f.typed(s)
	if err != nil {
		return err
	}
	row, err := label(nil, rec)
	if err != nil {
		return inputError(err)
	}
	if f.Why {
		row = row[:len(row)-1] // the empty line between two documents
	}
	_, err = p.Stdout.Write(row)
	return err
}

// opener returns what opens the files. With --append the table takes their headers.
func (f *predictFlags) opener(ctx context.Context, p cli.Process, s *spec.Spec, table *appendedTable) modelfile.Opener {
	return func(waiting func()) (dataset.Reader, error) {
		if err := f.checkTextField(s); err != nil {
			return nil, err
		}
		o := f.options(s, true)
		o.Waiting = waiting
		if f.Append {
			o.Header = table.header
		}
		return f.openWith(ctx, p, o, f.Files)
	}
}

func (f *predictFlags) labellers(state *fold.State, o model.Options, table *appendedTable) ([]modelfile.Labeller,
	error) {
	var out []modelfile.Labeller
	for range runtime.GOMAXPROCS(0) {
		lane, err := model.NewLane(state.Spec())
		if err != nil {
			return nil, err
		}
		encoder := wire.DecisionEncoder{Form: f.form()}
		out = append(out, func(dst []byte, rec *dataset.Record) ([]byte, error) {
			d := lane.Decide(state.Model(), state.Next()-1, &rec.Input, rec.ID, o)
			switch {
			case f.Why:
				dst = f.appendWhy(dst, state.Model(), rec, d)
			case f.JSON:
				dst = encoder.Append(dst, rec.ID, wire.FileSource(rec.File, rec.Line), d)
			case f.Append:
				return table.appendRow(dst, rec.Row, d), nil
			default:
				dst = appendRow(dst, rec, d)
			}
			return append(dst, '\n'), nil
		})
	}
	return out, nil
}

func appendRow(dst []byte, rec *dataset.Record, d *model.Decision) []byte {
	id := cell(rec.ID)
	if !rec.Explicit && rec.File == "-" {
		id = rec.ID // -:1 is no formula
	}
	return fmt.Appendf(dst, "%s\t%s\t%s\t%s", id, cell(d.Label), short(d.Confidence()), d.Status)
}

// cell returns a string as a cell of a tab-separated row. The first character of one that a
// spreadsheet would take for a formula is escaped too; a number is none.
func cell(s string) string {
	s = escape.Text(s)
	if s == "" || strings.IndexByte("=+-@", s[0]) < 0 {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return fmt.Sprintf(`\x%x%s`, s[0], s[1:])
}

// appendedTable is the output of predict --append: the rows of CSV files that have the same
// columns, with three columns more.
type appendedTable struct {
	w     io.Writer
	first *dataset.Header // of the first file; nil before it is read
}

// header writes the header of the first file, and compares every other header with it. It is
// called before any row of the file is labelled.
func (t *appendedTable) header(h *dataset.Header) error {
	if t.first != nil {
		return t.compare(h)
	}
	t.first = h
	h.Break = cmp.Or(h.Break, "\n")
	line := append([]byte(h.Start), h.Row...)
	for _, name := range []string{"label", "posterior", "status"} {
		for slices.Contains(h.Names, name) {
			name = "predicted_" + name
		}
		line = append(line, h.Separator)
		line = append(line, name...)
	}
	if _, err := t.w.Write(append(line, h.Break...)); err != nil {
		return fmt.Errorf("write the header: %w", err)
	}
	return nil
}

// compare returns an error if a file has other columns than the first one.
func (t *appendedTable) compare(h *dataset.Header) error {
	if slices.Equal(h.Names, t.first.Names) && h.Separator == t.first.Separator {
		return nil
	}
	return cli.WrongInput(fmt.Errorf("%s has other columns than %s, or another separator: "+
		"with --append, label one file at a time",
		escape.Text(h.File), escape.Text(t.first.File)))
}

// appendRow appends a row with the columns of its decision. The label is escaped as cell does.
func (t *appendedTable) appendRow(dst, row []byte, d *model.Decision) []byte {
	separator := t.first.Separator
	dst = append(append(dst, row...), separator)
	label := cell(d.Label)
	if strings.IndexByte(label, separator) >= 0 || strings.Contains(label, `"`) {
		label = `"` + strings.ReplaceAll(label, `"`, `""`) + `"`
	}
	dst = append(append(dst, label...), separator)
	dst = append(append(dst, short(d.Confidence())...), separator)
	return append(fmt.Append(dst, d.Status), t.first.Break...)
}

// checkPrior returns an error for a prior that is not positive, and for a class that the model does
// not have: a misspelt name would change the priors of the others. It warns of classes that are not
// named: of two, who names one means the rest for the other.
func (f *predictFlags) checkPrior(p cli.Process, names []string) error {
	for _, class := range slices.Sorted(maps.Keys(f.Prior)) {
		if v := f.Prior[class]; !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("--prior: the prior of class %q is %v; want a number above 0", class, v)
		}
		if !slices.Contains(names, class) {
			return fmt.Errorf("--prior: the model has no class %q; it has %q", class, names)
		}
	}
	unnamed := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return f.Prior[name] > 0 })
	if len(f.Prior) > 0 && len(unnamed) > 0 {
		fmt.Fprintf(p.Stderr, "warning: --prior does not name %s: each gets %v, the smallest of the numbers\n",
			firstQuoted(unnamed), slices.Min(slices.Collect(maps.Values(f.Prior))))
	}
	return nil
}

func (f *predictFlags) typed(s *spec.Spec) (*dataset.Record, error) {
	if err := s.NeedsFields(); err != nil {
		return nil, cli.WrongInput(err)
	}
	if err := checkText([]byte(*f.Text)); err != nil {
		return nil, err
	}
	if s.Text == nil {
		return nil, cli.WrongInput(errors.New("the model reads no text: send a record in JSON to standard input"))
	}
	rec := &dataset.Record{ID: "text", Explicit: true,
		Input: model.Input{Segments: []model.Segment{{Text: []byte(*f.Text)}}}}
	rec.Input.Numbers = make([]model.Number, len(s.NumberFields()))
	rec.Input.Categories = make([]model.Category, len(s.CategoryFields()))
	return rec, nil
}

// checkText returns an error for bytes that are not UTF-8 text, which the workers reject too.
func checkText(text []byte) error {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return cli.WrongInput(fmt.Errorf("the text is not UTF-8: byte %d is 0x%02x", i+1, text[i]))
		}
		i += n
	}
	return nil
}

// appendWhy appends a decision as a sum. A document of a file has its id before, and an empty line
// behind it.
func (f *predictFlags) appendWhy(dst []byte, m *model.Model, rec *dataset.Record, d *model.Decision) []byte {
	buffer := bytes.NewBuffer(dst)
	out := &printer{w: buffer}
	if f.Text == nil {
		out.f("document  %s\n", rec.ID)
	}
	writeExplanation(out, m, d)
	return buffer.Bytes()
}

func writeExplanation(out *printer, m *model.Model, d *model.Decision) {
	if d.Status == model.StatusImpossible {
		out.f("no label: the document has probability 0 in every class, since each never had one of its values and alpha " +
			"is 0; an alpha above 0 in the spec decides it\n")
		return
	}
	if !d.Labelled {
		out.f("no label: the model has no class yet\n")
		return
	}
	out.f("label     %s   (%s)\n", d.Label, d.Status)
	prior := map[string]float64{}
	for _, c := range d.Classes {
		prior[c.Name] = c.LogPrior
	}
	writeClasses(out, d)
	if d.HasMargin && d.Margin < 0 {
		out.f("          decided by the losses of the spec: %s is more probable, and to be wrong about it costs more\n",
			d.RunnerUp)
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
		out.f("temper    %.4g of %s: a factor in all logarithms, that of the prior too\n", d.Scoring.Temper,
			d.Scoring.Candidate)
	}
	if !d.HasMargin {
		return
	}
	out.f("\n%s against %s, in natural logarithms:\n\n", d.Label, d.RunnerUp)
	before := prior[d.Label] - prior[d.RunnerUp]
	out.f("%12.4f  prior\n", before)
	for _, e := range d.Evidence {
		out.f("%12.4f  %s\n", e.Weight, describe(m, d, &e))
	}
	out.f("%12.4f  the rest\n%12s\n%12.4f  margin\n", shownRest(d, before), strings.Repeat("-", 10), d.Margin)
}

// shownRest returns the rest of a decision, and what rounding to four digits leaves of the other
// numbers: those that are printed add up.
func shownRest(d *model.Decision, prior float64) float64 {
	shown := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	rest := shown(d.Margin) - shown(prior)
	for _, e := range d.Evidence {
		rest -= shown(e.Weight)
	}
	if math.IsInf(rest, 0) || math.IsNaN(rest) {
		rest = d.Rest
	}
	return settled(rest)
}

// Bounds on the classes that an explanation lists: of more than mostListed the likeliest.
const (
	mostListed = 9
	likeliest  = 5
	mostWidth  = 40
)

// writeClasses prints the posteriors: all in the order of the names, of many the likeliest first.
func writeClasses(out *printer, d *model.Decision) {
	shown := d.Classes
	if len(shown) > mostListed {
		shown = slices.SortedStableFunc(slices.Values(shown),
			func(a, b model.ClassScore) int { return cmp.Compare(b.Posterior, a.Posterior) })[:likeliest]
	}
	width := 16
	for _, c := range shown {
		width = max(width, min(table.Width(c.Name), mostWidth))
	}
	for _, c := range shown {
		name := table.Pad(table.Clip(c.Name, width), width)
		out.f("          %s posterior %-12.6g ln posterior %-12.6g ln prior %.6g\n", name, c.Posterior, c.LogPosterior,
			c.LogPrior)
	}
	if n := len(d.Classes) - len(shown); n > 0 {
		out.f("          and %s\n", counted(n, "other class"))
	}
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
	case slices.Contains(model.TextBlocks[:], e.Block):
		return describeText(m, d, e)
	case e.Block != "":
		return describeBlock(m, d, e)
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
	corrections := ""
	if e.Correction != 0 {
		corrections = fmt.Sprintf("; corrections %+.4f", e.Correction)
	}
	return fmt.Sprintf("%s%s   (%s%s)", word, times, countsOf(m, m.Text(), term, d), corrections)
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

// describeText says what the shape of the text is, or which word is at its ends, and shows how
// many documents of the classes have the same.
func describeText(m *model.Model, d *model.Decision, e *model.Evidence) string {
	title := model.TextTitles[slices.Index(model.TextBlocks[:], e.Block)]
	key := []byte(e.Value)
	if !model.IsShape(e.Block) {
		key = countedTerm(m, e.Value)
	}
	return fmt.Sprintf("%s: %s   (%s)", title, e.Value, countsOf(m, m.ValuesOf(e.Block), key, d))
}

// describeBlock names a block and its fields, with the weight of each where they have weights of
// their own, or with the value and what is counted of it.
func describeBlock(m *model.Model, d *model.Decision, e *model.Evidence) string {
	name := strings.Join(e.Fields, ", ")
	switch {
	case strings.HasPrefix(e.Block, "categories") && e.Value != "":
		return fmt.Sprintf("%s: %s   (%s)", name, e.Value, countsOf(m, m.ValuesOf(e.Block), []byte(e.Value), d))
	case e.Value != "":
		return fmt.Sprintf("%s: %s", name, e.Value)
	}
	fields := slices.Clone(e.Fields)
	for i, weight := range e.FieldWeights {
		fields[i] = fmt.Sprintf("%s %+.4f", fields[i], weight)
	}
	return fmt.Sprintf("%s (%s)", e.Block, strings.Join(fields, ", "))
}
