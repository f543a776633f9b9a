package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"bayestream/internal/shell/escape"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

// Evaluation is the content of a page.
type Evaluation struct {
	Title  string
	Facts  []Fact // how the scores were measured
	Spec   string // YAML
	Scores *evaluate.Scores
	Report *evaluate.Report
	Folds  []float64 // accuracy of each test, if there were several

	Trace    []evaluate.Progress    // prequential; empty: none
	Curve    *experiment.ErrorCurve // nil: none, and CurveWhy says why
	CurveWhy string
	Plane    *experiment.Plane // nil: none, and PlaneWhy says why
	PlaneWhy string
	Top      []Class
}

// Fact is one line on how the scores were measured.
type Fact struct {
	Name, Text string
	Code       bool // Text is code
}

// Class holds the terms that speak most for a class.
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

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	styleText string
)

// funcs are what the template calls. All text goes through the first two: it is labels, terms and
// names of files.
var funcs = template.FuncMap{"text": escape.Text, "lines": escape.Lines, "percent": percent, "score": score,
	"thousands": thousands}

// page is parsed at its first use: only one verb of one program writes it.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(funcs).Parse(pageText))
})

// Write writes the page.
func Write(w io.Writer, e *Evaluation) error {
	v := &view{Evaluation: e, Style: template.CSS(styleText)}
	if e.Report.N > 0 {
		v.Tiles = tiles(e)
		v.Confusion = newMatrix(e.Report.Confusion, e.Report)
		v.Classes = classScores(e.Report)
		v.Charts = append(v.Charts, streamCharts(e.Trace)...)
		v.Charts = append(v.Charts, rocChart(e.Scores, e.Report), prChart(e.Scores, e.Report), reliabilityChart(e.Report),
			coverageChart(e.Report))
		v.Top = firstClasses(e.Top)
		v.TopAll = len(e.Top)
	}
	if costs := costChart(e.Report); costs != nil {
		v.Charts = append(v.Charts, costs)
	}
	learning := learningChart(e.Curve, e.CurveWhy)
	if learning != nil {
		v.Charts = append(v.Charts, learning)
	}
	v.Wide = planeChart(e.Plane, e.PlaneWhy)
	if err := page().Execute(w, v); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// view is what the template reads.
type view struct {
	*Evaluation
	Style     template.CSS
	Tiles     []tile
	Confusion *matrix
	Classes   []classScore
	Charts    []*chart
	Wide      *chart
	Top       []Class
	TopAll    int
}
