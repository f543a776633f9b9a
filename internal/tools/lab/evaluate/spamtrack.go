package evaluate

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

func newSpamTrack(b Binary, roc *ROC) *SpamTrack {
	const percent = 100
	s := &SpamTrack{HM: Number(percent * b.FPR()), SM: Number(percent * b.FNR()), LAM: Number(percent * b.LAM())}
	s.ROCA = Number(percent * (1 - roc.AUC))
	s.AtLimit = Number(percent * (1 - roc.TPRAt(hamLimit)))
	return s
}
