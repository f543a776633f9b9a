package evaluate

import (
	"math"
	"slices"
)

// Confusion is a contingency table: Rows[i][j] documents of class Labels[i] got the label
// Labels[j]. Labels are those that are a true or a predicted label, sorted by name.
//
// With n documents, t_c of them of class c, p_c labelled c, and h_c both:
//
//	accuracy    = sum h_c / n            error = 1 - accuracy
//	precision_c = h_c / p_c              recall_c = h_c / t_c         F1_c = 2 h_c / (t_c + p_c)
//
// F1 is the harmonic mean of precision and recall (van Rijsbergen 1979).
type Confusion struct {
	Labels     []string  `json:"labels"`
	Rows       [][]int64 `json:"rows"`
	Unlabelled []int64   `json:"unlabelled,omitempty"` // by true class: documents that got no label; nil: none
}

// Average is precision, recall and F1 over the classes.
type Average struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// margins are the sums of a table that the scores need.
type margins struct {
	n, hits          int64
	unlabelled       int64
	truth, predicted []int64 // by class
	hit              []int64 // by class: the diagonal
}

func (c *Confusion) margins() *margins {
	k := len(c.Labels)
	m := &margins{truth: make([]int64, k), predicted: make([]int64, k), hit: make([]int64, k)}
	for i, row := range c.Rows {
		for j, n := range row {
			m.truth[i] += n
			m.predicted[j] += n
		}
		m.hit[i] = row[i]
		m.hits += row[i]
		if c.Unlabelled != nil {
			m.truth[i] += c.Unlabelled[i]
			m.unlabelled += c.Unlabelled[i]
		}
		m.n += m.truth[i]
	}
	return m
}

// Accuracy returns the share of documents that got their true label, NaN without documents.
func (c *Confusion) Accuracy() float64 {
	m := c.margins()
	return float64(m.hits) / float64(m.n)
}

// Error returns the share of documents that did not get their true label.
func (c *Confusion) Error() float64 {
	m := c.margins()
	return float64(m.n-m.hits) / float64(m.n)
}

// Classes returns the scores of each class, in the order of Labels; the table does not tell the AUC.
func (c *Confusion) Classes() []ClassReport {
	m := c.margins()
	scores := make([]ClassReport, len(c.Labels))
	for i := range scores {
		scores[i] = ClassReport{
			Precision: Number(ratio(m.hit[i], m.predicted[i])),
			Recall:    Number(ratio(m.hit[i], m.truth[i])),
			F1:        Number(ratio(2*m.hit[i], m.truth[i]+m.predicted[i])),
			AUC:       undefined,
			Support:   m.truth[i],
		}
	}
	return scores
}

// Macro returns the mean over the classes: each counts the same, however rare.
func (c *Confusion) Macro() Average {
	return c.average(func(ClassReport) float64 { return 1 })
}

// Weighted returns the mean over the classes, each weighed by its documents.
func (c *Confusion) Weighted() Average {
	return c.average(func(s ClassReport) float64 { return float64(s.Support) })
}

func (c *Confusion) average(weight func(ClassReport) float64) Average {
	var a Average
	sum := 0.0
	for _, s := range c.Classes() {
		w := weight(s)
		sum += w
		a.Precision += w * float64(s.Precision)
		a.Recall += w * float64(s.Recall)
		a.F1 += w * float64(s.F1)
	}
	if sum == 0 {
		return Average{}
	}
	return Average{a.Precision / sum, a.Recall / sum, a.F1 / sum}
}

// Micro returns the scores of all classes' hits and misses added up. Where every document got a
// label all three equal the accuracy.
func (c *Confusion) Micro() Average {
	m := c.margins()
	labelled := m.n - m.unlabelled
	return Average{ratio(m.hits, labelled), ratio(m.hits, m.n), ratio(2*m.hits, m.n+labelled)}
}

// BalancedAccuracy returns the mean recall of the classes that have documents (Brodersen et al.
// 2010).
func (c *Confusion) BalancedAccuracy() float64 {
	sum, classes := 0.0, 0
	for _, s := range c.Classes() {
		if s.Support > 0 {
			sum += float64(s.Recall)
			classes++
		}
	}
	return sum / float64(classes)
}

// Matthews returns the correlation of true and predicted labels for any number of classes (Gorodkin
// 2004; for two classes Matthews 1975):
//
//	(n sum h_c - sum t_c p_c) / sqrt((n^2 - sum p_c^2) (n^2 - sum t_c^2))
//
// It is 0 where all documents have one true label, or got one label. No label is one more predicted
// class.
func (c *Confusion) Matthews() float64 {
	m := c.margins()
	n := float64(m.n)
	predicted := n*n - dot(m.predicted, m.predicted) - float64(m.unlabelled)*float64(m.unlabelled)
	truth := n*n - dot(m.truth, m.truth)
	if predicted == 0 || truth == 0 {
		return 0
	}
	return (n*float64(m.hits) - dot(m.truth, m.predicted)) / math.Sqrt(predicted) / math.Sqrt(truth)
}

// Kappa returns Cohen's kappa (1960), the agreement beyond what the margins alone would give:
//
//	(n sum h_c - sum t_c p_c) / (n^2 - sum t_c p_c)
//
// It is NaN where all documents have one true label and got it.
func (c *Confusion) Kappa() float64 {
	m := c.margins()
	return kappa(m.n, m.hits, dot(m.truth, m.predicted))
}

func kappa(n, hits int64, chance float64) float64 {
	all := float64(n) * float64(n)
	return (float64(n)*float64(hits) - chance) / (all - chance)
}

// Binary returns the table seen from one class. One that is not in the table was never right and
// never predicted.
func (c *Confusion) Binary(positive string) Binary {
	m := c.margins()
	var b Binary
	i := slices.Index(c.Labels, positive)
	if i >= 0 {
		b = Binary{TP: m.hit[i], FP: m.predicted[i] - m.hit[i], FN: m.truth[i] - m.hit[i]}
	}
	for j, n := range c.Unlabelled {
		if j != i {
			b.FP += n
		}
	}
	b.TN = m.n - b.TP - b.FP - b.FN
	return b
}

// ratio returns a/b, 0 for b = 0.
func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func dot(a, b []int64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// Binary is what remains of a contingency table when one class is the positive one and all others
// are negative (Fawcett 2006). A document that got no label is wrong: FN if it is positive, else
// FP.
type Binary struct {
	TP int64 `json:"tp"` // positive, found
	FP int64 `json:"fp"` // negative, taken for positive
	FN int64 `json:"fn"` // positive, missed
	TN int64 `json:"tn"` // negative, left alone
}

// Report returns the rates. The curves are not known.
func (b Binary) Report() *BinaryReport {
	rate := func(n, others int64) Number { return Number(ratio(n, n+others)) }
	return &BinaryReport{
		Binary: b, TPR: rate(b.TP, b.FN), FNR: rate(b.FN, b.TP), FPR: rate(b.FP, b.TN), Specificity: rate(b.TN, b.FP),
		Precision: rate(b.TP, b.FP), NPV: rate(b.TN, b.FN), AUC: undefined, AveragePrecision: undefined,
	}
}

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
