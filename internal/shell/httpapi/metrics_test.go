package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/filetest"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// exercise calls every method once.
func exercise(m *httpapi.Metrics) {
	m.Folded(fold.Accepted)
	m.Rebuilt()
	m.DeadLetter(string(wire.NoText))
	m.Skipped(string(wire.NoLabel), 2)
	m.Guessed("charset")
	m.Lag(3, 40)
	m.Learned(7)
	m.Decided("ok", "spam", .75, 20*time.Millisecond)
	m.NewClass(true)
	m.Abstained("numbers[0]")
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
		m.ObserveMemory(budget.New(16 << 20))
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

// Names and labels are what dashboards and alerts are written for: a change must be meant.
func TestNamesOfMetrics(t *testing.T) {
	var b strings.Builder
	for _, role := range []string{httpapi.Ingest, httpapi.Classify} {
		m := httpapi.NewMetrics(role)
		l := learn(t, role == httpapi.Ingest, "{scoring: {}, limits: {window: {records: 5}}}")
		l.documents(fold.Source{Topic: "training"}, "spam", 1, "prize")
		l.decided(10, 1, "prize")
		m.ObserveState(l.read)
		m.ObserveMemory(budget.New(16 << 20))
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
	filetest.Golden(t, "testdata/metrics.txt", b.String(), *update)
}

func TestEveryMethodMovesItsMetric(t *testing.T) {
	m := httpapi.NewMetrics("both")
	exercise(m)
	want(t, gather(t, m), map[string]float64{
		`bayestream_folded_entries_total{outcome="accepted"}`:          1,
		`bayestream_rebuilds_total`:                                    1,
		`bayestream_dead_letters_total{reason="no_text"}`:              1,
		`bayestream_skipped_records_total{reason="no_label"}`:          2,
		`bayestream_guessed_mails_total{what="charset"}`:               1,
		`bayestream_guessed_mails_total{what="boundary"}`:              0,
		`bayestream_lag_records{partition="3"}`:                        40,
		`bayestream_learned_records_total`:                             7,
		`bayestream_decisions_total{status="ok"}`:                      1,
		`bayestream_decision_latency_seconds`:                          1,
		`bayestream_abstained_blocks_total{block="numbers[0]"}`:        1,
		`bayestream_checkpoint_rows_total`:                             11,
		`bayestream_checkpoint_duration_seconds`:                       1,
		`bayestream_assigned_partitions`:                               1,
		`bayestream_group_generations_total`:                           1,
		`bayestream_fetched_records_total`:                             9,
		`bayestream_fetched_bytes_total`:                               900,
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
	for role, foreign := range map[string]string{httpapi.Ingest: "bayestream_decision", httpapi.Classify: "bayestream_learned"} {
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
	m.Assigned(nil)
	if _, ok := gather(t, m)[`bayestream_lag_records{partition="0"}`]; ok {
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
				m.Assigned(nil)
			}
		})
	}
	for range 20 {
		gather(t, m)
	}
	g.Wait()
	want(t, gather(t, m), map[string]float64{"bayestream_learned_records_total": 8 * 50 * 7, `bayestream_decisions_total{status="ok"}`: 400})
}

// It is called for every document.
func TestCountingARecordAllocatesNothing(t *testing.T) {
	m := httpapi.NewMetrics("both")
	if n := testing.AllocsPerRun(1000, func() {
		m.Decided("ok", "spam", .9, time.Millisecond)
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
