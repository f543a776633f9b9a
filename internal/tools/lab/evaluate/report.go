package evaluate

// Report is what `eval --json` prints: first the keys of the contract, then the others. A score
// that the documents do not define is null.
type Report struct {
	N         int64                  `json:"n"`
	Accuracy  Number                 `json:"accuracy"`
	Error     Number                 `json:"error"`
	MacroF1   Number                 `json:"macro_f1"`
	MicroF1   Number                 `json:"micro_f1"`
	LogLoss   Number                 `json:"log_loss"`
	Brier     Number                 `json:"brier"`
	ECE       Number                 `json:"ece"`
	Confusion *Confusion             `json:"confusion"`
	Classes   map[string]ClassReport `json:"classes"`

	WeightedF1       Number        `json:"weighted_f1"`
	BalancedAccuracy Number        `json:"balanced_accuracy"`
	Matthews         Number        `json:"matthews"`
	CohenKappa       Number        `json:"cohen_kappa"`
	Macro            Average       `json:"macro"`
	Micro            Average       `json:"micro"`
	Weighted         Average       `json:"weighted"`
	OneVersusRest    Number        `json:"auc_ovr_macro"`
	OneVersusOne     Number        `json:"auc_ovo_macro"`
	Unlabelled       int64         `json:"unlabelled"` // documents that got no label
	Reliability      []Bin         `json:"reliability"`
	Coverage         []Coverage    `json:"coverage,omitempty"`  // of 200 documents or more
	Threshold        *Threshold    `json:"threshold,omitempty"` // where an error is wanted
	Binary           *BinaryReport `json:"binary,omitempty"`    // of two classes, or where a positive one was named
	Confused         []Confused    `json:"confused"`            // the pairs with the most documents
	Mistakes         []Mistake     `json:"mistakes"`            // those with the surest labels, as many as were asked for
}

// ClassReport is one class of a Report.
type ClassReport struct {
	Precision Number `json:"precision"`
	Recall    Number `json:"recall"`
	F1        Number `json:"f1"`
	AUC       Number `json:"auc"` // the class against all others
	Support   int64  `json:"support"`
}

// BinaryReport is the positive class against all others.
type BinaryReport struct {
	Positive string `json:"positive"`
	Binary
	TPR              Number     `json:"tpr"`         // of the positives, found: recall, sensitivity, hit rate
	FPR              Number     `json:"fpr"`         // of the negatives, taken for positive: false alarms
	Specificity      Number     `json:"specificity"` // of the negatives, left alone
	FNR              Number     `json:"fnr"`         // of the positives, missed
	Precision        Number     `json:"precision"`
	NPV              Number     `json:"npv"` // negative predictive value: the precision of the negative class
	AUC              Number     `json:"auc"`
	AveragePrecision Number     `json:"average_precision"`
	SpamTrack        *SpamTrack `json:"spam_track,omitempty"`
	Costs            []Cost     `json:"costs,omitempty"` // of 200 documents or more
	ROC              []ROCPoint `json:"roc,omitempty"`
	PR               []PRPoint  `json:"pr,omitempty"`
}

// ReportOptions say what a report holds.
type ReportOptions struct {
	Positive string   // the positive class; "": the last by name, of two
	Curves   bool     // the points of the curves as well: as many as documents
	Wanted   *float64 // share of wrong labels that Threshold is chosen by; nil: none is
}

// Report returns all scores. The error says that the positive class is unknown.
func (s *Scores) Report(o ReportOptions) (*Report, error) {
	c := s.Confusion()
	m := c.margins()
	r := &Report{
		N: s.n, Accuracy: Number(c.Accuracy()), Error: Number(c.Error()), Confusion: c,
		LogLoss: Number(s.LogLoss()), Brier: Number(s.Brier()), ECE: Number(s.ECE()),
		BalancedAccuracy: Number(c.BalancedAccuracy()), Matthews: Number(c.Matthews()), CohenKappa: Number(c.Kappa()),
		Macro: c.Macro(), Micro: c.Micro(), Weighted: c.Weighted(),
		Unlabelled: m.unlabelled, Reliability: s.Reliability(), Coverage: s.Coverage(),
		Confused: c.MostConfused(s.o.Mistakes), Mistakes: s.Mistakes(),
	}
	r.MacroF1, r.MicroF1, r.WeightedF1 = Number(r.Macro.F1), Number(r.Micro.F1), Number(r.Weighted.F1)
	s.reportClasses(r)
	if o.Wanted != nil {
		r.Threshold = s.Threshold(*o.Wanted)
	}
	if o.Positive == "" && len(s.tally.classes.names) != 2 {
		return r, nil
	}
	positive, err := s.Positive(o.Positive)
	if err != nil {
		return nil, err
	}
	r.Binary = s.binary(c, positive, o.Curves)
	return r, nil
}

func (s *Scores) reportClasses(r *Report) {
	a := s.areas()
	r.OneVersusRest, r.OneVersusOne = Number(a.ovr), Number(a.ovo)
	r.Classes = make(map[string]ClassReport, len(r.Confusion.Labels))
	for i, score := range r.Confusion.Classes() {
		name := r.Confusion.Labels[i]
		if a.class != nil { // of ranked scores
			score.AUC = Number(a.class[s.tally.classes.ids[name]])
		}
		r.Classes[name] = score
	}
}

func (s *Scores) binary(c *Confusion, positive string, curves bool) *BinaryReport {
	r := c.Binary(positive).Report()
	r.Positive = positive
	sorted, id, ok := s.sorted(positive)
	if !ok {
		return r
	}
	roc, pr := newROC(sorted, id), newPR(sorted, id)
	r.AUC, r.AveragePrecision, r.SpamTrack = Number(roc.AUC), Number(pr.AveragePrecision), newSpamTrack(r, roc)
	if s.n >= enough {
		r.Costs = costCurve(s.ranking.sorted(nil, id, false), id)
	}
	if curves {
		r.ROC, r.PR = roc.Points, pr.Points
	}
	return r
}
