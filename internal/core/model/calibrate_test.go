package model_test

import (
	"math"
	"slices"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// sureBy returns the race of TestLeaderDecides with decisions of all candidates that were right
// with a probability, however sure they were.
func sureBy(t *rapid.T, m *model.Model, leader, temper int, right float64) *race.State {
	r := ledBy(t, m.Spec(), leader, temper)
	sums := race.NewSums(len(r.List().Scored()))
	sums.Scored = 1000
	for i := range sums.By {
		for n := range 1000 {
			sums.By[i].Confidence.Add(0.3+0.0007*float64(n), float64(n%100) < 100*right)
		}
	}
	if err := sums.Check(r.List()); err != nil {
		t.Fatal(err)
	}
	r.Fold(r.List().Fingerprint(), sums)
	return r
}

// sortedLogs returns the log posteriors of a decision, the smallest first.
func sortedLogs(d *model.Decision) (logs []float64) {
	for _, c := range d.Classes {
		logs = append(logs, c.LogPosterior)
	}
	slices.Sort(logs)
	return logs
}

// odds returns the log odds of the largest posterior.
func odds(d *model.Decision) float64 {
	logs := sortedLogs(d)
	top := logs[len(logs)-1]
	next := logs[len(logs)-2]
	sum := 0.0
	for _, x := range logs[:len(logs)-1] {
		sum += math.Exp(x - next)
	}
	return top - next - math.Log(sum)
}

// TestCalibratedDecisions: a calibrated decision is that of a spec which names the leader with the
// temper that the decision names. It has the label of the one without calibration, and is as sure
// as the calibration says, if that is within reach.
func TestCalibratedDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var documents []modeltest.Document
		for range rapid.IntRange(1, 12).Draw(t, "documents") {
			documents = append(documents, drawDocument(t, []string{"a", "b", "c"}))
		}
		m := learnt(t, "text: {weight: 0.5}\nscoring: {}"+besides, documents)
		leader := rapid.IntRange(0, len(m.Spec().Race.Candidates)-1).Draw(t, "leader")
		temper := rapid.IntRange(1, len(race.Tempers())-1).Draw(t, "temper")
		probe := drawDocument(t, []string{"a"}).Features
		m.Lead(ledBy(t, m.Spec(), leader, temper))
		before := modeltest.Decide(m, probe)
		r := sureBy(t, m, leader, temper, rapid.Float64Range(0, 1).Draw(t, "right"))
		m.Lead(r)
		after := modeltest.Decide(m, probe)
		if after.Label != before.Label || after.RunnerUp != before.RunnerUp || after.Status != before.Status || after.Scoring.Candidate != before.Scoring.Candidate {
			t.Fatalf("%v, before it was calibrated %v", after, before)
		}
		compareCalibrated(t, r, before, after)
	})
}

func compareCalibrated(t *rapid.T, r *race.State, before, after *model.Decision) {
	factor := after.Scoring.Temper / before.Scoring.Temper
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("%s is %v, want %v: %+v, before %+v", what, got, want, after, before)
		}
	}
	near("the margin", after.Margin, factor*before.Margin)
	sum := after.Rest
	for i, e := range after.Evidence {
		near("a weight", e.Weight, factor*before.Evidence[i].Weight)
		sum += e.Weight
	}
	for _, c := range after.Classes {
		switch c.Name {
		case after.Label:
			sum += c.LogPrior
		case after.RunnerUp:
			sum -= c.LogPrior
		}
	}
	switch {
	case !after.HasMargin || math.IsInf(after.Margin, 0):
		return
	case after.Known == 0:
		near("the temper", factor, 1)
		return
	case before.Margin == 0: // nothing tells two classes apart, or what the posteriors have no digit for
		return
	}
	near("prior, evidence and rest", sum, after.Margin)
	want := r.Calibration(r.Leader()).Of(odds(before))
	switch {
	case factor > 3.999:
		if odds(after) > want+1e-6 {
			t.Fatalf("log odds are %v, want at most %v", odds(after), want)
		}
	case factor < 1.001/16:
		if odds(after) < want-1e-6 {
			t.Fatalf("log odds are %v, want at least %v", odds(after), want)
		}
	default:
		near("log odds", odds(after), want)
	}
}
