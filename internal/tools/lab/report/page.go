// Package report writes an evaluation as one HTML page that needs nothing else: no network, no
// script, the pictures are inline SVG. It is readable in light and dark, and on paper. Equal
// evaluations give equal pages.
package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
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
	Text   string  `json:"term"`
	Count  int64   `json:"count"`  // in the class
	Total  int64   `json:"total"`  // in all classes
	Weight float64 `json:"weight"` // for the class against the others together
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
		v.Charts = append(streamCharts(e.Trace), rocChart(e.Scores, e.Report), prChart(e.Scores, e.Report),
			reliabilityChart(e.Report), coverageChart(e.Report))
		v.Top = firstClasses(e.Top)
		v.TopAll = len(e.Top)
	}
	for _, c := range []*chart{costChart(e.Report), learningChart(e.Curve, e.CurveWhy)} {
		if c != nil {
			v.Charts = append(v.Charts, c)
		}
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

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// score writes a score, and a dash if the documents do not define it.
func score(n evaluate.Number) string {
	if math.IsNaN(float64(n)) {
		return "–"
	}
	return fmt.Sprintf("%.4f", n)
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// tile is a score in large letters.
type tile struct{ Name, Value, About string }

func tiles(e *Evaluation) []tile {
	r := e.Report
	return []tile{
		{"accuracy", score(r.Accuracy), accuracyAbout(e)},
		{"macro F1", score(r.MacroF1), "mean over the classes"},
		{"log loss", score(r.LogLoss), "mean of −ln P(true class)"},
		{"Brier", score(r.Brier), "squared error of the posteriors"},
		{"ECE", score(r.ECE), "expected calibration error"},
		{"AUC", score(r.OneVersusRest), "mean of one against rest"},
		{"kappa", score(r.CohenKappa), "accuracy beyond chance"},
		{"largest class", score(largestShare(r)), "accuracy of always naming it"},
	}
}

// accuracyAbout returns the 95 % interval of the accuracy.
func accuracyAbout(e *Evaluation) string {
	hits := int64(math.Round(float64(e.Report.Accuracy) * float64(e.Report.N)))
	low, high := evaluate.Wilson(hits, e.Report.N)
	return fmt.Sprintf("95 %% interval %.4f–%.4f", low, high)
}

func largestShare(r *evaluate.Report) evaluate.Number {
	most := int64(0)
	for _, c := range r.Classes {
		most = max(most, c.Support)
	}
	return evaluate.Number(float64(most) / float64(r.N))
}

// Tested says which documents were tested.
func (v *view) Tested() string {
	names := largest(v.Report, 8)
	all := len(v.Report.Confusion.Labels)
	parts := make([]string, 0, len(names)+1)
	for _, name := range names {
		parts = append(parts, shorten(name, 40)+" "+thousands(v.Report.Classes[name].Support))
	}
	if all > len(names) {
		parts = append(parts, fmt.Sprintf("and %d more", all-len(names)))
	}
	s := fmt.Sprintf("%s of %d classes: %s", thousands(v.Report.N), all, strings.Join(parts, ", "))
	if v.Report.Unlabelled > 0 {
		s += fmt.Sprintf("; %s got no label, which counts as wrong", thousands(v.Report.Unlabelled))
	}
	return s
}

// OverTests says how the accuracy varies over the tests; "" for one test.
func (v *view) OverTests() string {
	if len(v.Folds) < 2 {
		return ""
	}
	s := evaluate.Summarise(v.Folds)
	return fmt.Sprintf("accuracy over %d tests: mean %.4f, standard deviation %.4f, from %.4f to %.4f", s.N, s.Mean, s.SD,
		slices.Min(v.Folds), slices.Max(v.Folds))
}

// classScore is one row of the scores by class.
type classScore struct {
	Name string
	evaluate.ClassReport
}

func classScores(r *evaluate.Report) []classScore {
	var out []classScore
	for _, name := range r.Confusion.Labels {
		out = append(out, classScore{name, r.Classes[name]})
	}
	return out
}

// maxTop is how many classes have their strongest terms on the page.
const maxTop = 12

// firstClasses returns the classes with the most documents, by name.
func firstClasses(all []Class) []Class {
	if len(all) <= maxTop {
		return all
	}
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b Class) int { return cmp.Compare(b.Documents, a.Documents) })
	order = order[:maxTop]
	slices.SortFunc(order, func(a, b Class) int { return cmp.Compare(a.Name, b.Name) })
	return order
}

// Bar returns the length of the bar of a term, in per cent of the longest.
func (c Class) Bar(t Term) int {
	most := int64(1)
	for _, x := range c.Terms {
		most = max(most, x.Count)
	}
	return int(math.Round(100 * float64(t.Count) / float64(most)))
}
