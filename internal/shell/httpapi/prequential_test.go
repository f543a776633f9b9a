package httpapi_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/httpapi"
)

// scores counts records with decisions on them: by truth, what was decided and how sure it was.
func (l *learner) scores(src fold.Source, truths []string, decided []string, confidence, loss float64) {
	l.t.Helper()
	sums := race.NewSums(len(l.state.Race().List().Scored()))
	classes := race.Tallies{}
	for i, truth := range truths {
		classes.Score(truth, decided[i])
		sums.Scored++
		sums.Decided.Loss += race.FixedLoss(loss)
		if truth != decided[i] {
			sums.Decided.Errors++
		}
		if decided[i] != "" {
			sums.Decided.Confidence.Add(confidence, truth == decided[i])
		}
	}
	l.decisions(src, sums, classes, "word")
}

// The metrics of all and of the newest decisions on records before they were learned are those of
// the fold, in each role: a delta that is not counted is not in them.
func TestPrequentialIsFolded(t *testing.T) {
	const accuracy, loss, records = "bayestream_prequential_window_accuracy_ratio", "bayestream_prequential_window_log_loss_nats", "bayestream_prequential_window_records"
	const calibration = "bayestream_prequential_window_calibration_error_ratio"
	m := httpapi.NewMetrics(httpapi.Classify)
	l := learn(t, false, "text: {alpha: 1}")
	m.ObserveState(l.read)
	if got := gather(t, m); !math.IsNaN(got[accuracy]) || !math.IsNaN(got[loss]) || !math.IsNaN(got[calibration]) || got[records] != 0 {
		t.Errorf("empty window: got %v, %v over %v, want NaN, NaN over 0", got[accuracy], got[loss], got[records])
	}
	of := func(label string) []string { return slices.Repeat([]string{label}, 50) }
	for i := range 25 {
		src := fold.Source{Topic: "training", Partition: int32(i % 2)}
		if i < 20 {
			l.scores(src, of("spam"), of("ham"), .75, 2)
		} else {
			l.scores(src, of("spam"), of("spam"), 1, 0)
		}
	}
	got := gather(t, m)
	want(t, got, map[string]float64{
		records: 1050, loss: 2 * 800. / 1050, accuracy: 250. / 1050,
		"bayestream_prequential_scored_total": 1250, "bayestream_prequential_correct_total": 250, "bayestream_prequential_log_loss_nats_total": 2000,
	})
	if want := .75 * 800 / 1050; math.Abs(got[calibration]-want) > 1e-6 {
		t.Errorf("the calibration error is %v, want %v", got[calibration], want)
	}
}

// Precision and recall of a class are those of the confusion table of the window, of the largest
// classes.
func TestPrequentialByClass(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	l := learn(t, true, "text: {alpha: 1}")
	m.ObserveState(l.read)
	src := fold.Source{Topic: "training"}
	// the last got no label
	l.scores(src, strings.Fields("spam spam spam ham ham new ham"), []string{"spam", "spam", "ham", "ham", "spam", "ham", ""}, .9, .1)
	got := gather(t, m)
	for series, want := range map[string]float64{
		`precision_ratio{class="spam"}`: 2. / 3, `recall_ratio{class="spam"}`: 2. / 3,
		`precision_ratio{class="ham"}`: 1. / 3, `recall_ratio{class="ham"}`: 1. / 3, `recall_ratio{class="new"}`: 0,
	} {
		if v, ok := got["bayestream_prequential_window_"+series]; !ok || math.Abs(v-want) > 1e-12 {
			t.Errorf("%s: got %v, %v, want %v", series, v, ok, want)
		}
	}
	if _, ok := got[`bayestream_prequential_window_precision_ratio{class="new"}`]; ok {
		t.Error("a class that was never decided has a precision")
	}
	for series := range got {
		if strings.Contains(series, `class=""`) {
			t.Errorf("no label is a class: %s", series)
		}
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("c%02d", i))
	}
	l.scores(src, many, many, .9, .1)
	classes := 0
	for series := range gather(t, m) {
		if strings.HasPrefix(series, "bayestream_prequential_window_recall_ratio") {
			classes++
		}
	}
	if classes != 64 {
		t.Errorf("%d classes have a series, want 64", classes)
	}
}
