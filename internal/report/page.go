package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"

	"bayestream/internal/evaluate"
)

// Evaluation is what a page shows.
type Evaluation struct {
	Title  string
	Way    string // how the documents were divided, in words
	Spec   string // YAML
	Scores *evaluate.Scores
	Report *evaluate.Report
	Trace  []evaluate.Progress // prequential; empty: none
	Top    []Class
}

// Class holds the terms that say most for a class.
type Class struct {
	Name      string
	Documents int64
	Terms     []Term
}

// Term is a term with its counts.
type Term struct {
	Text   string
	Count  int64 // in the class
	Total  int64 // in all classes
	Weight float64
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"percent": percent, "score": score}).Parse(pageText))

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// score writes a score, and a dash where the documents do not define it.
func score(n evaluate.Number) string {
	if math.IsNaN(float64(n)) {
		return "–"
	}
	return fmt.Sprintf("%.4f", n)
}

// Write writes the page.
func Write(w io.Writer, e *Evaluation) error {
	v := &view{Evaluation: e, Tiles: tiles(e.Report), Confusion: confusion(e.Report), Width: width, Height: height, Left: left, Bottom: height - bottom, Right: width - right, PlotTop: top}
	v.Charts = []*chart{rocChart(e.Scores, e.Report), prChart(e.Scores, e.Report), reliabilityChart(e.Report)}
	if c := prequentialChart(e.Trace); c != nil {
		v.Charts = append([]*chart{c}, v.Charts...)
	}
	if err := page.Execute(w, v); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// view is what the template reads.
type view struct {
	*Evaluation
	Tiles     []tile
	Confusion *matrix
	Charts    []*chart

	Width, Height, Left, Bottom, Right, PlotTop float64
}

// MiddleX is the middle of the plane from left to right.
func (v *view) MiddleX() float64 { return (v.Left + v.Right) / 2 }

// MiddleY is the middle of the plane from top to bottom.
func (v *view) MiddleY() float64 { return (v.PlotTop + v.Bottom) / 2 }

// tile is a score in large letters.
type tile struct{ Name, Value, About string }

func tiles(r *evaluate.Report) []tile {
	return []tile{
		{"documents", strconv.FormatInt(r.N, 10), "that were tested"},
		{"accuracy", score(r.Accuracy), "share with the right label"},
		{"macro F1", score(r.MacroF1), "mean over the classes"},
		{"log loss", score(r.LogLoss), "mean of -ln P(true class)"},
		{"Brier", score(r.Brier), "squared error of the posteriors"},
		{"ECE", score(r.ECE), "expected calibration error"},
		{"AUC", score(r.OneVersusRest), "mean of one against rest"},
		{"kappa", score(r.CohenKappa), "accuracy beyond chance"},
	}
}

// matrix is the confusion table with the shares of its rows.
type matrix struct {
	Labels []string
	Rows   []matrixRow
}

type matrixRow struct {
	Label  string
	Cells  []matrixCell
	Scores evaluate.ClassReport
}

type matrixCell struct {
	N     int64
	Share float64 // of the row
	Hit   bool
}

// Shade is how strong the colour of a cell is, in per cent.
func (c matrixCell) Shade() int { return int(math.Round(75 * math.Sqrt(c.Share))) }

func confusion(r *evaluate.Report) *matrix {
	m := &matrix{Labels: r.Confusion.Labels}
	for i, counts := range r.Confusion.Rows {
		row := matrixRow{Label: m.Labels[i], Scores: r.Classes[m.Labels[i]]}
		var sum int64
		for _, n := range counts {
			sum += n
		}
		for j, n := range counts {
			row.Cells = append(row.Cells, matrixCell{N: n, Share: float64(n) / float64(max(sum, 1)), Hit: i == j})
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// Bar is how long the bar of a term is, in per cent of the first one's.
func (c Class) Bar(t Term) int {
	if len(c.Terms) == 0 || c.Terms[0].Count == 0 {
		return 0
	}
	most := int64(1)
	for _, x := range c.Terms {
		most = max(most, x.Count)
	}
	return int(math.Round(100 * float64(t.Count) / float64(most)))
}
