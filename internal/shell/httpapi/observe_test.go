package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

func TestStateIsShownAsItIs(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	l := learn(t, true, "{text: {stem: false}, categories: [{field: country}], limits: {terms: 4}}")
	m.ObserveState(l.read)
	first, second := fold.Source{Topic: "training"}, fold.Source{Topic: "training", Partition: 1}
	l.documents(first, "spam", 3, "win money")
	l.documents(second, "ham", 2, "lunch")
	want(t, gather(t, m), map[string]float64{
		`bayestream_class_documents{class="spam"}`:                          3,
		`bayestream_class_documents{class="ham"}`:                           2,
		`bayestream_classes`:                                                2,
		`bayestream_vocabulary_terms{table="text"}`:                         3,
		`bayestream_vocabulary_terms{table="categories[0]"}`:                2,
		`bayestream_vocabulary_frozen{table="text"}`:                        0,
		`bayestream_log_next_offset`:                                        3,
		`bayestream_source_watermark{partition="0",topic="training"}`:       3,
		`bayestream_source_watermark{partition="1",topic="training"}`:       2,
		`bayestream_source_skipped_records{partition="0",topic="training"}`: 0,
		`bayestream_ledger_documents`:                                       2,
	})
	l.documents(first, "ham", 1, "dinner tomorrow") // the next scrape sees it; the fifth term is one too many
	want(t, gather(t, m), map[string]float64{
		`bayestream_class_documents{class="ham"}`:    3,
		`bayestream_vocabulary_terms{table="text"}`:  4,
		`bayestream_vocabulary_frozen{table="text"}`: 1,
		`bayestream_log_next_offset`:                 4,
		`bayestream_ledger_documents`:                3,
	})
}

func TestStateBeforeTheFirstSpec(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Classify)
	s := fold.New(false)
	m.ObserveState(func(f func(*fold.State)) { f(s) })
	got := gather(t, m)
	want(t, got, map[string]float64{`bayestream_classes`: 0, `bayestream_log_next_offset`: 0})
	for name := range got {
		if strings.HasPrefix(name, "bayestream_vocabulary") || strings.HasPrefix(name, "bayestream_ledger") {
			t.Errorf("%s is there without a model or a ledger", name)
		}
	}
}

// A window is shown where there is one: what has left it and is still counted, and whether its
// counts are exact.
func TestWindowIsShown(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	l := learn(t, true, "limits: {window: {records: 1}, terms: 4}")
	m.ObserveState(l.read)
	src := fold.Source{Topic: "training"}
	l.documents(src, "spam", 3, "win money")
	want(t, gather(t, m), map[string]float64{"bayestream_window_exact": 1, "bayestream_window_owed_documents": 0, "bayestream_window_gone_documents": 0})
	l.documents(src, "ham", 1, "dinner")
	want(t, gather(t, m), map[string]float64{"bayestream_window_exact": 1, "bayestream_window_owed_documents": 1, "bayestream_owed_forgets": 0})
	l.documents(src, "ham", 1, "lunch tomorrow") // the fifth term is one too many
	want(t, gather(t, m), map[string]float64{"bayestream_window_exact": 0, "bayestream_window_owed_documents": 2})
}

// What became of the labels of a name is shown by the worker that has ledgers.
func TestTeachersAreShown(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	s := storetest.Learned(t, modeltest.Spec(t, ""), []storetest.Record{
		{ID: "a", Label: "ham", By: "llm", Weight: 1}, {ID: "b", Label: "ham", By: "llm", Weight: 1}, {ID: "a", Label: "spam", Weight: 1}, {ID: "b", Label: "ham", Weight: 1},
	})
	m.ObserveState(func(f func(*fold.State)) { f(s) })
	want(t, gather(t, m), map[string]float64{
		`bayestream_teacher_labels{by="llm"}`: 2, `bayestream_teacher_judged_labels{by="llm",verdict="agreed"}`: 1, `bayestream_teacher_judged_labels{by="llm",verdict="corrected"}`: 1,
	})
}

func classSeries(got map[string]float64) (n int, sum float64) {
	for name, v := range got {
		if strings.HasPrefix(name, "bayestream_class_documents{") {
			n, sum = n+1, sum+v
		}
	}
	return n, sum
}

// The largest 64 are named, ties by name; the rest are one series.
func TestClassLimit(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	l := learn(t, false, "")
	m.ObserveState(l.read)
	src := fold.Source{Topic: "training"}
	for i := range 64 {
		l.documents(src, fmt.Sprintf("c%03d", i), 2, "a")
	}
	if n, sum := classSeries(gather(t, m)); n != 64 || sum != 128 {
		t.Errorf("64 classes: got %d series of %v documents, want 64 of 128", n, sum)
	}
	l.documents(src, "big", 1000, "a")
	l.documents(src, "small", 1, "a")
	got := gather(t, m)
	if n, sum := classSeries(got); n != 65 || sum != 1129 {
		t.Errorf("66 classes: got %d series of %v documents, want 65 of 1129", n, sum)
	}
	want(t, got, map[string]float64{
		`bayestream_classes`:                        66,
		`bayestream_class_documents{class="big"}`:   1000,
		`bayestream_class_documents{class="c000"}`:  2,
		`bayestream_class_documents{class="c062"}`:  2,
		`bayestream_class_documents{class="other"}`: 3, // c063 and small
	})
	if _, ok := got[`bayestream_class_documents{class="c063"}`]; ok {
		t.Error("c063 is named, want it among the others: it is the last by name of the ties")
	}
}

// A class that is called other must not make a second series of that name, which fails the scrape.
func TestClassCalledOther(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	l := learn(t, false, "")
	m.ObserveState(l.read)
	src := fold.Source{Topic: "training"}
	l.documents(src, "other", 50, "a")
	want(t, gather(t, m), map[string]float64{`bayestream_class_documents{class="other"}`: 50})
	for i := range 70 {
		l.documents(src, fmt.Sprintf("c%03d", i), 3, "a")
	}
	got := gather(t, m)
	want(t, got, map[string]float64{`bayestream_class_documents{class="other"}`: 50 + 7*3})
	if n, sum := classSeries(got); n != 64 || sum != 260 {
		t.Errorf("got %d series of %v documents, want 64 of 260", n, sum)
	}
}

// Names come from records; what is not UTF-8 must not fail the scrape of everything else.
func TestClassNameThatIsNotText(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	l := learn(t, false, "")
	m.ObserveState(l.read)
	src := fold.Source{Topic: "train\xffing"}
	l.documents(src, "a\xff", 1, "a")
	l.documents(src, "a\xfe", 2, "a")
	want(t, gather(t, m), map[string]float64{
		"bayestream_class_documents{class=\"a\uFFFD\"}":                         3,
		"bayestream_source_watermark{partition=\"0\",topic=\"train\uFFFDing\"}": 3,
	})
}
