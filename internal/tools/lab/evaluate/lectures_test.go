package evaluate_test

import (
	"fmt"
	"math"

	"bayestream/internal/tools/lab/evaluate"
)

// scored returns an outcome of a spam filter that gives a message this chance of being spam.
func scored(truth string, spam float64) evaluate.Outcome {
	label := "ham"
	if spam > 0.5 {
		label = "spam"
	}
	return evaluate.Outcome{
		Truth: truth, Label: label, Classes: []string{"ham", "spam"},
		LogPosterior: []float64{math.Log(1 - spam), math.Log(spam)},
	}
}

// The table of the lecture: ten flowers of each kind, of which 22 got their own label.
func ExampleConfusion() {
	c := evaluate.Confusion{
		Labels: []string{"setosa", "versicolor", "virginica"},
		Rows: [][]int64{ // a row for each true kind
			{10, 0, 0},
			{0, 7, 3},
			{0, 5, 5},
		},
	}
	fmt.Printf("accuracy %.3f, error %.3f\n", c.Accuracy(), c.Error())
	for i, s := range c.Classes() {
		fmt.Printf("%-10s  precision %.3f  recall %.3f  F1 %.3f\n", c.Labels[i], s.Precision, s.Recall, s.F1)
	}
	fmt.Printf("macro F1 %.3f\n", c.Macro().F1)
	// Output:
	// accuracy 0.733, error 0.267
	// setosa      precision 1.000  recall 1.000  F1 1.000
	// versicolor  precision 0.583  recall 0.700  F1 0.636
	// virginica   precision 0.625  recall 0.500  F1 0.556
	// macro F1 0.731
}

// Versicolor against the other two, in another run of the lecture.
func ExampleBinary() {
	b := evaluate.Binary{TP: 7, FP: 7, FN: 3, TN: 13}
	fmt.Printf("precision %v and %v\n", b.Precision(), b.NegativePredictiveValue())
	fmt.Printf("sensitivity %v, specificity %v\n", b.TPR(), b.Specificity())
	fmt.Printf("missed %v, false alarms %v\n", b.FNR(), b.FPR())
	// Output:
	// precision 0.5 and 0.8125
	// sensitivity 0.7, specificity 0.65
	// missed 0.3, false alarms 0.35
}

// One message of each kind has the chance .8 of being spam: the step between them is diagonal.
func ExampleROC() {
	s := evaluate.NewScores(evaluate.Options{})
	for _, o := range []evaluate.Outcome{
		scored("spam", 0.9), scored("spam", 0.8), scored("spam", 0.8), scored("ham", 0.8), scored("ham", 0.1),
	} {
		if err := s.Add(&o); err != nil {
			fmt.Println(err)
		}
	}
	roc := s.ROC("spam")
	for _, p := range roc.Points {
		fmt.Printf("(%.3g, %.3g)\n", p.FPR, p.TPR)
	}
	fmt.Printf("AUC %.3f\n", roc.AUC)
	// Output:
	// (0, 0)
	// (0, 0.333)
	// (0.5, 1)
	// (1, 1)
	// AUC 0.833
}
