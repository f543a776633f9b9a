package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
	"bayestream/internal/tools/lab/dataset"
)

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
func (f *predictFlags) appendWhy(dst []byte, m *model.Model, rec *dataset.Record, d *model.Decision) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	if f.Text == nil {
		(&printer{w: out}).f("document  %s\n", rec.ID)
	}
	err := writeExplanation(out, m, d)
	return out.Bytes(), err
}

func writeExplanation(w io.Writer, m *model.Model, d *model.Decision) error {
	out := &printer{w: w}
	if d.Status == model.StatusImpossible {
		out.f("no label: the document has probability 0 in every class, since each never had one of its values and alpha " +
			"is 0; an alpha above 0 in the spec decides it\n")
		return out.err
	}
	if !d.Labelled {
		out.f("no label: the model has no class yet\n")
		return out.err
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
