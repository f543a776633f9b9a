package evaluate

import "math"

// PRPoint is the precision and recall of deciding for the positive class from a threshold on.
type PRPoint struct {
	Recall    Number `json:"recall"`
	Precision Number `json:"precision"`
	Threshold Number `json:"threshold"` // log-odds; +Inf for the first point
}

// PR is the precision-recall curve of one class against all others, by falling threshold, a point
// for every log-odds that occurs. It starts at recall 0, precision 1, by convention.
type PR struct {
	Points           []PRPoint
	AveragePrecision float64 // NaN without a positive document
}

// newPR draws the curve of documents sorted by falling log-odds. The average precision is
//
//	sum over the points of (R_i - R_{i-1}) P_i
//
// a sum of rectangles: between two points precision does not move on a line, and trapezoids would
// promise too much (Davis and Goadrich 2006).
func newPR(sorted []scored, positive int) *PR {
	positives, _ := sides(sorted, positive)
	pr := &PR{Points: []PRPoint{{0, 1, Number(math.Inf(1))}}}
	var tp, all int64
	ties(sorted, func(tied []scored) {
		p, _ := sides(tied, positive)
		tp, all = tp+p, all+int64(len(tied))
		precision := float64(tp) / float64(all)
		pr.AveragePrecision += float64(p) / float64(positives) * precision
		pr.Points = append(pr.Points,
			PRPoint{Number(float64(tp) / float64(positives)), Number(precision), Number(tied[0].odds)})
	})
	if positives == 0 {
		pr.AveragePrecision = math.NaN()
	}
	return pr
}
