package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/httpapi"
)

// decided counts n documents of class spam with a word, of which so many had been decided wrong
// before they were learned.
func (l *learner) decided(n, errors int64, word string) {
	l.t.Helper()
	sums := race.NewSums(len(l.state.Race().List().Scored()))
	sums.Scored, sums.Decided.Errors, sums.Decided.Loss = n, errors, errors*race.Unit
	l.decisions(fold.Source{Topic: "training", Partition: 3}, sums, race.Tallies{"spam": {Records: n, Right: n - errors, Decided: n - errors}}, word)
}

// decisions counts the records of sums as documents of class spam with a word.
func (l *learner) decisions(src fold.Source, sums *race.Sums, classes race.Tallies, word string) {
	l.t.Helper()
	b := model.NewBuilder(l.spec)
	b.AddDocuments("spam", sums.Scored)
	b.AddCount(0, "spam", []byte(word), sums.Scored)
	l.ends[src] += sums.Scored
	l.fold(fold.Entry{Time: 1_800_000_000_000, Delta: &fold.Delta{
		Ranges:   []fold.Range{{Source: src, Start: l.ends[src] - sums.Scored, End: l.ends[src]}},
		Counting: l.spec.Counting(),
		Counts:   b.Delta(),
		Scores:   &fold.Scores{List: l.state.Race().List().Fingerprint(), Sums: sums, Classes: classes},
	}})
}

// GET /v1/model says what the state says: classes, spec, how the race stands, and the drifts with
// the classes and words that moved.
func TestModelIsShown(t *testing.T) {
	l := learn(t, false, "{name: news, scoring: {candidates: [{likelihood: multinomial, alpha: 1}], shadow: {likelihood: complement, alpha: 5}}}")
	l.documents(fold.Source{Topic: "training"}, "ham", 500, "lunch")
	for range 4 {
		l.decided(400, 2, "offer")
	}
	l.decided(200, 150, "crypto")
	r := ask(t, http.MethodGet, serve(t, httpapi.Options{State: l.read})+"/v1/model", nil)
	var got httpapi.Model
	if err := json.Unmarshal([]byte(r.body), &got); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v: %s", r.StatusCode, err, r.body)
	}
	if got.Name != "news" || got.Offset != 6 || got.Documents != 2300 || len(got.Classes) != 2 || got.Classes[1].Name != "spam" || got.Classes[1].Documents != 1800 || got.Classes[1].Tokens != 1800 ||
		*got.Imbalance != 3.6 || got.Vocabulary != 3 || got.Fingerprint.Counting != l.spec.Counting().String() || got.Spec != string(l.spec.YAML()) || got.Window != nil {
		t.Errorf("the model is %s", r.body)
	}
	if x := got.Race; x.Leader != "multinomial/1" || len(x.Candidates) != 2 || !x.Candidates[1].Shadow || x.Candidates[0].Documents != 1800 || *got.Temper == "" {
		t.Errorf("the race is %+v, the temper %v", x, got.Temper)
	}
	d := got.Drift
	if d.Found != 1 || len(d.Alarms) != 1 {
		t.Fatalf("the drifts are %+v", d)
	}
	a := d.Alarms[0]
	if a.Offset != 6 || a.Since != 6 || a.Topic != "training" || a.Partition != 3 || a.End != 1800 || a.Before != 0.005 || a.After != 0.75 || a.Scored != 200 || a.Time.UnixMilli() != 1_800_000_000_000 {
		t.Errorf("the drift is %+v", a)
	}
	if len(a.Classes) != 1 || a.Classes[0].Name != "spam" || a.Classes[0].ErrorsAfter != 0.75 || a.Classes[0].ShareAfter != 1 {
		t.Errorf("the classes are %+v", a.Classes)
	}
	words := map[string]float64{}
	for _, w := range a.Words {
		words[w.Table+" "+w.Class+" "+w.Term] = w.Ratio
	}
	if len(words) != 2 || words["text spam crypto"] <= 0 || words["text spam offer"] >= 0 {
		t.Errorf("the words are %+v", a.Words)
	}
}

// A window says what it holds. Before the first spec there is no model.
func TestModelWithoutARace(t *testing.T) {
	l := learn(t, true, "{text: {alpha: 1}, limits: {window: {records: 5}}}")
	m := httpapi.NewModel(l.state)
	if m.Race != nil || m.Temper != nil || m.Imbalance != nil || m.Window == nil || !m.Window.Exact || m.Drift == nil || m.Drift.Alarms == nil {
		t.Errorf("the model is %+v", m)
	}
	url := serve(t, httpapi.Options{State: func(f func(*fold.State)) { f(fold.New(false)) }}) + "/v1/model"
	ask(t, http.MethodGet, url, nil).wantFailure(t, http.StatusServiceUnavailable, "not_ready")
}
