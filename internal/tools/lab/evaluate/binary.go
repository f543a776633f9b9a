package evaluate

import "math"

// Binary is what remains of a contingency table when one class is the positive one and all others
// are negative (Fawcett 2006). A document that got no label is wrong: FN if it is positive, else
// FP.
type Binary struct {
	TP int64 `json:"tp"` // positive, found
	FP int64 `json:"fp"` // negative, taken for positive
	FN int64 `json:"fn"` // positive, missed
	TN int64 `json:"tn"` // negative, left alone
}

// TPR returns TP/(TP+FN): the true positive rate, also called recall, sensitivity, hit rate.
func (b Binary) TPR() float64 { return ratio(b.TP, b.TP+b.FN) }

// FNR returns FN/(TP+FN), the share of positives that were missed.
func (b Binary) FNR() float64 { return ratio(b.FN, b.TP+b.FN) }

// FPR returns FP/(FP+TN), the false alarms.
func (b Binary) FPR() float64 { return ratio(b.FP, b.FP+b.TN) }

// Specificity returns TN/(FP+TN), the true negative rate.
func (b Binary) Specificity() float64 { return ratio(b.TN, b.FP+b.TN) }

// Precision returns TP/(TP+FP), the positive predictive value.
func (b Binary) Precision() float64 { return ratio(b.TP, b.TP+b.FP) }

// NegativePredictiveValue returns TN/(TN+FN), the precision of the negative class.
func (b Binary) NegativePredictiveValue() float64 { return ratio(b.TN, b.TN+b.FN) }

// LAM returns the logistic average misclassification of the TREC spam track (Cormack and Lynam
// 2005),
//
//	logit^-1((logit FPR + logit FNR) / 2),   logit p = ln(p / (1 - p))
//
// from 0 to 1: the mean of both error rates on a scale where making either half as large gains the
// same. It is 0 as soon as one of the two is 0, and NaN where one is 0 and the other 1, or a side
// is empty. (The CEAS 2007 contest added half an error to each count against the zeros; the track
// did not.)
func (b Binary) LAM() float64 {
	fpr, fnr := float64(b.FP)/float64(b.FP+b.TN), float64(b.FN)/float64(b.TP+b.FN)
	logit := func(p float64) float64 { return math.Log(p) - math.Log1p(-p) }
	return 1 / (1 + math.Exp(-(logit(fpr)+logit(fnr))/2))
}
