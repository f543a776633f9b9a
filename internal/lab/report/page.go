package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"bayestream/internal/lab/evaluate"
	"bayestream/internal/lab/experiment"
)

// Evaluation is what a page shows.
type Evaluation struct {
	Title  string
	Facts  []Fact // how the scores came about
	Spec   string // YAML
	Scores *evaluate.Scores
	Report *evaluate.Report
	Folds  []float64 // accuracy of each test, where there were several
	Again  bool      // documents were tested more than once, so that tests are not independent

	Trace    []evaluate.Progress    // prequential; empty: none
	Curve    *experiment.ErrorCurve // nil: none, and CurveWhy says why
	CurveWhy string
	Plane    *experiment.Plane // nil: none, and PlaneWhy says why
	PlaneWhy string
	Top      []Class
}

// Fact is a line of how the scores came about.
type Fact struct {
	Name, Text string
	Code       bool // Text is what was typed
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

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	styleText string
)

// page is parsed when it is needed: of all programs only one verb writes it.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"percent": percent, "score": score, "thousands": thousands}).Parse(pageText))
})

// Write writes the page.
func Write(w io.Writer, e *Evaluation) error {
	v := &view{Evaluation: e, Style: template.CSS(styleText)}
	if e.Report.N > 0 {
		v.Tiles, v.Confusion, v.Classes = tiles(e), newMatrix(e.Report.Confusion, e.Report), classScores(e.Report)
		v.Charts = append(v.Charts, streamCharts(e.Trace)...)
		v.Charts = append(v.Charts, rocChart(e.Scores, e.Report), prChart(e.Scores, e.Report), reliabilityChart(e.Report))
		v.Top, v.TopAll = firstClasses(e.Top), len(e.Top)
	}
	if c := learningChart(e.Curve, e.CurveWhy); c != nil {
		v.Charts = append(v.Charts, c)
	}
	if c := planeChart(e.Plane, e.PlaneWhy); c != nil {
		v.Wide = c
	}
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
