package evaluate

import "math"

// costs are what it may cost to take a document for positive that is not, where a missed positive
// costs 1.
var costs = [...]float64{0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000}

// Cost is what decisions of least expected cost come to, by the posterior of the positive class, if
// a false positive costs so many times what a missed positive costs.
type Cost struct {
	Cost        float64 `json:"cost"`      // of a false positive
	Threshold   float64 `json:"threshold"` // posterior from which on positive is the cheaper label: cost / (1 + cost)
	FP          int64   `json:"fp"`
	FN          int64   `json:"fn"`
	FPR         Number  `json:"fpr"`
	FNR         Number  `json:"fnr"`
	PerDocument Number  `json:"per_document"`
	Best        Number  `json:"best"`    // a document, with the best threshold by these documents
	Trivial     Number  `json:"trivial"` // a document, with the cheaper label for all
}

// costCurve returns what decisions come to at each of costs. sorted are the documents by falling
// log-odds of the positive class. It is the cost curve (Drummond and Holte 2006) at the frequencies
// of the classes in the data; the distance of PerDocument to Best is what the posteriors lose
// because they are too sure, or not sure enough.
func costCurve(sorted []scored, positive int) []Cost {
	positives, negatives := sides(sorted, positive)
	n := float64(len(sorted))
	out := make([]Cost, len(costs))
	for i, cost := range costs {
		out[i] = Cost{
			Cost: cost, Threshold: cost / (1 + cost), FN: positives,
			Best: Number(float64(positives) / n), Trivial: Number(min(float64(positives), cost*float64(negatives)) / n),
		}
	}
	var tp, fp int64
	ties(sorted, func(tied []scored) {
		p, q := sides(tied, positive)
		tp += p
		fp += q
		for i := range out {
			c := &out[i]
			if tied[0].odds > math.Log(c.Cost) {
				c.FP, c.FN = fp, positives-tp
			}
			c.Best = min(c.Best, Number((c.Cost*float64(fp)+float64(positives-tp))/n))
		}
	})
	for i := range out {
		c := &out[i]
		c.FPR, c.FNR = Number(float64(c.FP)/float64(negatives)), Number(float64(c.FN)/float64(positives))
		c.PerDocument = Number((c.Cost*float64(c.FP) + float64(c.FN)) / n)
	}
	return out
}
