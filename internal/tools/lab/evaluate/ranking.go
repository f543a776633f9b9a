package evaluate

import (
	"cmp"
	"math"
	"slices"
)

// ranking keeps what areas and curves need: the true class of every document and its log-odds for
// every class. That is 5 + 8 x classes bytes a document; nothing less gives exact areas.
type ranking struct {
	truth []int32     // by document
	even  []bool      // by document: its model knew no two classes, and so ranks it nowhere: its odds are even for all
	odds  [][]float64 // by class, then by document; a short one goes on with -Inf
}

// scored is a document in the ranking of one class.
type scored struct {
	odds  float64
	truth int32
}

func (r *ranking) add(truth int, ids []int, odds []float64) {
	for i, id := range ids {
		for len(r.odds) <= id {
			r.odds = append(r.odds, nil)
		}
		r.odds[id] = append(pad(r.odds[id], len(r.truth)), odds[i])
	}
	r.truth = append(r.truth, int32(truth))
	r.even = append(r.even, len(ids) < 2)
}

// pad appends the odds of documents whose model did not know the class: it had probability 0.
func pad(column []float64, n int) []float64 {
	for len(column) < n {
		column = append(column, math.Inf(-1))
	}
	return column
}

// sorted appends the documents to dst, by falling log-odds of a class; even says that those whose model
// knew no two classes rank nowhere, else they are as they were decided.
func (r *ranking) sorted(dst []scored, class int, even bool) []scored {
	var column []float64
	if class < len(r.odds) {
		column = r.odds[class]
	}
	for i, c := range r.truth {
		odds := math.Inf(-1)
		switch {
		case even && r.even[i]:
			odds = 0
		case i < len(column):
			odds = column[i]
		}
		dst = append(dst, scored{odds, c})
	}
	slices.SortFunc(dst, func(a, b scored) int { return cmp.Compare(b.odds, a.odds) })
	return dst
}

// ties calls f for each run of equal odds.
func ties(sorted []scored, f func(tied []scored)) {
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end].odds == sorted[start].odds {
			end++
		}
		f(sorted[start:end])
		start = end
	}
}

// wins ranks documents by one class and returns for every class b twice the number of pairs
// (document of class, document of b) that are in the right order, ties counted half: twice the
// statistic of Mann and Whitney (1947).
func wins(sorted []scored, class, classes int) []int64 {
	twice := make([]int64, classes)
	var above int64 // documents of class that rank higher
	ties(sorted, func(tied []scored) {
		var equal int64
		for i := range tied {
			if int(tied[i].truth) == class {
				equal++
			}
		}
		for i := range tied {
			twice[tied[i].truth] += 2*above + equal
		}
		above += equal
	})
	return twice
}

// areas are the areas under the ROC curves.
type areas struct {
	class []float64 // by class: it against all others
	ovr   float64   // mean of those that are defined
	ovo   float64   // mean over pairs of classes
}

// areas returns the areas of the classes, counts being their documents, added up in the order
// given.
//
// One against the rest: the chance that a document of the class has higher log-odds for it than
// another one (Hanley and McNeil 1982). One against one (Hand and Till 2001): A(a|b) is the same
// with the documents of a and b alone; the mean over all pairs of (A(a|b) + A(b|a))/2 does not
// depend on how frequent the classes are.
func (r *ranking) areas(counts []int64, order []int) areas {
	a := areas{class: make([]float64, len(counts))}
	var buf []scored
	var ovr, ovo float64
	var defined, pairs int
	n := int64(len(r.truth))
	for _, c := range order {
		a.class[c] = math.NaN()
		if counts[c] == 0 || counts[c] == n {
			continue
		}
		buf = r.sorted(buf[:0], c, true)
		var all int64
		twice := wins(buf, c, len(counts))
		for _, b := range order {
			if b == c || counts[b] == 0 {
				continue
			}
			all += twice[b]
			ovo += half(twice[b], counts[c], counts[b])
			pairs++
		}
		a.class[c] = half(all, counts[c], n-counts[c])
		ovr += a.class[c]
		defined++
	}
	a.ovr, a.ovo = ovr/float64(defined), ovo/float64(pairs)
	return a
}

// half returns twice/2 as a share of all m n pairs.
func half(twice, m, n int64) float64 { return float64(twice) / 2 / (float64(m) * float64(n)) }

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

// SpamTrack holds the measures of the TREC spam track in percent, with the positive class for spam
// and all others for ham (Cormack and Lynam 2005). Smaller is better.
type SpamTrack struct {
	HM      Number `json:"hm_percent"`             // ham misclassification: FPR
	SM      Number `json:"sm_percent"`             // spam misclassification: FNR
	LAM     Number `json:"lam_percent"`            // logistic average of both: see Binary.LAM
	ROCA    Number `json:"one_minus_roca_percent"` // (1-ROCA)%: the area above the ROC curve
	AtLimit Number `json:"h_0_1_percent"`          // h=.1%: sm% at the threshold where hm% is .1
}

// hamLimit is the ham misclassification at which h=.1% reads the ROC curve.
const hamLimit = 0.001

func newSpamTrack(r *BinaryReport, roc *ROC) *SpamTrack {
	const percent = 100
	return &SpamTrack{HM: percent * r.FPR, SM: percent * r.FNR, LAM: Number(percent * r.LAM()),
		ROCA: Number(percent * (1 - roc.AUC)), AtLimit: Number(percent * (1 - roc.TPRAt(hamLimit)))}
}
