package storetest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// Chance returns a random number from 0 to n-1: IntN of a rand.Rand, or a draw of rapid.
type Chance func(n int) int

// Record is a training record. One without an ID cannot be replaced; one without a label forgets
// the ID.
type Record struct {
	ID, Label  string
	By         string // who says the label
	Weight     int64
	Text       string // words of the letters a to z, or digits, separated by spaces
	Numbers    []model.Number
	Categories []model.Category
	Ahead      string // the class against which it corrects, where the spec has corrections; "": none
}

// Input returns the document of the record.
func (r *Record) Input() model.Input {
	return model.Input{Segments: []model.Segment{{Text: []byte(r.Text)}}, Numbers: r.Numbers, Categories: r.Categories}
}

// Corrected in the place of a likelihood has documents correct the model.
const Corrected = "corrections"

// Spec returns a spec with every kind of block: words, numbers with variances only and with all
// products, categories, a histogram. likelihood is that of the words, or Corrected; terms and ledger
// are limits.
func Spec(tb Fataler, likelihood string, terms, ledger int) *spec.Spec {
	tb.Helper()
	scored := "likelihood: " + likelihood
	if likelihood == Corrected {
		scored = "corrections: true"
	}
	s, err := spec.Parse(fmt.Appendf(nil, `
name: simulated
text: {language: none, stem: false, %s}
numbers:
  - {fields: [a, b], likelihood: gaussian}
  - {fields: [b, c, d], likelihood: lda}
categories:
  - {field: country}
  - {field: system}
histograms:
  - {field: d, from: -1000, to: 1000, bins: 7}
limits: {terms: %d, ledger: %d}
`, scored, terms, ledger))
	if err != nil {
		tb.Fatalf("spec: %v", err)
	}
	return s
}

var (
	labels = []string{"ham", "spam", "news", "très long"}
	words  = strings.Fields("goal vote 2026 ball poll match party team seat league mayor " +
		"coach debate referee ballot striker senate")
	names   = []string{"", "", "llm", "anna"}
	country = []string{"DE", "FR", "IT"}
	system  = []string{"linux", "plan9", "mac", "bsd"}
)

// Words returns the words of which records consist.
func Words() []string { return slices.Clone(words) }

// Records returns n records over few ids, labels and words, so that these repeat: documents with
// and without an id, replacements, and ids that are forgotten.
func Records(n int, draw Chance) []Record {
	out := make([]Record, n)
	for i := range out {
		out[i] = record(draw)
	}
	return out
}

func record(draw Chance) Record {
	id := ""
	if draw(3) > 0 {
		id = fmt.Sprintf("id%d", draw(5))
		if draw(4) == 0 {
			return Record{ID: id, Weight: 1}
		}
	}
	r := Document(id, draw)
	r.By = names[draw(len(names))]
	return r
}

// Document returns a record with a label.
func Document(id string, draw Chance) Record {
	r := Record{ID: id, Weight: 1}
	r.Label = labels[draw(len(labels))]
	if draw(4) == 0 {
		r.Weight = int64(1 + draw(1000))
	}
	var text []string
	for range draw(8) {
		text = append(text, words[draw(len(words))])
	}
	r.Text = strings.Join(text, " ")
	if r.Ahead = labels[len(r.Text)%len(labels)]; r.Ahead == r.Label {
		r.Ahead = ""
	}
	for range 4 {
		r.Numbers = append(r.Numbers, number(draw))
	}
	r.Categories = []model.Category{category(draw, country), category(draw, system)}
	return r
}

func number(draw Chance) model.Number {
	switch draw(6) {
	case 0:
		return model.Number{}
	case 1:
		return model.Number{Value: math.MaxInt64, Present: true}
	case 2:
		return model.Number{Value: -math.MaxInt64, Present: true}
	}
	return model.Number{Value: int64(draw(2001)-1000) * 1e9, Present: true}
}

func category(draw Chance, values []string) model.Category {
	if i := draw(len(values) + 1); i < len(values) {
		return model.Category{Value: []byte(values[i]), Present: true}
	}
	return model.Category{}
}
