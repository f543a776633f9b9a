package spec

import (
	"fmt"
	"maps"
	"slices"

	"bayestream/internal/core/spec/shape"
	"bayestream/internal/gaussian"

	"go.yaml.in/yaml/v3"
)

// Likelihoods of a text block and of a block of numbers.
const (
	Multinomial = "multinomial"
	Bernoulli   = "bernoulli"
	Complement  = "complement"
	OneVsAll    = "one_vs_all"
	Gaussian    = "gaussian"
	LDA         = "lda"
	QDA         = "qda"
)

// Spec defines a model: which fields it reads, how it counts them and how it decides. It is written
// in YAML and stored in the model log. Parse returns a valid and complete one.
type Spec struct {
	Name       string      `yaml:"name" json:",omitempty,omitzero"`
	Format     string      `yaml:"format,omitempty" json:",omitempty,omitzero"` // of the records: json, text or mail
	Classes    []string    `yaml:"classes,omitempty" json:",omitempty,omitzero"`
	Text       *Text       `yaml:"text,omitempty" json:",omitempty,omitzero"`
	Numbers    []Numbers   `yaml:"numbers,omitempty" json:",omitempty,omitzero"`
	Categories []Category  `yaml:"categories,omitempty" json:",omitempty,omitzero"`
	Histograms []Histogram `yaml:"histograms,omitempty" json:",omitempty,omitzero"`
	Race       *Race       `yaml:"scoring,omitempty" json:",omitempty,omitzero"` // nil: one candidate, in Text
	From       From        `yaml:"from,omitempty" json:",omitempty,omitzero"`    // where else fields stand
	Records    *Records    `yaml:"records,omitempty" json:",omitempty,omitzero"` // where label, id and the like stand
	// other spellings of classes: what a record calls its label, and the class that it is
	Labels map[string]string `yaml:"labels,omitempty,flow" json:",omitempty,omitzero"`
	// by the name under records.by
	Teachers map[string]Teacher `yaml:"teachers,omitempty,flow" json:",omitempty,omitzero"`
	Prior    Prior              `yaml:"prior" json:",omitempty,omitzero"`
	Decision Decision           `yaml:"decision" json:",omitempty,omitzero"`
	Limits   Limits             `yaml:"limits" json:",omitempty,omitzero"`

	key    *TermsKey // of text.terms: hmac; it is not part of what is written
	scored []string  // keys of the text that was read which name one way to score the words

	emptyWindow bool // the text that was read has a window of 0 records
}

// Text is the block of words.
type Text struct {
	Field  string   `yaml:"field,omitempty" json:",omitempty,omitzero"`       // "" with Fields
	Fields []string `yaml:"fields,omitempty,flow" json:",omitempty,omitzero"` // of a text that stands in several
	// a word of one field is another term than that of another field
	Apart    bool   `yaml:"apart,omitempty" json:",omitempty,omitzero"`
	Language string `yaml:"language" json:",omitempty,omitzero"`
	Stem     bool   `yaml:"stem" json:",omitempty,omitzero"`
	NGrams   int    `yaml:"ngrams" json:",omitempty,omitzero"`
	Chars    []int  `yaml:"chars,omitempty,flow" json:",omitempty,omitzero"` // [min, max] of character n-grams
	// how often a term counts in one document; 0: as often as it occurs
	Cap int `yaml:"cap,omitempty" json:",omitempty,omitzero"`
	// characters of the shortest word that makes a term; 0: 1
	Shortest int `yaml:"shortest,omitempty" json:",omitempty,omitzero"`
	// runs of punctuation and symbols are terms
	Punctuation bool     `yaml:"punctuation,omitempty" json:",omitempty,omitzero"`
	Stop        []string `yaml:"stop,omitempty" json:",omitempty,omitzero"`
	HTML        bool     `yaml:"html,omitempty" json:",omitempty,omitzero"`
	Keep        []string `yaml:"keep,omitempty,flow" json:",omitempty,omitzero"` // spellings that stay apart
	// hmac: the counts know terms by keyed hashes; "": as they are
	Terms      string  `yaml:"terms,omitempty" json:",omitempty,omitzero"`
	TermsKey   string  `yaml:"terms_key,omitempty" json:",omitempty,omitzero"` // id of the key
	Likelihood string  `yaml:"likelihood" json:",omitempty,omitzero"`
	Alpha      float64 `yaml:"alpha" json:",omitempty,omitzero"`
	Norm       bool    `yaml:"norm,omitempty" json:",omitempty,omitzero"` // of complement
	// a term that comes x times weighs 1 + ln x
	Sublinear bool `yaml:"sublinear,omitempty" json:",omitempty,omitzero"`
	// the number of tokens, the longest one and those that are no words vote too
	Shape bool `yaml:"shape,omitempty" json:",omitempty,omitzero"`
	Edges bool `yaml:"edges,omitempty" json:",omitempty,omitzero"` // the first and the last word vote too
	// of a score that is no likelihood, beside other blocks
	Weight float64 `yaml:"weight,omitempty" json:",omitempty,omitzero"`
	// documents that are decided wrong, or nearly so, count once more as corrections
	Corrections bool    `yaml:"corrections,omitempty" json:",omitempty,omitzero"`
	corrected   float64 // of a candidate: what they weigh
	// they are of runs of characters of the text as it came, not of words
	Characters bool    `yaml:"characters,omitempty" json:",omitempty,omitzero"`
	Temper     *Temper `yaml:"temper,omitempty,flow" json:",omitempty,omitzero"`
}

// Numbers is a block of numeric fields.
type Numbers struct {
	Fields       []string  `yaml:"fields,flow" json:",omitempty,omitzero"`
	Likelihood   string    `yaml:"likelihood" json:",omitempty,omitzero"`
	Variance     string    `yaml:"variance,omitempty" json:",omitempty,omitzero"`    // own, shared, isotropic
	Denominator  string    `yaml:"denominator,omitempty" json:",omitempty,omitzero"` // mle, unbiased
	VarSmoothing float64   `yaml:"var_smoothing,omitempty" json:",omitempty,omitzero"`
	Shrinkage    Shrinkage `yaml:"shrinkage,omitempty" json:",omitempty,omitzero"`
	RegParam     float64   `yaml:"reg_param,omitempty" json:",omitempty,omitzero"`
	Scale        float64   `yaml:"scale" json:",omitempty,omitzero"`
}

// Category is a categorical field.
type Category struct {
	Field  string   `yaml:"field" json:",omitempty,omitzero"`
	Alpha  float64  `yaml:"alpha" json:",omitempty,omitzero"`
	Values []string `yaml:"values,omitempty,flow" json:",omitempty,omitzero"`
}

// Histogram is a numeric field whose densities are histograms of equal bins from From to To. The
// outer bins are unbounded.
type Histogram struct {
	Field string  `yaml:"field" json:",omitempty,omitzero"`
	From  float64 `yaml:"from" json:",omitempty,omitzero"`
	To    float64 `yaml:"to" json:",omitempty,omitzero"`
	Bins  int     `yaml:"bins" json:",omitempty,omitzero"`
	Alpha float64 `yaml:"alpha" json:",omitempty,omitzero"`
}

// Decision holds the losses of wrong decisions and when not to decide.
type Decision struct {
	// loss[true][decided]; unlisted 1, or 0 where both are the same
	Loss map[string]map[string]float64 `yaml:"loss,omitempty,flow" json:",omitempty,omitzero"`
	// cost of no decision; nil: never
	Reject       *float64 `yaml:"reject,omitempty" json:",omitempty,omitzero"`
	MinDocuments int64    `yaml:"min_documents" json:",omitempty,omitzero"`
	// first (by name) or random (by a seed from the id)
	Ties string `yaml:"ties" json:",omitempty,omitzero"`
}

// LossOf returns what it costs to decide a class when the true one is another, or the same.
func (d *Decision) LossOf(truth, decided string) float64 {
	if loss, isListed := d.Loss[truth][decided]; isListed {
		return loss
	}
	if truth == decided {
		return 0
	}
	return 1
}

// Limits bound a record, and the model of all records.
type Limits struct {
	Terms            int `yaml:"terms" json:",omitempty,omitzero"`
	TermsPerDocument int `yaml:"terms_per_document" json:",omitempty,omitzero"`
	TermBytes        int `yaml:"term_bytes" json:",omitempty,omitzero"`
	RecordBytes      int `yaml:"record_bytes" json:",omitempty,omitzero"`
	Classes          int `yaml:"classes" json:",omitempty,omitzero"`
	Ledger           int `yaml:"ledger" json:",omitempty,omitzero"`

	Window Window `yaml:"window,omitempty,flow" json:",omitempty,omitzero"` // outside the fingerprints
}

// Default returns the spec of an empty document: the words of the field "text", multinomial, alpha
// 1, English stems.
func Default() *Spec {
	s, err := Parse(nil)
	if err != nil {
		panic(err)
	}
	return s
}

// Parse reads a spec in YAML, fills in the defaults and checks it. Unknown keys are errors. An
// error names the block and the key, and the line of a mistake in the YAML.
func Parse(text []byte) (*Spec, error) {
	s := &Spec{Decision: Decision{MinDocuments: defaultMinDocuments}, Limits: defaultLimits()}
	if err := shape.Decode(text, s); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	if err := s.complete(); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	return s, nil
}

// YAML returns the spec in full, defaults included. Equal specs have equal YAML.
func (s *Spec) YAML() []byte {
	b, err := yaml.Marshal(s)
	if err != nil {
		panic(err) // plain data
	}
	return b
}

// UnmarshalYAML fills in the defaults of missing keys.
func (t *Text) UnmarshalYAML(n *yaml.Node) error {
	type plain Text
	*t = defaultText()
	t.Field = ""
	err := n.Decode((*plain)(t))
	if t.Field == "" && len(t.Fields) == 0 {
		t.Field = defaultText().Field
	}
	return err
}

// UnmarshalYAML fills in the defaults of missing keys.
func (r *Race) UnmarshalYAML(n *yaml.Node) error {
	type plain Race
	*r = *unnamedRace()
	return n.Decode((*plain)(r))
}

// UnmarshalYAML fills in the defaults of missing keys.
func (f *Category) UnmarshalYAML(n *yaml.Node) error {
	type plain Category
	*f = Category{Alpha: 1}
	return n.Decode((*plain)(f))
}

// UnmarshalYAML fills in the defaults of missing keys.
func (h *Histogram) UnmarshalYAML(n *yaml.Node) error {
	type plain Histogram
	*h = Histogram{Alpha: 1}
	return n.Decode((*plain)(h))
}

func defaultText() Text {
	return Text{Field: "text", Language: "english", Stem: true, NGrams: 1, Likelihood: Textbook.Likelihood,
		Alpha: Textbook.Alpha}
}

// IsJSON reports whether records are objects of JSON, with a field for each thing; else they are
// texts or mails.
func (s *Spec) IsJSON() bool { return s.Format == "" || s.Format == "json" }

// TextFields returns the fields of the text, none if the spec has no text block.
func (s *Spec) TextFields() []string {
	switch {
	case s.Text == nil:
		return nil
	case s.Text.Field != "":
		return []string{s.Text.Field}
	}
	return s.Text.Fields
}

// NeedsFields returns an error if a text without fields cannot be counted: the words of each field
// are other terms than those of another.
func (s *Spec) NeedsFields() error {
	if s.Text == nil || !s.Text.Apart {
		return nil
	}
	return fmt.Errorf("a line of text has no fields, and the spec counts the words of %q apart: want JSON Lines, or CSV "+
		"with these columns", s.TextFields())
}

// Corrects reports whether documents correct the model.
func (s *Spec) Corrects() bool { return s.Text != nil && s.Text.Corrections }

// TextMarks returns, by field of the text, what its terms begin with.
func (s *Spec) TextMarks() []string {
	marks := make([]string, len(s.TextFields()))
	if s.Text == nil || !s.Text.Apart {
		return marks
	}
	for i, f := range s.Text.Fields {
		marks[i] = f + ":"
	}
	return marks
}

// NumberFields returns the distinct numeric fields in the order of the spec: those of the blocks of
// numbers, then those of the histograms.
func (s *Spec) NumberFields() []string {
	var out []string
	add := func(f string) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	for _, n := range s.Numbers {
		for _, f := range n.Fields {
			add(f)
		}
	}
	for _, h := range s.Histograms {
		add(h.Field)
	}
	return out
}

// ValueTables returns the number of tables of values: one for each categorical field, then one for
// each histogram, and behind them, if the spec has a text, its TextTables.
func (s *Spec) ValueTables() int {
	n := s.FieldTables()
	if s.Text != nil {
		n += TextTables
	}
	return n
}

// FieldTables returns the number of tables of values that are of fields, which are the first ones.
func (s *Spec) FieldTables() int { return len(s.Categories) + len(s.Histograms) }

// A text has TextTables tables of values: first those of its shape, then those of the words at its
// ends.
const (
	ShapeTables = 3 // its tokens, the longest of them, and those that are no words
	EdgeTables  = 2 // its first and its last word
	TextTables  = ShapeTables + EdgeTables
)

// ShownTables returns the tables of values that may enter a decision, by number: those of a text
// only if its block or a candidate scores them.
func (s *Spec) ShownTables() (shown []int) {
	var scored []Candidate
	if s.Text != nil {
		scored = append(scored, s.Text.Candidate())
	}
	if s.Race != nil {
		scored = s.Race.Scored()
	}
	shape := slices.ContainsFunc(scored, func(c Candidate) bool { return c.Shape })
	edges := slices.ContainsFunc(scored, func(c Candidate) bool { return c.Edges })
	for i := range s.ValueTables() {
		of := i - s.FieldTables() // of the text
		if of < 0 || of < ShapeTables && shape || of >= ShapeTables && edges {
			shown = append(shown, i)
		}
	}
	return shown
}

// HasFields reports whether the spec has a block of numbers, a categorical field or a histogram.
func (s *Spec) HasFields() bool { return len(s.Numbers)+s.FieldTables() > 0 }

// ValueTable returns what a table of values is of: a categorical field, a histogram, or neither:
// one of TextTables.
func (s *Spec) ValueTable(i int) (*Category, *Histogram) {
	switch n := len(s.Categories); {
	case i < n:
		return &s.Categories[i], nil
	case i < n+len(s.Histograms):
		return nil, &s.Histograms[i-n]
	}
	return nil, nil
}

// Names reports whether the spec speaks of a class: in classes, in the prior or in the losses.
func (s *Spec) Names(class string) bool {
	return slices.Contains(s.Classes, class) || slices.Contains(s.Weighed(), class)
}

// Expected returns the classes that can be decided for before they have a document, in order: those
// that a given or a pseudo prior names, and with a uniform one those of Classes. There are none
// with a block that says nothing of a class without documents: one of numbers, or one that is not
// smoothed.
func (s *Spec) Expected() []string {
	unsmoothed := len(s.Numbers) > 0 ||
		slices.ContainsFunc(s.Categories, func(c Category) bool { return c.Alpha == 0 }) ||
		slices.ContainsFunc(s.Histograms, func(h Histogram) bool { return h.Alpha == 0 })
	if unsmoothed {
		return nil
	}
	switch s.Prior.Kind {
	case Given, Pseudo:
		return slices.Sorted(maps.Keys(s.Prior.Given))
	case Uniform:
		return slices.Sorted(slices.Values(s.Classes))
	}
	return nil
}

// Weighed returns the classes that the prior or the losses name, in order.
func (s *Spec) Weighed() []string {
	named := slices.Collect(maps.Keys(s.Prior.Given))
	for truth, losses := range s.Decision.Loss {
		named = append(named, truth)
		named = slices.AppendSeq(named, maps.Keys(losses))
	}
	slices.Sort(named)
	return slices.Compact(named)
}

// CategoryFields returns the categorical fields in order.
func (s *Spec) CategoryFields() []string {
	var out []string
	for _, f := range s.Categories {
		out = append(out, f.Field)
	}
	return out
}

// Digits returns the decimal digits of the scale of all numbers.
func (s *Spec) Digits() int {
	if len(s.Numbers) == 0 {
		return gaussian.DefaultDigits
	}
	return s.Numbers[0].digits()
}
