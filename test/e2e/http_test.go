package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// checks returns what /readyz says is wrong, by the name of the check.
func (r *running) checks() (status int, wrong map[string]string) {
	r.t.Helper()
	status, body := r.get("/readyz")
	var answer struct {
		Ready  bool
		Checks []struct {
			Name, Detail string
			OK           bool
		}
	}
	if status == 0 {
		return 0, map[string]string{"HTTP": string(body)}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		r.t.Fatalf("/readyz answers %d: %s", status, body)
	}
	if answer.Ready != (status == http.StatusOK) {
		r.t.Errorf("/readyz answers %d and says ready: %v", status, answer.Ready)
	}
	wrong = map[string]string{}
	for _, c := range answer.Checks {
		if !c.OK {
			wrong[c.Name] = c.Detail
		}
	}
	return status, wrong
}

// TestNotReadyBeforeSpec: classify without a spec in the log waits, says so, and starts when the
// spec comes.
func TestNotReadyBeforeSpec(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	classify := p.runClassify()
	classify.eventually("up", func() (bool, string) {
		status, body := classify.get("/livez")
		return status == http.StatusOK, string(body)
	})
	p.produce(p.documents, 0, document("a", "early"))
	classify.eventually("waiting for the spec alone", func() (bool, string) {
		status, wrong := classify.checks()
		return status == http.StatusServiceUnavailable && len(wrong) == 1 && strings.Contains(wrong["start"], "spec"), "/readyz finds wrong: " + strings.Join(keys(wrong), ", ")
	})
	if status, body := classify.send(http.MethodPost, "/v1/classify", []byte(`{"text":"x"}`)); status != http.StatusServiceUnavailable || !strings.Contains(string(body), "not_ready") {
		t.Errorf("/v1/classify answers %d: %s", status, body)
	}
	p.startIngest()
	classify.ready()
	rec := p.decided(1)[0][0]
	d, err := wire.ParseDecision(rec.Value)
	if err != nil || d.Decision.Labelled || d.Decision.Status != "empty" {
		t.Errorf("the decision of a model without classes is %s, %v", rec.Value, err)
	}
}

func keys(m map[string]string) (names []string) {
	for k, v := range m {
		names = append(names, k+" ("+v+")")
	}
	return names
}

// TestNotReadyWithoutBroker takes the cluster away: both workers say that it does not answer, and
// end in time when they are told to.
func TestNotReadyWithoutBroker(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t)
	p := newPipelineAt(t, cluster.ListenAddrs(), "away")
	p.createTopic(p.training, 1, nil)
	p.createTopic(p.documents, 1, nil)
	ingest, classify := p.startIngest("--drain=100ms"), p.startClassify("--drain=100ms")
	p.teach()
	p.counted(ingest)
	p.produce(p.documents, 0, document("a", "prize"))
	p.decided(1)
	cluster.Close()
	for _, r := range []*running{ingest, classify} {
		r.eventually("not ready", func() (bool, string) {
			status, wrong := r.checks()
			return status == http.StatusServiceUnavailable && wrong["broker"] != "" && wrong["fold"] != "", "/readyz still finds the broker"
		})
		if status, _ := r.get("/livez"); status != http.StatusOK {
			t.Errorf("%s: /livez answers %d: it is alive, and restarting it brings no broker back", r.name, status)
		}
	}
	for _, r := range []*running{ingest, classify} {
		if took := r.stop(); took > 14*time.Second { // it waits 5 s for its coordinator; without the flag 10 s more
			t.Errorf("%s took %v to stop without a broker, with --drain=100ms", r.name, took)
		}
	}
}

// TestClassifyOverHTTP: a body is a document record; what is wrong with it is a 400 with the reason
// that a dead letter would have.
func TestClassifyOverHTTP(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest(p.spec(rejectSpec))
	p.learn(0, `{"text":"win a prize","label":"spam"}`, `{"text":"lunch on friday","label":"ham"}`)
	next := p.counted(ingest).Next()
	classify := p.startClassify()
	classify.folded(next)
	for _, c := range badRecords() {
		if c.record.Value == nil {
			continue
		}
		status, body := classify.send(http.MethodPost, "/v1/classify", c.record.Value)
		if c.labels == "" || bytes.HasPrefix(c.record.Value, []byte("[")) { // an array is several documents
			if status != http.StatusOK {
				t.Errorf("%s: %d: %s", c.name, status, body)
			}
			continue
		}
		var answer struct {
			Error struct{ Reason, Message string }
		}
		if err := json.Unmarshal(body, &answer); err != nil || status != http.StatusBadRequest || answer.Error.Reason != string(c.labels) ||
			!strings.HasPrefix(answer.Error.Message, c.labels.Summary()) {
			t.Errorf("%s: %d: %s, want 400 with the reason %s", c.name, status, body, c.labels)
		}
	}
	status, body := classify.send(http.MethodPost, "/v1/classify", []byte(`{"id":"mine","text":"prize"}`))
	d, err := wire.ParseDecision(body)
	if status != http.StatusOK || err != nil {
		t.Fatalf("%d: %s, %v", status, body, err)
	}
	if d.ID != "mine" || d.Decision.Label != "spam" || d.Source != (wire.Source{}) || d.Decision.ModelInfo.Offset != next-1 {
		t.Errorf("the decision is %s", body)
	}
	adds(t, d)
	if status, body := classify.send(http.MethodPost, "/v1/classify", make([]byte, 2<<20)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of 2 MiB: %d: %s", status, body)
	}
	if status, body := ingest.send(http.MethodPost, "/v1/classify", []byte(`{"text":"x"}`)); status != http.StatusNotFound || !strings.Contains(string(body), "not_offered") {
		t.Errorf("ingest answers %d: %s", status, body)
	}
	if status, _ := classify.get("/v1/classify"); status != http.StatusMethodNotAllowed {
		t.Errorf("GET /v1/classify answers %d", status)
	}
}

// TestBadDocuments puts one bad document of each kind between good ones.
func TestBadDocuments(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	p.startIngest(p.spec(rejectSpec))
	classify := p.startClassify()
	want := map[string]wire.Reason{}
	documents := 0
	for i, c := range badRecords() {
		part := i % 2
		p.produce(p.documents, part, document("before", "good"))
		offset := p.produce(p.documents, part, c.record)
		p.produce(p.documents, part, document("after", "good"))
		documents += 3
		if c.labels != "" {
			want[p.place(p.documents, part, offset)] = c.labels
		}
	}
	if n := p.inOrder(p.decided(documents-len(want)), want); n != 0 {
		t.Errorf("%d answers came twice", n)
	}
	p.deadLetters(want)
	for reason, n := range tally(want) {
		classify.wantMetric(`bayestream_dead_letters_total{reason="`+string(reason)+`"}`, float64(n))
	}
}

// TestMetrics looks at the numbers of a small run.
func TestMetrics(t *testing.T) {
	t.Parallel()
	p, ingest, classify := taught(t, 2)
	p.learn(1, `{"id":"a","text":"prize","label":"spam","weight":5}`, `{"id":"nobody","label":null}`, `not json`)
	state := p.counted(ingest)
	classify.folded(state.Next())
	p.produce(p.documents, 1, document("a", "prize"), document("b", "?"))
	p.decided(2)
	for _, c := range []struct {
		worker *running
		series string
		want   float64
	}{
		{ingest, "bayestream_learned_records_total", 61},
		{ingest, `bayestream_skipped_records_total{reason="not_json"}`, 1},
		{ingest, `bayestream_dead_letters_total{reason="not_json"}`, 1},
		{ingest, `bayestream_class_documents{class="spam"}`, 35},
		{ingest, `bayestream_class_documents{class="ham"}`, 30},
		{classify, `bayestream_class_documents{class="spam"}`, 35},
		{ingest, "bayestream_ledger_documents", 1},
		{ingest, "bayestream_assigned_partitions", 2},
		{classify, "bayestream_assigned_partitions", 2},
		{ingest, `bayestream_folded_entries_total{outcome="stale"}`, 0},
		{ingest, `bayestream_folded_entries_total{outcome="accepted"}`, float64(state.Next() - 1)},
		{classify, `bayestream_vocabulary_terms{table="text"}`, float64(state.Model().Text().Vocabulary())},
		{classify, "bayestream_log_next_offset", float64(state.Next())},
		{classify, `bayestream_lag_records{partition="1"}`, 0},
		{classify, `bayestream_decisions_total{status="ok"}`, 1},
		{classify, `bayestream_decisions_total{status="empty"}`, 1},
		{classify, "bayestream_decision_latency_seconds_count", 2},
		{classify, "bayestream_fetched_records_total", 2},
	} {
		c.worker.wantMetric(c.series, c.want)
	}
}
