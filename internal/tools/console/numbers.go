package console

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

type modelNumbersJSON struct {
	Blocks []numberBlockJSON `json:"blocks"`
	Values []valueTableJSON  `json:"values"`
}

type numberBlockJSON struct {
	Name    string            `json:"name"`
	Kind    string            `json:"kind"`
	Fields  []string          `json:"fields"`
	Classes []classNormalJSON `json:"classes"`
	Lines   []lineJSON        `json:"lines"`
}

type classNormalJSON struct {
	Class      string      `json:"class"`
	Documents  int64       `json:"documents"`
	Mean       []float64   `json:"mean"`
	Covariance [][]float64 `json:"covariance"`
	Problem    string      `json:"problem"`
}

// lineJSON is where two classes are as likely: normal · x = offset.
type lineJSON struct {
	Class   string    `json:"class"`
	Against string    `json:"against"`
	Fields  []string  `json:"fields"`
	Normal  []float64 `json:"normal"`
	Offset  float64   `json:"offset"`
}

// valueTableJSON are the counts of a category or a histogram.
type valueTableJSON struct {
	Block string    `json:"block"`
	Field string    `json:"field"`
	Bins  []binJSON `json:"bins"`
}

type binJSON struct {
	Value  string           `json:"value"`
	Counts []classCountJSON `json:"counts"`
}

const (
	mostBins  = 200
	mostLines = 6 // pairs of the largest classes
)

// numbers answers GET /v1/model/numbers.
func (c *Console) numbers(*http.Request) (any, error) {
	out := modelNumbersJSON{Blocks: []numberBlockJSON{}, Values: []valueTableJSON{}}
	c.replica.Read(func(s *fold.State) {
		m := s.Model()
		if m == nil {
			return
		}
		for i := range m.Spec().Numbers {
			out.Blocks = append(out.Blocks, numberBlockOf(m, i))
		}
		for _, i := range m.Spec().ShownTables() {
			out.Values = append(out.Values, valueTableOf(m, i))
		}
	})
	return out, nil
}

func numberBlockOf(m *model.Model, i int) numberBlockJSON {
	b := numberBlockJSON{Name: m.NumbersName(i), Kind: m.Spec().Numbers[i].Likelihood, Fields: m.Spec().Numbers[i].Fields,
		Classes: []classNormalJSON{}, Lines: []lineJSON{}}
	live := m.Classes().Live()
	for _, c := range live {
		n := classNormalJSON{Class: m.Classes().Name(c), Documents: m.Classes().Documents(c), Mean: []float64{},
			Covariance: [][]float64{}, Problem: m.Problem(i, c)}
		if mean, covariance, ok := m.Numbers(i).Normal(c); ok {
			n.Mean = slices.Clone(mean)
			n.Covariance = covariance
		}
		b.Classes = append(b.Classes, n)
	}
	for k, a := range live {
		for _, other := range live[k+1:] {
			if line, ok := lineOf(m, m.Numbers(i), a, other); ok && len(b.Fields) == 2 && len(b.Lines) < mostLines {
				line.Fields = b.Fields
				b.Lines = append(b.Lines, line)
			}
		}
	}
	return b
}

// lineOf returns where two classes of LDA are as likely, by the documents that they have.
func lineOf(m *model.Model, b *gaussian.Block, class, other int) (lineJSON, bool) {
	w, w0, ok := b.Discriminant(class)
	v, v0, alsoOK := b.Discriminant(other)
	if !ok || !alsoOK {
		return lineJSON{}, false
	}
	line := lineJSON{Class: m.Classes().Name(class), Against: m.Classes().Name(other)}
	for i := range w {
		line.Normal = append(line.Normal, w[i]-v[i])
	}
	line.Offset = v0 - w0 + math.Log(float64(m.Classes().Documents(other))/float64(m.Classes().Documents(class)))
	return line, true
}

func valueTableOf(m *model.Model, i int) valueTableJSON {
	out := valueTableJSON{Block: m.ValuesName(i), Field: tableField(m.Spec(), i), Bins: []binJSON{}}
	type row struct {
		value string
		sum   int64
	}
	var rows []row
	for value, cells := range m.Values(i).Rows {
		r := row{value: string(value)}
		for _, cell := range cells {
			r.sum += cell.Count()
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.value, b.value)) })
	rows = rows[:min(len(rows), mostBins)]
	if model.IsShape(out.Block) {
		slices.SortFunc(rows, func(a, b row) int { return categorical.CompareSizes(a.value, b.value) })
	}
	for _, r := range rows {
		out.Bins = append(out.Bins, binJSON{r.value, countsOf(m.Classes(), m.Values(i), []byte(r.value))})
	}
	return out
}

// numbersOf returns what the blocks of numbers say of a document.
func numbersOf(m *model.Model, in *model.Input, d *model.Decision) []numbersJSON {
	s := m.Spec()
	out := []numbersJSON{}
	fields := s.NumberFields()
	for i := range s.Numbers {
		block := numbersJSON{Block: m.NumbersName(i), Kind: s.Numbers[i].Likelihood, Abstained: true}
		var weights []float64
		if e := evidenceFor(d, block.Block); e != nil {
			block.Weight = finite(e.Weight)
			block.Abstained = false
			weights = e.FieldWeights
		}
		for k, name := range s.Numbers[i].Fields {
			f := numberFieldJSON{Field: name, Value: valueOf(in, fields, name, s.Digits())}
			if k < len(weights) {
				f.Weight = finite(weights[k])
			}
			f.Classes = densities(m, i, k, f.Value)
			block.Fields = append(block.Fields, f)
		}
		out = append(out, block)
	}
	return out
}

// evidenceFor returns what a block says in a decision, nil if it does not vote.
func evidenceFor(d *model.Decision, block string) *model.Evidence {
	if i := slices.IndexFunc(d.Evidence, func(e model.Evidence) bool { return e.Block == block }); i >= 0 {
		return &d.Evidence[i]
	}
	return nil
}

// valueOf returns a number of a document; nil if it has none.
func valueOf(in *model.Input, fields []string, name string, digits int) *float64 {
	for i, field := range fields {
		if field == name && i < len(in.Numbers) && in.Numbers[i].Present {
			return finite(gaussian.Float(in.Numbers[i].Value, digits))
		}
	}
	return nil
}

// densities returns where a number is in each class, as the field of a block has it alone.
func densities(m *model.Model, block, field int, value *float64) []classNumberJSON {
	out := []classNumberJSON{}
	total := 0.0
	for _, c := range m.Classes().Live() {
		n := classNumberJSON{Class: m.Classes().Name(c)}
		if mean, variance, ok := momentsOf(m.Numbers(block), c, field); ok {
			n.Mean = finite(mean)
			n.Deviation = finite(math.Sqrt(variance))
			if value != nil {
				z := *value - mean
				n.LogDensity = finite(-0.5 * (math.Log(2*math.Pi*variance) + z*z/variance))
			}
		}
		if n.LogDensity != nil {
			total += math.Exp(*n.LogDensity)
		}
		out = append(out, n)
	}
	for i := range out {
		if out[i].LogDensity != nil {
			out[i].Share = finite(math.Exp(*out[i].LogDensity) / total)
		}
	}
	return out
}

func momentsOf(b *gaussian.Block, class, field int) (mean, variance float64, ok bool) {
	if mean, variance, ok = b.Moments(class, field); ok {
		return mean, variance, true
	}
	means, covariance, ok := b.Normal(class)
	if !ok {
		return 0, 0, false
	}
	return means[field], covariance[field][field], true
}

// valuesOf returns what the categories and histograms, the shape of the text and the words at its
// ends say of a document.
func valuesOf(m *model.Model, f *model.Features, d *model.Decision) []valueJSON {
	s := m.Spec()
	out := []valueJSON{}
	for _, i := range s.ShownTables() {
		v := valueJSON{Block: m.ValuesName(i), Field: tableField(s, i), Counts: []classCountJSON{}}
		read, counted := m.Value(f, i)
		if read != "" {
			v.Value = &read
			v.Counts = countsOf(m.Classes(), m.Values(i), counted)
		}
		if e := evidenceFor(d, v.Block); e != nil {
			v.Votes = true
			v.Weight = finite(e.Weight)
		}
		out = append(out, v)
	}
	return out
}

// tableField names what the i-th table of values is of.
func tableField(s *spec.Spec, i int) string {
	switch c, h := s.ValueTable(i); {
	case c != nil:
		return c.Field
	case h != nil:
		return h.Field
	}
	return model.TextTitles[i-s.FieldTables()]
}

// countsOf returns the counts of a term or value by class.
func countsOf(classes *counts.Classes, t *counts.Table, key []byte) []classCountJSON {
	out := []classCountJSON{}
	row := t.Lookup(bow.Hash(key), key)
	for _, c := range classes.Live() {
		out = append(out, classCountJSON{classes.Name(c), t.Count(row, c)})
	}
	return out
}
