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

// odds returns the log odds of the largest posterior, under a temper.
func odds(d *model.Decision, tau float64) float64 {
	factor := tau / d.Scoring.Temper
	logs := sortedLogs(d)
	top := logs[len(logs)-1]
	next := logs[len(logs)-2]
	sum := 0.0
	for _, x := range logs[:len(logs)-1] {
		sum += math.Exp(factor * (x - next))
	}
	return factor*(top-next) - math.Log(sum)
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
		compareCalibrated(t, m, r, before, after)
	})
}

// shownBy returns what of log odds the documents of a model show, which has no given prior.
func shownBy(m *model.Model, d *model.Decision, odds float64) float64 {
	documents := func(class string) float64 {
		id, _ := m.Classes().ID(class)
		return float64(m.Classes().Documents(id))
	}
	next := documents(d.RunnerUp)
	if most := math.Log(8 * (next + 1) * max(1, documents(d.Label)/next)); odds > most {
		return most + math.Log(1+odds-most)
	}
	return odds
}

func compareCalibrated(t *rapid.T, m *model.Model, r *race.State, before, after *model.Decision) {
	temper := r.Leader().Temper
	tau := temper.Tau(before.Known, false)
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
	want := shownBy(m, after, r.Calibration(r.Leader()).Of(odds(before, tau)))
	got := odds(after, after.Scoring.Temper)
	switch factor = after.Scoring.Temper / tau; {
	case factor > 3.999:
		if got > want+1e-6 {
			t.Fatalf("log odds are %v, want at most %v", got, want)
		}
	case factor < 1.001/16:
		if got < want-1e-6 {
			t.Fatalf("log odds are %v, want at least %v", got, want)
		}
	default:
		near("log odds", got, want)
	}
}

// TestFewDocumentsShowLittle: the first mails are spam, and of the first ham nothing is known. What
// the words say against it is no more than its documents can show.
func TestFewDocumentsShowLittle(t *testing.T) {
	m := model.New(modeltest.Spec(t, "prior: {ham: 0.5, spam: 0.5}\nscoring: {candidates: [{likelihood: multinomial, alpha: 0.05}]}"))
	of := func(label string, weight int64, words ...string) modeltest.Document {
		f := &model.Features{}
		for _, w := range words {
			f.Bag.Add([]byte(w))
		}
		return modeltest.Document{Label: label, Weight: weight, Features: f}
	}
	modeltest.Learn(t, m, 1, of("spam", 1000, "buy", "now", "cheap", "pills"), of("spam", 1, "meet", "me"))
	surer := of("", 1, "buy", "now", "cheap", "pills").Features
	sure := of("", 1, "buy", "now").Features
	surest := of("", 1, "buy", "now", "cheap", "pills").Features
	surest.Bag.AddN([]byte("pills"), 100_000) // more than the tau of a calibration makes up for
	for _, hams := range []int64{0, 1, 20, 400} {
		if hams > 0 {
			modeltest.Learn(t, m, 1, of("ham", hams, "meet", "me"))
		}
		learned := float64(m.Classes().Total() - 1001)
		most := math.Log(8 * (learned + 1))
		a := modeltest.Decide(m, sure)
		b := modeltest.Decide(m, surer)
		if a.Label != "spam" || !(a.Margin < b.Margin) || b.Margin > most+math.Log(10) {
			t.Errorf("of %v hams the margins are %.2f and %.2f, want the second larger, and at most %.2f", learned, a.Margin, b.Margin, most+math.Log(10))
		}
		if c := modeltest.Decide(m, surest); !(c.Margin > b.Margin) || c.Margin > most+math.Log(10_000) {
			t.Errorf("of %v hams the margin of a document that is far surer is %.2f, want above %.2f, and at most %.2f", learned, c.Margin, b.Margin, most+math.Log(10_000))
		}
		sum := b.Rest
		for _, e := range b.Evidence {
			sum += e.Weight
		}
		if math.Abs(sum-b.Margin) > 1e-9 { // the priors are the same
			t.Errorf("the evidence adds up to %v, the margin is %v", sum, b.Margin)
		}
	}
}
