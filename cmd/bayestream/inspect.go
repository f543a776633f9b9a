package main

import (
	"cmp"
	"context"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
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

func termsOf(s *spec.Spec, text string) ([]string, error) {
	t, err := s.Tokenizer()
	if err != nil {
		return nil, err
	}
	var terms []string
	t.NewScanner().Scan([]byte(text), "", func(term []byte) { terms = append(terms, string(term)) })
	return terms, nil
}
