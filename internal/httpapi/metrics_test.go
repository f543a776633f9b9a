package httpapi_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/httpapi"
	"bayestream/internal/wire"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// exercise calls every method once.
func exercise(m *httpapi.Metrics) {
	m.Folded(fold.Accepted)
	m.Rebuilt()
	m.DeadLetter(string(wire.NoText))
	m.Skipped(string(wire.NoLabel), 2)
	m.Lag(3, 40)
	m.Learned(7)
	m.Decided("ok", "spam", .75, 20*time.Millisecond)
	m.NewClass()
	m.Abstained("numbers[0]")
	m.Prequential("spam", "spam", .9, .5)
	m.Checkpoint(11, time.Second, time.Now())
	m.Assigned([]int{3})
	m.Fetched(9, 900)
}

func TestMetricsAreCleanForPromlint(t *testing.T) {
	for _, role := range []string{httpapi.Ingest, httpapi.Classify, "both"} {
		m := httpapi.NewMetrics(role)
		l := learn(t, true, "{text: {}, categories: [{field: country}]}")
		l.documents(fold.Source{Topic: "training"}, "spam", 3, "win a prize")
		m.ObserveState(l.read)
		exercise(m)
		problems, err := testutil.GatherAndLint(m.Gatherer())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s: %s", role, p.Metric, p.Text)
		}
	}
}

// A label that is decided for the first time when there are many is summed with others of its kind.
func TestDecisionsByLabelAreBounded(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Classify)
	for range 2 {
		for i := range 100 {
			m.Decided("ok", fmt.Sprintf("c%02d\xff", i), .99, 0)
		}
	}
	m.Decided("empty", "", 0, 0)
	got := gather(t, m)
	if got[`bayestream_decided_labels_total{class="c00�"}`] != 2 || got[`bayestream_decided_labels_total{class="c63�"}`] != 2 ||
		got[`bayestream_decided_labels_total{class="other"}`] != 72 || got["bayestream_decision_confidence_ratio"] != 200 {
		t.Errorf("got %v", got)
	}
}

// Precision and recall of a class are those of the confusion table of the window.
func TestPrequentialByClass(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	for _, x := range [][2]string{{"spam", "spam"}, {"spam", "spam"}, {"spam", "ham"}, {"ham", "ham"}, {"ham", "spam"}, {"new", "ham"}, {"ham", ""}} { // the last got no label
		m.Prequential(x[0], x[1], .9, .1)
	}
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
}

// Names and labels are what dashboards and alerts are written for: a change must be meant.
func TestNamesOfMetrics(t *testing.T) {
	var b strings.Builder
	for _, role := range []string{httpapi.Ingest, httpapi.Classify} {
		m := httpapi.NewMetrics(role)
		l := learn(t, role == httpapi.Ingest, "{scoring: {}, limits: {window: {records: 5}}}")
		l.documents(fold.Source{Topic: "training"}, "spam", 1, "prize")
		m.ObserveState(l.read)
		exercise(m)
		families, err := m.Gatherer().Gather()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "# %s\n", role)
		for _, f := range families {
			if !strings.HasPrefix(f.GetName(), "bayestream_") {
				continue
			}
			fmt.Fprintf(&b, "%s %s", f.GetName(), strings.ToLower(f.GetType().String()))
			for _, l := range f.GetMetric()[0].GetLabel() {
				fmt.Fprintf(&b, " %s", l.GetName())
			}
			fmt.Fprintf(&b, ": %s\n", f.GetHelp())
		}
	}
	const golden = "testdata/metrics.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wanted, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(wanted) {
		t.Errorf("got\n%s\nwant\n%s\n(go test -update writes it)", &b, wanted)
	}
}

func TestEveryMethodMovesItsMetric(t *testing.T) {
	m := httpapi.NewMetrics("both")
	exercise(m)
	want(t, gather(t, m), map[string]float64{
		`bayestream_folded_entries_total{outcome="accepted"}`:          1,
		`bayestream_rebuilds_total`:                                    1,
		`bayestream_dead_letters_total{reason="no_text"}`:              1,
		`bayestream_skipped_records_total{reason="no_label"}`:          2,
		`bayestream_lag_records{partition="3"}`:                        40,
		`bayestream_learned_records_total`:                             7,
		`bayestream_decisions_total{status="ok"}`:                      1,
		`bayestream_decision_latency_seconds`:                          1,
		`bayestream_abstained_blocks_total{block="numbers[0]"}`:        1,
		`bayestream_prequential_scored_total`:                          1,
		`bayestream_prequential_correct_total`:                         1,
		`bayestream_prequential_log_loss_nats_total`:                   .5,
		`bayestream_checkpoint_rows_total`:                             11,
		`bayestream_checkpoint_duration_seconds`:                       1,
		`bayestream_assigned_partitions`:                               1,
		`bayestream_group_generations_total`:                           1,
		`bayestream_fetched_records_total`:                             9,
		`bayestream_fetched_bytes_total`:                               900,
		`bayestream_prequential_window_records`:                        1,
		`bayestream_prequential_window_accuracy_ratio`:                 1,
		`bayestream_prequential_window_log_loss_nats`:                  .5,
		`bayestream_folded_entries_total{outcome="stale"}`:             0,
		`bayestream_dead_letters_total{reason="cannot_unlearn"}`:       0,
		`bayestream_skipped_records_total{reason="too_many_classes"}`:  0,
		`bayestream_decisions_total{status="unsure"}`:                  0,
		`bayestream_folded_entries_total{outcome="` + "invalid" + `"}`: 0,
	})
}

// A series that appears with its first increase hides that increase from rate().
func TestKnownSeriesAreThereAtZero(t *testing.T) {
	ingest, classify := gather(t, httpapi.NewMetrics(httpapi.Ingest)), gather(t, httpapi.NewMetrics(httpapi.Classify))
	zero := map[string]float64{}
	for _, o := range fold.Outcomes {
		zero[fmt.Sprintf("bayestream_folded_entries_total{outcome=%q}", o)] = 0
	}
	for _, r := range wire.Reasons() {
		zero[fmt.Sprintf("bayestream_dead_letters_total{reason=%q}", r)] = 0
	}
	want(t, ingest, zero)
	want(t, classify, zero)
	for _, r := range wire.Reasons() {
		want(t, ingest, map[string]float64{fmt.Sprintf("bayestream_skipped_records_total{reason=%q}", r): 0})
	}
	for _, s := range []string{"ok", "unsure", "cold", "empty"} {
		want(t, classify, map[string]float64{fmt.Sprintf("bayestream_decisions_total{status=%q}", s): 0})
	}
}

func TestRolesHaveTheirOwnMetrics(t *testing.T) {
	for role, foreign := range map[string]string{httpapi.Ingest: "bayestream_decision", httpapi.Classify: "bayestream_prequential"} {
		m := httpapi.NewMetrics(role)
		exercise(m) // the other role's methods do nothing, and do not fail
		for name := range gather(t, m) {
			if strings.HasPrefix(name, foreign) {
				t.Errorf("%s has %s", role, name)
			}
		}
	}
}

func TestUnknownLabelsDoNotGrow(t *testing.T) {
	m := httpapi.NewMetrics("both")
	before := len(gather(t, m))
	for i := range 100 {
		odd := fmt.Sprint("odd", i)
		m.DeadLetter(odd)
		m.Skipped(odd, 1)
		m.Decided(odd, "", 0, 0)
		m.Folded(fold.Outcome(odd))
	}
	got := gather(t, m)
	if len(got) != before+4 {
		t.Errorf("got %d series after 400 unknown labels, want %d", len(got), before+4)
	}
	want(t, got, map[string]float64{
		`bayestream_dead_letters_total{reason="unexpected"}`:    100,
		`bayestream_skipped_records_total{reason="unexpected"}`: 100,
		`bayestream_decisions_total{status="unexpected"}`:       100,
		`bayestream_folded_entries_total{outcome="unexpected"}`: 100,
	})
}

func TestNegativeLatencyIsCountedButNotObserved(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Classify)
	m.Decided("ok", "", 0, -time.Second)
	m.Decided("ok", "", 0, 0)
	want(t, gather(t, m), map[string]float64{`bayestream_decisions_total{status="ok"}`: 2, `bayestream_decision_latency_seconds`: 1})
}

func TestLatencyBuckets(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Classify)
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "bayestream_decision_latency_seconds" {
			continue
		}
		var bounds []float64
		for _, b := range f.GetMetric()[0].GetHistogram().GetBucket() {
			bounds = append(bounds, b.GetUpperBound())
		}
		if bounds[0] != .001 || bounds[len(bounds)-1] != 60 || !slices.IsSorted(bounds) {
			t.Errorf("bounds are %v, want them to ascend from 1 ms to 60 s", bounds)
		}
		return
	}
	t.Fatal("there is no histogram of latency")
}

func TestLagGoesWithItsPartition(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	m.Lag(0, 5)
	m.Lag(1, -1) // the end moved back: a topic that was created again
	want(t, gather(t, m), map[string]float64{`bayestream_lag_records{partition="0"}`: 5, `bayestream_lag_records{partition="1"}`: 0})
	m.ForgetLag(0)
	m.ForgetLag(7)
	got := gather(t, m)
	if _, ok := got[`bayestream_lag_records{partition="0"}`]; ok {
		t.Error("the lag of a partition that is gone is still there")
	}
}

func TestAssignedCountsGenerations(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	m.Assigned([]int{0, 1})
	m.Assigned(nil) // the end of the generation
	m.Assigned([]int{})
	want(t, gather(t, m), map[string]float64{`bayestream_assigned_partitions`: 0, `bayestream_group_generations_total`: 2})
	m.Assigned([]int{4, 5, 6})
	want(t, gather(t, m), map[string]float64{`bayestream_assigned_partitions`: 3, `bayestream_group_generations_total`: 3})
}

func TestCheckpointAgeGrows(t *testing.T) {
	age := func(m *httpapi.Metrics) float64 { return gather(t, m)["bayestream_checkpoint_age_seconds"] }
	m := httpapi.NewMetrics(httpapi.Ingest)
	if got := age(m); got < 0 || got > 60 {
		t.Errorf("age is %v s before the first checkpoint, want the time since the start", got)
	}
	m.Checkpoint(1, time.Millisecond, time.Now().Add(-time.Hour))
	if got := age(m); got < 3600 || got > 3660 {
		t.Errorf("age is %v s an hour after the checkpoint, want 3600", got)
	}
	m.Checkpoint(1, time.Millisecond, time.Now().Add(time.Hour))
	if got := age(m); got != 0 {
		t.Errorf("age is %v s of a checkpoint in the future, want 0", got)
	}
}

func TestPrequentialWindow(t *testing.T) {
	const accuracy, loss, records = "bayestream_prequential_window_accuracy_ratio", "bayestream_prequential_window_log_loss_nats", "bayestream_prequential_window_records"
	const calibration = "bayestream_prequential_window_calibration_error_ratio"
	m := httpapi.NewMetrics(httpapi.Ingest)
	if got := gather(t, m); !math.IsNaN(got[accuracy]) || !math.IsNaN(got[loss]) || !math.IsNaN(got[calibration]) || got[records] != 0 {
		t.Errorf("empty window: got %v, %v over %v, want NaN, NaN over 0", got[accuracy], got[loss], got[records])
	}
	for range 1000 {
		m.Prequential("spam", "ham", .75, 2)
	}
	for range 250 {
		m.Prequential("spam", "spam", 1, 0)
	}
	want(t, gather(t, m), map[string]float64{
		records: 1000, accuracy: .25, loss: 1.5, calibration: .75 * .75,
		"bayestream_prequential_scored_total": 1250, "bayestream_prequential_correct_total": 250, "bayestream_prequential_log_loss_nats_total": 2000,
	})
}

// Of each bin of posteriors it is the distance between how sure the model was and how often it was right, too sure or not.
func TestCalibrationErrorByBin(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	for range 10 {
		m.Prequential("spam", "ham", 1, 1)   // too sure by 1
		m.Prequential("spam", "spam", .5, 1) // not sure enough by 0.5
		m.Prequential("spam", "spam", 0, 1)  // in the first bin
		m.Prequential("spam", "ham", 0, 1)
	}
	want(t, gather(t, m), map[string]float64{"bayestream_prequential_window_calibration_error_ratio": (1 + .5 + 1) / 4})
}

func TestLogLossIsClipped(t *testing.T) {
	for _, loss := range []float64{math.Inf(1), math.NaN(), 1000} {
		m := httpapi.NewMetrics(httpapi.Ingest)
		m.Prequential("spam", "ham", .9, loss)
		if got := gather(t, m)["bayestream_prequential_log_loss_nats_total"]; got != -math.Log(1e-15) {
			t.Errorf("log loss %v counts as %v, want -ln 1e-15", loss, got)
		}
	}
	m := httpapi.NewMetrics(httpapi.Ingest)
	m.Prequential("spam", "spam", .9, -1e-17) // a counter would panic
	want(t, gather(t, m), map[string]float64{"bayestream_prequential_log_loss_nats_total": 0})
}

func TestMetricsFromManyGoroutines(t *testing.T) {
	m := httpapi.NewMetrics("both")
	l := learn(t, true, "")
	m.ObserveState(l.read)
	var g sync.WaitGroup
	for range 8 {
		g.Go(func() {
			for range 50 {
				exercise(m)
				m.ForgetLag(3)
			}
		})
	}
	for range 20 {
		gather(t, m)
	}
	g.Wait()
	want(t, gather(t, m), map[string]float64{"bayestream_learned_records_total": 8 * 50 * 7, `bayestream_decisions_total{status="ok"}`: 400})
}

// These two are called for every document and every training record.
func TestCountingARecordAllocatesNothing(t *testing.T) {
	m := httpapi.NewMetrics("both")
	if n := testing.AllocsPerRun(1000, func() {
		m.Decided("ok", "spam", .9, time.Millisecond)
		m.Prequential("spam", "spam", .9, .1)
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func BenchmarkDecided(b *testing.B) {
	m := httpapi.NewMetrics(httpapi.Classify)
	for b.Loop() {
		m.Decided("ok", "spam", .9, 3*time.Millisecond)
	}
}
