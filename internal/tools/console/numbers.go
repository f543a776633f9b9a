package console

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"bayestream/internal/core/categorical"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// modelNumbersJSON are the blocks of numbers and values.
type modelNumbersJSON struct {
	Blocks []numberBlockJSON `json:"blocks"`
	Values []valueTableJSON  `json:"values"`
}

// numberBlockJSON is a block of numbers.
type numberBlockJSON struct {
	Name    string            `json:"name"`
	Kind    string            `json:"kind"`
	Fields  []string          `json:"fields"`
	Classes []classNormalJSON `json:"classes"`
	Lines   []lineJSON        `json:"lines"`
}

// classNormalJSON is the density of a class.
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

// binJSON is a value with its counts.
type binJSON struct {
	Value  string           `json:"value"`
	Counts []classCountJSON `json:"counts"`
}

const (
	mostBins  = 200
	mostLines = 6 // pairs of the largest classes
)

// numbers answers GET /v1/model/numbers.
func (c *Console) numbers(w http.ResponseWriter, r *http.Request) {
	if !c.checked(w, queryOf(r)) {
		return
	}
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
	c.answer(w, out)
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
		cells []counts.Cell
		sum   int64
	}
	var rows []row
	for value, cells := range m.Values(i).Rows {
		r := row{value: string(value), cells: cells}
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
		bin := binJSON{Value: r.value}
		for _, c := range m.Classes().Live() {
			n := classCountJSON{Class: m.Classes().Name(c)}
			for _, cell := range r.cells {
				if cell.Class() == c {
					n.Count = cell.Count()
				}
			}
			bin.Counts = append(bin.Counts, n)
		}
		out.Bins = append(out.Bins, bin)
	}
	return out
}
