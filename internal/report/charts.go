package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayestream/internal/evaluate"
)

// maxCurves is how many classes have curves: more cannot be told apart.
const maxCurves = 8

// curveClasses returns the classes to draw: the positive one of two, else the largest, by name.
func curveClasses(r *evaluate.Report) []string {
	if r.Binary != nil {
		return []string{r.Binary.Positive}
	}
	names := slices.Clone(r.Confusion.Labels)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(r.Classes[b].Support, r.Classes[a].Support) })
	names = names[:min(len(names), maxCurves)]
	slices.Sort(names)
	return names
}

// rocChart draws the receiver operating characteristics.
func rocChart(s *evaluate.Scores, r *evaluate.Report) *chart {
	c := newChart("ROC", "false positive rate", "true positive rate", 1, 0)
	c.Reference = c.line(0, 0, 1, 1)
	for i, name := range curveClasses(r) {
		roc := s.ROC(name)
		if roc == nil || math.IsNaN(roc.AUC) {
			continue
		}
		points := roc.Corners()
		c.Curves = append(c.Curves, curve{
			Name: name, Note: fmt.Sprintf("AUC %.4f", roc.AUC), Color: i,
			Path: c.path(len(points), func(i int) (x, y float64) { return float64(points[i].FPR), float64(points[i].TPR) }),
		})
	}
	c.About = against(c.Curves, r) + "; the dashed line is chance."
	return c
}

// prChart draws precision over recall.
func prChart(s *evaluate.Scores, r *evaluate.Report) *chart {
	c := newChart("Precision and recall", "recall", "precision", 1, 0)
	for i, name := range curveClasses(r) {
		pr := s.PR(name)
		if pr == nil || math.IsNaN(pr.AveragePrecision) {
			continue
		}
		c.Curves = append(c.Curves, curve{
			Name: name, Note: fmt.Sprintf("average precision %.4f", pr.AveragePrecision), Color: i,
			Path: c.path(len(pr.Points), func(i int) (x, y float64) { return float64(pr.Points[i].Recall), float64(pr.Points[i].Precision) }),
		})
	}
	c.About = against(c.Curves, r) + "."
	return c
}

func against(curves []curve, r *evaluate.Report) string {
	switch all := len(r.Confusion.Labels); {
	case len(curves) == 0:
		return "No class has documents on both sides"
	case r.Binary != nil:
		return "The class " + r.Binary.Positive + " against the other documents"
	case len(curves) < all:
		return fmt.Sprintf("Each class against all others, the %d largest of %d", len(curves), all)
	}
	return "Each class against all others"
}

// reliabilityChart shows how often the model is right when it is so sure.
func reliabilityChart(r *evaluate.Report) *chart {
	c := newChart("Reliability", "largest posterior", "share that is right", 1, 0)
	c.Reference = c.line(0, 0, 1, 1)
	c.About = fmt.Sprintf("Documents by the posterior of their most probable class; the larger the dot, the more of them. Under the dashed line the model is "+
		"surer than it should be. Expected calibration error %.4f.", r.ECE)
	most := int64(1)
	for _, b := range r.Reliability {
		most = max(most, b.N)
	}
	for _, b := range r.Reliability {
		if b.N == 0 {
			continue
		}
		c.Dots = append(c.Dots, dot{
			X: round(c.x.at(float64(b.Confidence))), Y: round(c.y.at(float64(b.Accuracy))),
			R:    round(2.5 + 9.5*math.Sqrt(float64(b.N)/float64(most))),
			Text: fmt.Sprintf("%d documents, posterior %.3f, right %.3f", b.N, b.Confidence, b.Accuracy),
		})
	}
	c.Curves = []curve{{Path: c.path(len(c.Dots), func(i int) (x, y float64) { return c.unplace(c.Dots[i]) })}}
	return c
}

// unplace returns the numbers that a dot stands for.
func (c *chart) unplace(d dot) (x, y float64) {
	back := func(a axis, at float64) float64 { return a.from + (at-a.begin)/(a.end-a.begin)*(a.to-a.from) }
	return back(c.x, d.X), back(c.y, d.Y)
}

// prequentialChart shows the accuracy along the stream.
func prequentialChart(trace []evaluate.Progress) *chart {
	if len(trace) == 0 {
		return nil
	}
	least := 1.0
	for _, p := range trace[len(trace)/50:] { // the first few documents would stretch it
		least = min(least, float64(p.Accuracy), float64(p.Window.Accuracy))
	}
	from := math.Floor(least*10) / 10
	c := newChart("Along the stream", "documents", "accuracy", float64(trace[len(trace)-1].N), min(from, 0.9))
	c.About = "Every document is tested before it is learned."
	c.Curves = []curve{
		{Name: "in the window", Note: fmt.Sprintf("%d documents", trace[len(trace)-1].Window.N), Color: 1,
			Path: c.path(len(trace), func(i int) (x, y float64) { return float64(trace[i].N), float64(trace[i].Window.Accuracy) })},
		{Name: "so far", Color: 0,
			Path: c.path(len(trace), func(i int) (x, y float64) { return float64(trace[i].N), float64(trace[i].Accuracy) })},
	}
	return c
}
