package evaluate

import "math"

// ROCPoint is what deciding for the positive class from a threshold on would give.
type ROCPoint struct {
	FPR       Number `json:"fpr"`
	TPR       Number `json:"tpr"`
	Threshold Number `json:"threshold"` // log-odds; +Inf for (0, 0)
}

// ROC is the receiver operating characteristic of one class against all others: the true positive
// rate over the false positive rate as the threshold falls, a point for every log-odds that occurs
// (Fawcett 2006, algorithm 1). Documents with equal log-odds cannot be told apart, so they make one
// step, a diagonal one: the area under it is a trapezoid, which counts a tied pair half.
type ROC struct {
	Points []ROCPoint
	AUC    float64 // area under the curve; NaN if all documents or none are positive
}

// newROC draws the curve of documents sorted by falling log-odds.
func newROC(sorted []scored, positive int) *ROC {
	positives, negatives := sides(sorted, positive)
	point := func(fp, tp int64, threshold float64) ROCPoint {
		return ROCPoint{Number(float64(fp) / float64(negatives)), Number(float64(tp) / float64(positives)), Number(threshold)}
	}
	roc := &ROC{Points: []ROCPoint{point(0, 0, math.Inf(1))}}
	var tp, fp, twice int64
	ties(sorted, func(tied []scored) {
		p, n := sides(tied, positive)
		twice += n * (2*tp + p)
		tp, fp = tp+p, fp+n
		roc.Points = append(roc.Points, point(fp, tp, tied[0].odds))
	})
	roc.AUC = half(twice, positives, negatives)
	return roc
}

func sides(documents []scored, positive int) (positives, negatives int64) {
	for i := range documents {
		if int(documents[i].truth) == positive {
			positives++
		}
	}
	return positives, int64(len(documents)) - positives
}

// TPRAt returns the highest true positive rate at a false positive rate, NaN for a curve that is
// not defined. Between two points the curve is a line: a random choice between their thresholds
// gets there (Fawcett 2006, section 6).
func (r *ROC) TPRAt(fpr float64) float64 {
	best := math.NaN()
	for i, p := range r.Points {
		if float64(p.FPR) <= fpr {
			best = float64(p.TPR)
			continue
		}
		if i > 0 {
			from := r.Points[i-1]
			share := (fpr - float64(from.FPR)) / float64(p.FPR-from.FPR)
			best = float64(from.TPR) + share*float64(p.TPR-from.TPR)
		}
		break
	}
	return best
}

// Corners returns the points where the curve bends, first and last included: the same curve with
// fewer points.
func (r *ROC) Corners() []ROCPoint {
	var out []ROCPoint
	for _, p := range r.Points {
		if n := len(out); n > 1 && straight(out[n-2], out[n-1], p) {
			out = out[:n-1]
		}
		out = append(out, p)
	}
	return out
}

// straight reports whether b is on a horizontal or vertical line from a to c. Points on a diagonal
// are kept: whether they are on it, rounding would say.
func straight(a, b, c ROCPoint) bool {
	return a.FPR == b.FPR && b.FPR == c.FPR || a.TPR == b.TPR && b.TPR == c.TPR
}
