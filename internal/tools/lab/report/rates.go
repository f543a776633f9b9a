package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayestream/internal/tools/lab/evaluate"
)

// curveClasses returns the classes to draw, by name: of two the positive one, else the largest.
func curveClasses(r *evaluate.Report) []string {
	if r.Binary != nil {
		return []string{r.Binary.Positive}
	}
	names := largest(r, colors)
	slices.Sort(names)
	return names
}

// largest returns the n classes with the most documents, the largest first.
func largest(r *evaluate.Report, n int) []string {
	names := slices.Clone(r.Confusion.Labels)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(r.Classes[b].Support, r.Classes[a].Support) })
	return names[:min(len(names), n)]
}

var unit = axis{from: 0, to: 1}

const oneClass = "Not drawn: a curve needs documents of a class and documents of others."

// The false positive rates and the recalls at which the tables give the curves.
var (
	rates   = []float64{0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}
	recalls = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1}
)

// rocChart draws the receiver operating characteristics.
func rocChart(s *evaluate.Scores, r *evaluate.Report) *chart {
	c := newChart("roc", "ROC", "false positive rate", "true positive rate", unit, unit)
	c.Data = &table{Name: "True positive rate by false positive rate", Head: []string{"false positive rate"},
		Rows: rowsOf(rates)}
	for _, name := range curveClasses(r) {
		roc := s.ROC(name)
		if roc == nil || math.IsNaN(roc.AUC) {
			continue
		}
		points := roc.Corners()
		c.add(name, fmt.Sprintf("AUC %.4f", roc.AUC),
			c.path(len(points), func(i int) (x, y float64) { return float64(points[i].FPR), float64(points[i].TPR) }))
		c.Data.column(name, len(rates), func(i int) float64 { return roc.TPRAt(rates[i]) })
	}
	if len(c.Lines) == 0 {
		return noChart(c.ID, c.Title, oneClass)
	}
	c.Lines = append([]shape{{"reference", c.line(0, 0, 1, 1)}}, c.Lines...)
	c.About = against(len(c.Lines)-1, r) + ". The dashed diagonal is chance."
	return c
}

// prChart draws precision over recall.
func prChart(s *evaluate.Scores, r *evaluate.Report) *chart {
	c := newChart("pr", "Precision and recall", "recall", "precision", unit, unit)
	c.Data = &table{Name: "Best precision at a recall of at least", Head: []string{"recall"}, Rows: rowsOf(recalls)}
	for _, name := range curveClasses(r) {
		pr := s.PR(name)
		if pr == nil || math.IsNaN(pr.AveragePrecision) {
			continue
		}
		c.add(name, fmt.Sprintf("average precision %.4f", pr.AveragePrecision),
			c.path(len(pr.Points), func(i int) (x, y float64) {
				return float64(pr.Points[i].Recall), float64(pr.Points[i].Precision)
			}))
		c.Data.column(name, len(recalls), func(i int) float64 { return precisionAt(pr, recalls[i]) })
	}
	drawn := len(c.Lines)
	if drawn == 0 || len(r.Confusion.Labels) < 2 {
		return noChart(c.ID, c.Title, oneClass)
	}
	c.About = against(drawn, r) + "."
	if r.Binary != nil {
		share := float64(r.Classes[r.Binary.Positive].Support) / float64(r.N)
		c.Lines = append([]shape{{"reference", c.line(0, share, 1, share)}}, c.Lines...)
		c.About += fmt.Sprintf(" The dashed line is chance: the share of the class, %.4f.", share)
	}
	return c
}

// precisionAt returns the best precision of the curve from a recall on.
func precisionAt(pr *evaluate.PR, recall float64) float64 {
	best := math.NaN()
	for _, p := range pr.Points {
		if float64(p.Recall) >= recall-1e-12 && !(best >= float64(p.Precision)) {
			best = float64(p.Precision)
		}
	}
	return best
}

// add draws the next curve, with its place in the legend.
func (c *chart) add(name, note, path string) {
	i := len(c.Lines)
	c.Lines = append(c.Lines, shape{style("curve", i), path})
	c.Legend = append(c.Legend, entry{Line: style("curve", i), Name: name, Note: note})
}

// against says which classes the curves compare.
func against(drawn int, r *evaluate.Report) string {
	switch all := len(r.Confusion.Labels); {
	case r.Binary != nil:
		return "The class " + r.Binary.Positive + " against the other documents"
	case drawn < all:
		return fmt.Sprintf("Each class against all others; only the %d largest of %d classes are drawn", drawn, all)
	}
	return "Each class against all others"
}

// rowsOf starts a table with a column of shares.
func rowsOf(shares []float64) [][]string {
	rows := make([][]string, len(shares))
	for i, v := range shares {
		rows[i] = []string{fmt.Sprintf("%g", v)}
	}
	return rows
}

// column adds a column of numbers.
func (t *table) column(name string, n int, value func(i int) float64) {
	t.Head = append(t.Head, name)
	for i := range n {
		t.Rows[i] = append(t.Rows[i], score(evaluate.Number(value(i))))
	}
}

// reliabilityChart draws how often the model is right over how sure it is.
func reliabilityChart(r *evaluate.Report) *chart {
	c := newChart("reliability", "Reliability", "largest posterior", "share that is right", unit, unit)
	c.Lines = []shape{{"reference", c.line(0, 0, 1, 1)}}
	c.About = fmt.Sprintf("Documents in %d bins by the posterior of their most probable class; the larger the dot, the "+
		"more of them, and the bar is the "+
		"95 %% interval of Wilson. Under the dashed line the model is surer than it should be. Expected calibration error "+
		"%.4f.", len(r.Reliability), r.ECE)
	c.Data = &table{Name: "Documents by largest posterior",
		Head: []string{"posterior", "documents", "mean posterior", "share right", "95 % interval"}}
	most := int64(1)
	for _, b := range r.Reliability {
		most = max(most, b.N)
	}
	for _, b := range r.Reliability {
		if b.N == 0 {
			continue
		}
		low, high := evaluate.Wilson(int64(math.Round(float64(b.Accuracy)*float64(b.N))), b.N)
		c.dot(b.Confidence, b.Accuracy, low, high, 2.5+7.5*math.Sqrt(float64(b.N)/float64(most)),
			fmt.Sprintf("%s documents, posterior %.3f, right %.3f", thousands(b.N), b.Confidence, b.Accuracy))
		c.Data.Rows = append(c.Data.Rows, []string{
			fmt.Sprintf("%.3f–%.3f", b.Lower, b.Upper), thousands(b.N), score(b.Confidence), score(b.Accuracy),
			fmt.Sprintf("%.4f–%.4f", low, high),
		})
	}
	if len(c.Dots) > 1 {
		c.Lines = append(c.Lines, shape{"curve c0", c.path(len(c.Dots), func(i int) (x, y float64) {
			return c.X.back(c.Dots[i].X), c.Y.back(c.Dots[i].Y)
		})})
	}
	return c
}

// dot draws a point with the interval of its y.
func (c *chart) dot(x, y evaluate.Number, low, high, radius float64, text string) {
	c.Dots = append(c.Dots, dot{
		X: round(c.X.at(float64(x))), Y: round(c.Y.at(float64(y))), R: round(radius), Low: round(c.Y.at(low)),
		High: round(c.Y.at(high)), Text: text,
	})
}

// costChart draws what the decisions cost over how much more a false positive costs than a missed
// positive; nil where there are no two classes.
func costChart(r *evaluate.Report) *chart {
	if r.Binary == nil || len(r.Binary.Costs) == 0 {
		return nil
	}
	costs := r.Binary.Costs
	share := func(c *evaluate.Cost, v evaluate.Number) float64 { return float64(v) / (1 + c.Cost) }
	most := 0.0
	for i := range costs {
		most = max(most, share(&costs[i], costs[i].PerDocument), share(&costs[i], costs[i].Trivial))
	}
	c := newChart("costs", "Costs", "share of a false positive in the costs", "cost of a document", unit,
		axis{from: 0, to: max(most, 1e-6)})
	c.Data = &table{Name: "Cost of a document by the cost of a false positive",
		Head: []string{"a false positive costs", "FPR", "FNR", "cost", "best threshold", "one label for all"}}
	for _, x := range costs {
		c.Data.Rows = append(c.Data.Rows, []string{fmt.Sprintf("%g", x.Cost), score(x.FPR), score(x.FNR),
			score(x.PerDocument), score(x.Best), score(x.Trivial)})
	}
	line := func(name string, of func(*evaluate.Cost) evaluate.Number) {
		c.add(name, "", c.path(len(costs),
			func(i int) (x, y float64) { return costs[i].Threshold, share(&costs[i], of(&costs[i])) }))
	}
	line("by the posterior", func(x *evaluate.Cost) evaluate.Number { return x.PerDocument })
	line("with the best threshold", func(x *evaluate.Cost) evaluate.Number { return x.Best })
	line("one label for all", func(x *evaluate.Cost) evaluate.Number { return x.Trivial })
	c.About = "What a document costs if the two kinds of error cost 1 together, a false positive of " + r.Binary.Positive +
		" this share of it, and each document gets the label of least expected cost. Between the first and the second line " +
		"lies what is lost because posteriors are too sure, or not sure enough; the table has the costs of errors where a " +
		"missed positive costs 1."
	return c
}

// coverageChart draws how often the labels are right that a reject option leaves, over how many it
// leaves.
func coverageChart(r *evaluate.Report) *chart {
	const id, title = "coverage", "Reject option"
	if len(r.Coverage) == 0 {
		return noChart(id, title, "Not drawn: too few documents.")
	}
	c := newChart(id, title, "share accepted", "share right", unit, unit)
	c.About = "What decision.reject would leave: a document is accepted if the risk of its label, which is 1 less its " +
		"posterior or, with losses, the expected loss, is at most that."
	c.Data = &table{Name: "Accepted and right by the cost of no decision",
		Head: []string{"reject", "documents", "share accepted", "share right"}}
	for _, at := range r.Coverage {
		c.Data.Rows = append(c.Data.Rows,
			[]string{fmt.Sprintf("%g", at.Reject), thousands(at.N), score(at.Share), score(at.Accuracy)})
		if at.N == 0 {
			continue
		}
		low, high := evaluate.Wilson(at.Correct, at.N)
		c.dot(at.Share, at.Accuracy, low, high, 3,
			fmt.Sprintf("reject %g: %.1f %% accepted, right %.4f", at.Reject, 100*at.Share, at.Accuracy))
	}
	if t := r.Threshold; t != nil {
		c.About += " " + thresholdNote(t)
	}
	return c
}

// thresholdNote says which reject option leads to the error that was wanted.
func thresholdNote(t *evaluate.Threshold) string {
	if t.N == 0 {
		return fmt.Sprintf("No value brings the share of wrong labels down to %g.", t.Wanted)
	}
	return fmt.Sprintf("For a share of wrong labels of %g it is %.4g: %.2f %% are accepted, and %d of the %s labels are "+
		"wrong (%.4f; of other documents up to %.4f).",
		t.Wanted, t.Reject, 100*t.Share, t.Errors, thousands(t.N), t.Error, t.High)
}
