package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/mail"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/modelfile"
	"bayestream/internal/tools/lab/report"
)

type inspectFlags struct {
	Model config.FileOrURL `required:"" complete:"file" placeholder:"M.db|URL" help:"Model file, or the snapshot of a running worker: http://HOST:PORT/v1/snapshot."`
	Top   int              `default:"10" placeholder:"N" help:"Number of strongest words to show for each class, and of values for each category."`
	Term  string           `placeholder:"WORD" help:"Show the counts of one word instead; it is lower-cased and stemmed as the model does."`
	JSON  bool             `name:"json" help:"Write one JSON object."`

	keyFlags `embed:""`
}

var inspectVerb = verbOf[inspectFlags](config.Command{
	Name:    "inspect",
	Summary: "Show the content of a model: classes, strongest words, the counts of one word.",
	About: "Shows the content of a model: documents and tokens of each class, its strongest words, the values of " +
		"categories, the moments of numbers and, for LDA, the hyperplanes. Counts are exact integers, from which " +
		"every weight can be computed by hand.",
	Examples: []config.Example{
		{What: "Classes and their strongest words", Type: "bayestream inspect --model=sms.db --top=20"},
		{What: "The counts of a word", Type: "bayestream inspect --model=sms.db --term=prize"},
		{What: "The model of a running worker", Type: "bayestream inspect --model=http://127.0.0.1:7431/v1/snapshot"},
	},
})

func (f inspectFlags) Validate() error { return fromZero("top", f.Top) }

type inspection struct {
	Name       string           `json:"name"`
	Spec       string           `json:"spec"`
	Offset     *int64           `json:"offset"` // of the model log; null: a file that never followed one
	Documents  int64            `json:"documents"`
	Window     *inspectedWindow `json:"window,omitempty"`
	Vocabulary int              `json:"vocabulary"`
	Frozen     bool             `json:"frozen,omitempty"`
	Text       *inspectedText   `json:"text,omitempty"`
	Race       *race.Table      `json:"race,omitempty"`  // where candidates race: instead of what the text names
	Drift      *httpapi.Drift   `json:"drift,omitempty"` // where records of a stream were scored
	Classes    []inspectedClass `json:"classes"`
	Values     []inspectedTable `json:"values,omitempty"`
	Numbers    []inspectedBlock `json:"numbers,omitempty"`
}

type inspectedWindow struct {
	Window string `json:"window"` // as in the spec
	Exact  bool   `json:"exact"`
	Detail string `json:"detail"`
	Owed   int    `json:"owed"` // documents that have left it and are still counted
	Gone   int64  `json:"gone"` // of which the texts are gone, so that they stay counted
}

// inspectedText is the text block of a model. Where candidates race it names no likelihood and no
// alpha.
type inspectedText struct {
	Likelihood string  `json:"likelihood,omitempty"`
	Alpha      float64 `json:"alpha,omitempty"`
	Temper     string  `json:"temper,omitempty"`    // as in the spec
	TermsKey   string  `json:"terms_key,omitempty"` // id of the key of which the terms are hashes
}

type inspectedClass struct {
	Name      string        `json:"name"`
	Documents int64         `json:"documents"`
	Tokens    int64         `json:"tokens"`
	Top       []report.Term `json:"top"`
}

type inspectedBlock struct {
	Block   string                `json:"block"`
	Fields  []string              `json:"fields"`
	Kind    string                `json:"likelihood"`
	Classes []inspectedParameters `json:"classes"`
}

type inspectedParameters struct {
	Class     string     `json:"class"`
	Means     []*float64 `json:"means,omitempty"`
	Variances []*float64 `json:"variances,omitempty"`
	Weights   []float64  `json:"weights,omitempty"`  // LDA: w of w'x + constant
	Constant  *float64   `json:"constant,omitempty"` // without ln prior
	Problem   string     `json:"problem,omitempty"`  // why the block cannot be evaluated for the class
}

func (f *inspectFlags) run(ctx context.Context, p cli.Process) error {
	state, err := modelfile.Load(ctx, f.Model.Reveal())
	if err != nil {
		return inputError(err)
	}
	if f.Term != "" {
		if err := f.unlock(state); err != nil {
			return err
		}
		return f.inspectTerm(p, state.Model())
	}
	i := inspect(state, f.Top)
	return result(p, f.JSON, i, i.write)
}

func inspect(state *fold.State, top int) *inspection {
	m := state.Model()
	out := &inspection{Name: m.Spec().Name, Spec: m.Spec().Counting().String() + m.Spec().Scoring().String(),
		Documents: m.Classes().Total()}
	if n := state.Next(); n > 0 {
		n--
		out.Offset = &n
	}
	if w := state.Window(); w != nil && out.Offset != nil { // a file that was trained has no window
		out.Window = &inspectedWindow{w.Window.String(), w.IsExact(), w.String(), w.Owed, w.Gone}
	}
	if t := m.Spec().Text; t != nil {
		out.Text = &inspectedText{TermsKey: t.TermsKey}
		if m.Spec().Race == nil {
			out.Text.Likelihood = t.Likelihood
			out.Text.Alpha = t.Alpha
		}
		if t.Temper != nil {
			out.Text.Temper = t.Temper.String()
		}
	}
	out.Race = state.Race().Table()
	if d := httpapi.NewDrift(state); d.Records > 0 || d.Found > 0 {
		out.Drift = d
	}
	for _, c := range m.Classes().Live() {
		x := inspectedClass{Name: m.Classes().Name(c), Documents: m.Classes().Documents(c), Top: []report.Term{}}
		if t := m.Text(); t != nil {
			out.Vocabulary, out.Frozen, x.Tokens = t.Vocabulary(), t.Frozen(), t.Total(c)
			x.Top = strongest(m, c, top)
		}
		out.Classes = append(out.Classes, x)
	}
	for _, i := range m.Spec().ShownTables() {
		out.Values = append(out.Values, inspectValues(m, i, top))
	}
	for i := range m.Spec().Numbers {
		out.Numbers = append(out.Numbers, inspectBlock(m, i))
	}
	return out
}

// strongest returns the n strongest terms of a class: those with the largest weight against all
// other classes together, times the count.
func strongest(m *model.Model, class, n int) []report.Term {
	list := []report.Term{}
	for x := range m.TermWeights(class, model.AllOthers) {
		if x.Count > 0 {
			list = append(list, report.Term{Text: string(x.Term), Count: x.Count, Total: x.Count + x.Others, Weight: x.Weight})
		}
	}
	score := func(x *report.Term) float64 { return x.Weight * float64(x.Count) }
	slices.SortFunc(list, func(a, b report.Term) int {
		return cmp.Or(cmp.Compare(score(&b), score(&a)), cmp.Compare(a.Text, b.Text))
	})
	return list[:min(n, len(list))]
}

func inspectBlock(m *model.Model, i int) inspectedBlock {
	s := &m.Spec().Numbers[i]
	b := m.Numbers(i)
	out := inspectedBlock{Block: m.NumbersName(i), Fields: s.Fields, Kind: s.Likelihood}
	for _, c := range m.Classes().Live() {
		x := inspectedParameters{Class: m.Classes().Name(c), Problem: m.Problem(i, c)}
		if w, w0, ok := b.Discriminant(c); ok {
			x.Weights, x.Constant = w, &w0
		}
		for j := range s.Fields {
			mean, variance, ok := b.Moments(c, j)
			if !ok {
				break
			}
			x.Means, x.Variances = append(x.Means, &mean), append(x.Variances, &variance)
		}
		out.Classes = append(out.Classes, x)
	}
	return out
}

// writeText writes the number of documents and, for each class, its words.
func (i *inspection) writeText(out *printer) {
	if i.Text == nil {
		out.f("learned    %s\n\n", counted(i.Documents, "document"))
		for _, c := range i.Classes {
			out.f("%s: %s\n", c.Name, counted(c.Documents, "document"))
		}
		return
	}
	frozen := ""
	if i.Frozen {
		frozen = ", frozen at limits.terms"
	}
	out.f("learned    %s, %s%s\n", counted(i.Documents, "document"), counted(i.Vocabulary, "term"), frozen)
	temper := ""
	if i.Text.Temper != "" {
		temper = ", temper " + i.Text.Temper
	}
	if i.Race != nil {
		writeRace(out, i.Race)
	} else {
		out.f("text       %s, alpha %s%s\n", i.Text.Likelihood, short(i.Text.Alpha), temper)
	}
	if i.Text.TermsKey != "" {
		out.f("terms      hashes with the key %s\n", i.Text.TermsKey)
	}
	for _, c := range i.Classes {
		out.f("\n%s: %s, %s\n", c.Name, counted(c.Documents, "document"), counted(c.Tokens, "token"))
		for _, t := range c.Top {
			out.f("  %-24s %8d of %-8d %+.3f\n", t.Text, t.Count, t.Total, t.Weight)
		}
	}
}

func (i *inspection) write(out *printer) {
	out.f("model      %s, spec %s\n", i.Name, i.Spec)
	if i.Offset != nil {
		out.f("log        folded up to offset %d\n", *i.Offset)
	}
	if i.Window != nil {
		out.f("window     %s\n", i.Window.Detail)
		if i.Window.Owed > 0 {
			out.f("           left it and still counted: %s\n", counted(i.Window.Owed, "document"))
		}
	}
	if i.Drift != nil {
		writeDrift(out, i.Drift)
	}
	i.writeText(out)
	for _, v := range i.Values {
		v.write(out)
	}
	for _, b := range i.Numbers {
		out.f("\n%s, %s of %v\n", b.Block, b.Kind, b.Fields)
		for _, c := range b.Classes {
			switch {
			case c.Constant != nil:
				out.f("  %-16s w = %.6g, constant %.6g\n", c.Class, c.Weights, *c.Constant)
			case c.Means != nil:
				for j := range c.Means {
					out.f("  %-16s %-16s mean %-12.6g variance %.6g\n", c.Class, b.Fields[j], *c.Means[j], *c.Variances[j])
				}
			case c.Problem == "":
				out.f("  %-16s has its own covariances\n", c.Class)
			}
			if c.Problem != "" {
				out.f("  %-16s cannot be evaluated: %s\n", c.Class, c.Problem)
			}
		}
	}
}

// inspectedWord is the output of inspect --term: the counts of the terms of a word, and the totals
// of the classes.
type inspectedWord struct {
	Word       string                     `json:"word"`
	Terms      []wordTerm                 `json:"terms"`
	Classes    map[string]inspectedTotals `json:"classes"`
	Vocabulary int                        `json:"vocabulary"`
}

type wordTerm struct {
	Term   string           `json:"term"`
	Counts map[string]int64 `json:"counts"` // by class
	known  bool
}

type inspectedTotals struct {
	Documents int64 `json:"documents"`
	Tokens    int64 `json:"tokens"`
}

func (f *inspectFlags) inspectTerm(p cli.Process, m *model.Model) error {
	if m.Text() == nil {
		return cli.WrongInput(errors.New("the model reads no text, so it has no words"))
	}
	terms, err := markedTerms(m.Spec(), f.Term)
	if err != nil {
		return err
	}
	if len(terms) == 0 {
		return cli.WrongInput(fmt.Errorf("%q contains no word that the model counts; bayestream tokenize --spec=FILE shows "+
			"the terms of a text", f.Term))
	}
	w := inspectedWord{Word: f.Term, Classes: map[string]inspectedTotals{}, Vocabulary: m.Text().Vocabulary()}
	for _, marked := range terms {
		if err := w.add(m, marked); err != nil {
			return err
		}
	}
	for _, c := range m.Classes().Live() {
		w.Classes[m.Classes().Name(c)] = inspectedTotals{m.Classes().Documents(c), m.Text().Total(c)}
	}
	return result(p, f.JSON, w, func(out *printer) { w.write(out, m) })
}

// markedTerms returns the terms that the words of a text may be counted as: for each the term under
// each mark. A text that begins with a mark is of that one alone.
func markedTerms(s *spec.Spec, text string) (all [][]string, err error) {
	marks := slices.Compact(s.TextMarks()) // what the terms begin with
	if s.Format == wire.FormatMail {
		marks = mail.Marks()
	}
	for _, mark := range marks {
		if rest, ok := strings.CutPrefix(text, mark); ok && mark != "" {
			marks = []string{mark}
			text = rest
			break
		}
	}
	t, err := s.Tokenizer()
	if err != nil {
		return nil, err
	}
	t.NewScanner().Scan([]byte(text), "", func(term []byte) {
		var marked []string
		for _, mark := range marks {
			marked = append(marked, mark+string(term))
		}
		all = append(all, marked)
	})
	return all, nil
}

// add adds the counts of the terms that are in the vocabulary; if there are none, the
// first one with no counts.
func (w *inspectedWord) add(m *model.Model, terms []string) error {
	none := len(w.Terms)
	for _, term := range terms {
		key, err := m.Spec().CountedTerm([]byte(term))
		if err != nil {
			return err
		}
		row := m.Text().Lookup(bow.Hash(key), key)
		if row >= 0 {
			w.Terms = append(w.Terms, wordTerm{term, byClass(m, m.Text(), row), true})
		}
	}
	if len(w.Terms) == none {
		w.Terms = append(w.Terms, wordTerm{terms[0], byClass(m, m.Text(), -1), false})
	}
	return nil
}

// byClass returns the counts in a row of a table; -1: the table does not have the term.
func byClass(m *model.Model, t *counts.Table, row int) map[string]int64 {
	by := map[string]int64{}
	for _, c := range m.Classes().Live() {
		by[m.Classes().Name(c)] = t.Count(row, c)
	}
	return by
}

func (w *inspectedWord) write(out *printer, m *model.Model) {
	for _, t := range w.Terms {
		if !t.known {
			out.f("%-24s is not in the vocabulary\n", t.Term)
			continue
		}
		for _, c := range m.Classes().Live() {
			name := m.Classes().Name(c)
			total := w.Classes[name]
			out.f("%-24s %-16s %8d of %s of %s\n", t.Term, name, t.Counts[name], counted(total.Tokens, "token"),
				counted(total.Documents, "document"))
		}
	}
}

// inspectedTable is the counts of a category, of the bins of a histogram, or of the shapes and the
// words at the ends of texts.
type inspectedTable struct {
	Table  string           `json:"table"` // categories[0], histograms[0], or one of model.TextBlocks
	Field  string           `json:"field"`
	Alpha  float64          `json:"alpha"`
	Totals map[string]int64 `json:"totals"` // by class: documents that have the field
	Known  int              `json:"known"`  // values that were seen
	Values []inspectedValue `json:"values"` // the most frequent of them

	classes []string
	of      string // what the values are, for people
}

type inspectedValue struct {
	Value  string           `json:"value"`
	Counts map[string]int64 `json:"counts"` // by class
	total  int64
}

// inspectValues returns the counts of the top most frequent values of a table.
func inspectValues(m *model.Model, i, top int) inspectedTable {
	t := m.Values(i)
	out := inspectedTable{Table: m.ValuesName(i), Totals: map[string]int64{}, Known: t.Vocabulary(),
		Values: []inspectedValue{}}
	out.describe(m.Spec(), i)
	for _, c := range m.Classes().Live() {
		name := m.Classes().Name(c)
		out.classes = append(out.classes, name)
		out.Totals[name] = t.Total(c)
	}
	for value, cells := range t.Sorted {
		x := inspectedValue{Value: string(value), Counts: byClass(m, t, t.Lookup(bow.Hash(value), value))}
		for _, c := range cells {
			x.total += c.Count()
		}
		out.Values = append(out.Values, x)
	}
	slices.SortStableFunc(out.Values, func(a, b inspectedValue) int { return cmp.Compare(b.total, a.total) })
	out.Values = out.Values[:min(top, len(out.Values))]
	if model.IsShape(out.Table) {
		slices.SortFunc(out.Values, func(a, b inspectedValue) int { return categorical.CompareSizes(a.Value, b.Value) })
	}
	return out
}

// describe sets the name and the smoothing of the i-th table of values.
func (t *inspectedTable) describe(s *spec.Spec, i int) {
	switch c, h := s.ValueTable(i); {
	case c != nil:
		t.Field, t.Alpha = c.Field, c.Alpha
		t.of = t.Field
	case h != nil:
		t.Field, t.Alpha = h.Field, h.Alpha
		t.of = fmt.Sprintf("%s in %d bins from %s to %s", h.Field, h.Bins, short(h.From), short(h.To))
	default:
		t.Field, t.Alpha = strings.Join(s.TextFields(), ", "), model.TextAlpha
		t.of = "documents by " + model.TextTitles[i-s.FieldTables()]
	}
}

func (t *inspectedTable) write(out *printer) {
	out.f("\n%s, counts of %s, alpha %s\n", t.Table, t.of, short(t.Alpha))
	out.f("  %-24s", "")
	for _, class := range t.classes {
		out.f("%s", classHeading(class, 13))
	}
	row := func(name string, counts map[string]int64) {
		out.f("\n  %-24s", name)
		for _, class := range t.classes {
			out.f("%13d", counts[class])
		}
	}
	for _, v := range t.Values {
		row(v.Value, v.Counts)
	}
	if n := t.Known - len(t.Values); n > 0 {
		out.f("\n  values not shown: %d", n)
	}
	row("all", t.Totals)
	out.f("\n")
}
