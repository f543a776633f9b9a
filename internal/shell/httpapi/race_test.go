package httpapi_test

import (
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/testing/storetest"
)

// The table of the race: each candidate and the shadow with its errors and its log loss, and which
// of them decides. Without a race there is none.
func TestRaceIsShown(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Classify)
	l := learn(t, false, "scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: complement, alpha: 0.1}], shadow: {likelihood: complement, alpha: 5}}")
	m.ObserveState(l.read)
	const errors, loss, leads = "bayestream_race_errors_records", "bayestream_race_log_loss_nats", "bayestream_race_leader"
	want(t, gather(t, m), map[string]float64{
		"bayestream_race_scored_records": 0, errors + `{candidate="multinomial/1"}`: 0, leads + `{candidate="multinomial/1"}`: 1, leads + `{candidate="complement/0.1"}`: 0,
	})
	sums := race.NewSums(3)
	sums.Scored = 400
	for i, n := range []int64{200, 40, 0} {
		sums.By[i].Errors = n
		for j := range sums.By[i].Loss {
			sums.By[i].Loss[j] = 400 * race.Unit
		}
		sums.By[i].Loss[3+i] = n * race.Unit
	}
	src := fold.Source{Topic: "training"}
	d := &fold.Delta{Ranges: []fold.Range{{Source: src, End: 400, FromStart: true}},
		Counting: l.spec.Counting(),
		Counts:   storetest.NewWriter(t, l.spec).Delta(t, l.state, src, nil, 0, 0).Counts}
	d.Scores = &fold.Scores{List: race.Of(l.spec).Fingerprint(), Sums: sums}
	l.fold(fold.Entry{Delta: d})
	want(t, gather(t, m), map[string]float64{
		"bayestream_race_scored_records":       400,
		errors + `{candidate="multinomial/1"}`: 200, errors + `{candidate="complement/0.1"}`: 40, errors + `{candidate="complement/5"}`: 0,
		loss + `{candidate="multinomial/1"}`: 0.5, loss + `{candidate="complement/0.1"}`: 0.1, loss + `{candidate="complement/5"}`: 0,
		"bayestream_drift_alarms": 0, "bayestream_drift_last_offset": -1,
		leads + `{candidate="multinomial/1"}`: 0, leads + `{candidate="complement/0.1"}`: 1, leads + `{candidate="complement/5"}`: 0,
	})

	m = httpapi.NewMetrics(httpapi.Classify)
	m.ObserveState(learn(t, false, "text: {alpha: 1}").read)
	for name := range gather(t, m) {
		if strings.HasPrefix(name, "bayestream_race") {
			t.Errorf("%s is there without a race", name)
		}
	}
}
