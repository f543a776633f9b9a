package httpapi_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/testing/modeltest"

	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden files again")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gather returns all values of our metrics, as name{label="value",...}; a histogram is its count.
func gather(t testing.TB, m *httpapi.Metrics) map[string]float64 {
	t.Helper()
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatalf("gather: %v", err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, series := range f.GetMetric() {
			values[f.GetName()+labels(series)] = value(series)
		}
	}
	return values
}

func labels(m *dto.Metric) string {
	var pairs []string
	for _, l := range m.GetLabel() {
		pairs = append(pairs, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	if pairs == nil {
		return ""
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

func value(m *dto.Metric) float64 {
	switch {
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	}
	return float64(m.Histogram.GetSampleCount())
}

// want compares some values.
func want(t testing.TB, got map[string]float64, want map[string]float64) {
	t.Helper()
	for name, v := range want {
		if g, ok := got[name]; !ok || g != v {
			t.Errorf("%s is %v (present: %v), want %v", name, g, ok, v)
		}
	}
}

// learner folds deltas as ingest would make them.
type learner struct {
	t     testing.TB
	state *fold.State
	spec  *spec.Spec
	ends  map[fold.Source]int64
}

// learn starts a log with a spec.
func learn(t testing.TB, ledger bool, text string) *learner {
	t.Helper()
	s := modeltest.Spec(t, text)
	l := &learner{t: t, state: fold.New(ledger), spec: s, ends: map[fold.Source]int64{}}
	l.fold(fold.Entry{Spec: s})
	return l
}

func (l *learner) fold(e fold.Entry) {
	l.t.Helper()
	e.Offset = l.state.Next()
	if outcome, err := l.state.Fold(e); err != nil || outcome != fold.Accepted && outcome != fold.Respecified {
		l.t.Fatalf("fold: got %q, %v", outcome, err)
	}
	l.state.Settle()
}

// documents counts n documents of a text under a label, from a partition.
func (l *learner) documents(src fold.Source, label string, n int64, text string) {
	l.t.Helper()
	x, err := model.NewExtractor(l.spec)
	if err != nil {
		l.t.Fatal(err)
	}
	var f model.Features
	in := model.Input{Segments: []model.Segment{{Text: []byte(text)}}}
	for range l.spec.Categories {
		in.Categories = append(in.Categories, model.Category{Value: []byte(text), Present: true})
	}
	x.Extract(&f, &in)
	b := model.NewBuilder(l.spec)
	b.Observe(label, n, &f)
	start := l.ends[src]
	l.ends[src] = start + n
	put := &fold.Learned{Label: label, By: "llm", Weight: n, Topic: src.Topic, Partition: src.Partition, Offset: start}
	l.fold(fold.Entry{Delta: &fold.Delta{
		Ranges:   []fold.Range{{Source: src, Start: start, End: start + n, Ledger: []fold.LedgerChange{{Offset: start, ID: fmt.Sprint(src, start), Put: put}}}},
		Counting: l.spec.Counting(),
		Counts:   b.Delta(),
	}})
}

// read hands out the state as a replica does.
func (l *learner) read(f func(*fold.State)) { f(l.state) }
