package evaluate

import (
	"math"
	"testing"

	"bayestream/internal/core/model"
)

// Where the spec names losses, the reject option is compared with the expected loss of the label.
func TestRiskOfLosses(t *testing.T) {
	var o Outcome
	d := &model.Decision{Label: "spam", Labelled: true, HasRisk: true, Classes: []model.ClassScore{
		{Name: "ham", Posterior: 0.01, LogPosterior: math.Log(0.01), Risk: 0.99}, {Name: "spam", Posterior: 0.99, LogPosterior: math.Log(0.99), Risk: 0.5},
	}}
	o.SetDecision("spam", d)
	if risk, right := o.risk(); risk != 0.5 || !right {
		t.Errorf("the risk is %v, want that of 50 times the posterior of ham", risk)
	}
	d.HasRisk = false
	o.SetDecision("spam", d)
	if risk, _ := o.risk(); math.Abs(risk-0.01) > 1e-15 {
		t.Errorf("the risk is %v, want 0.01", risk)
	}
}
