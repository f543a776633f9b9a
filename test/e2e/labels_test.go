package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// labels sends a correction, waits for what becomes of it, and returns the answer.
func (r *running) labels(body string) (status int, done httpapi.Corrected, reason string) {
	r.t.Helper()
	status, answer := r.send(http.MethodPost, "/v1/labels?wait=20s", []byte(body))
	var failure struct{ Error struct{ Reason string } }
	if json.Unmarshal(answer, &done) != nil || json.Unmarshal(answer, &failure) != nil {
		r.t.Fatalf("%s is answered with %d %s", body, status, answer)
	}
	return status, done, failure.Error.Reason
}

// TestLabels corrects and forgets documents over HTTP: by id, wherever they stand, and by the place
// of their record. In the end the counts are those of the labels that were sent last.
func TestLabels(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 3)
	ingest := p.startIngest("--ref-topics=" + p.documents)
	p.learn(0, `{"id":"a","text":"first text","label":"spam"}`, `{"text":"without an id","label":"ham"}`)
	p.learn(1, `{"id":"b","text":"second text","label":"spam"}`, `{"id":"twice","text":"on one","label":"spam"}`)
	p.learn(2, `{"id":"twice","text":"on two","label":"spam"}`)
	p.produce(p.documents, 0, stream.Record{Value: []byte(`{"text":"a document"}`)}, stream.Record{Value: []byte(`{"id":"d","text":"another document"}`)})
	p.counted(ingest)
	want := func(place, outcome string) string { return place + " " + outcome }
	for _, c := range []struct{ body, want string }{
		{`{"id":"a","label":"ham"}`, want("a 0/2", "counted")},
		{`{"id":"b","label":null}`, want("b 1/2", "counted")},
		{`{"id":"b","label":"ham"}`, "404 unknown_id"},
		{`{"id":"nobody","label":null}`, "404 unknown_id"},
		{`{"id":"twice","label":"ham"}`, "409 ambiguous_id"},
		{fmt.Sprintf(`{"id":"%s/2/0","label":"ham"}`, p.training), want("twice 2/1", "counted")},
		{fmt.Sprintf(`{"id":"twice","source":"%s/1/1","label":null}`, p.training), want("twice 1/3", "counted")},
		{fmt.Sprintf(`{"source":"%s/0/1","label":"spam"}`, p.training), "409 no_id"},
		{fmt.Sprintf(`{"source":"%s/0/99","label":"spam"}`, p.training), "404 ref_gone"},
		{fmt.Sprintf(`{"source":"%s/0/99","label":"spam"}`, p.documents), "404 ref_gone"},
		{`{"source":"elsewhere/0/0","label":"spam"}`, "400 ref_denied"},
		{`{"id":"a","label":""}`, "400 bad_label"},
	} {
		status, done, reason := ingest.labels(c.body)
		got := fmt.Sprintf("%d %s", status, reason)
		if status == http.StatusOK {
			got = fmt.Sprintf("%s %d/%d %s", done.ID, done.Partition, done.Offset, done.Outcome)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
	}
	// A document that was not learned: by its place, which is its id, and by an id of its own. Then
	// again.
	for _, body := range []string{
		fmt.Sprintf(`{"id":"%s/0/0","label":"spam"}`, p.documents),
		fmt.Sprintf(`{"source":{"topic":%q,"partition":0,"offset":1},"label":"spam"}`, p.documents),
		fmt.Sprintf(`{"id":"%s/0/0","label":"ham"}`, p.documents),
		`{"id":"d","label":"news"}`,
	} {
		if status, done, reason := ingest.labels(body); status != http.StatusOK || done.Outcome != httpapi.OutcomeCounted {
			t.Errorf("%s: %d %s %+v", body, status, reason, done)
		}
	}
	same(t, "ingest", p.counted(ingest), dumpOf(t, []counted{
		{label: "ham", weight: 1, text: "first text"}, {label: "ham", weight: 1, text: "without an id"}, {label: "ham", weight: 1, text: "on two"},
		{label: "ham", weight: 1, text: "a document"}, {label: "news", weight: 1, text: "another document"},
	}))
	p.noDeadLetters()
}

// TestCorrectedOnTheTopic: a record with an id and a label alone is about a document that was labelled
// and not learned. It is learned in the order in which people spoke, also with what they said of it
// since. An ingest that counts the topic without the labels says the same.
func TestCorrectedOnTheTopic(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	ingest := p.startIngest("--ref-topics="+p.documents, "--labels-topic="+p.labels)
	p.learn(0, `{"id":"a","text":"first text","label":"spam"}`, `{"id":"b","text":"second text","label":"ham"}`)
	p.counted(ingest)
	p.startClassify()
	p.produce(p.documents, 0, documentsOf("n1", "n2", "n3", "n4")...)
	p.decided(4)
	p.learn(0, `{"id":"n1","label":"ham"}`, `{"id":"n1","label":"spam"}`, `{"id":"n2","label":"ham"}`, `{"id":"n2","label":null}`)
	p.learn(1, `{"id":"n3","label":"spam","weight":3}`, `{"id":"nobody","label":"spam"}`, `{"id":"n4","label":"ham"}`,
		`{"id":"n4","label":"ham","text":"another text"}`)
	p.counted(ingest) // and each is written again
	want := dumpOf(t, []counted{
		{label: "spam", weight: 1, text: "first text"}, {label: "ham", weight: 1, text: "second text"},
		{label: "spam", weight: 1, text: "the text of n1"}, {label: "spam", weight: 3, text: "the text of n3"},
		{label: "ham", weight: 1, text: "another text"},
	})
	same(t, "ingest", p.counted(ingest), want)
	p.deadLetters(map[string]wire.Reason{p.place(p.training, 1, 1): wire.UnknownID})
	ingest.stop()
	p.model += "-again"
	again := p.startIngest("--ref-topics="+p.documents, "--labels-topic=", "--state="+filepath.Join(p.dir, "again.db"), "--group="+p.training+"-again",
		"--dead-letter-topic="+p.dead+"-again")
	same(t, "an ingest without the labels", p.counted(again), want)
}

// documentsOf returns documents with a text each.
func documentsOf(ids ...string) (records []stream.Record) {
	for _, id := range ids {
		records = append(records, stream.Record{Value: fmt.Appendf(nil, `{"id":%q,"text":"the text of %s"}`, id, id)})
	}
	return records
}

// TestLabelsAreRefused: what cannot be counted is answered with the reason of its dead letter.
func TestLabelsAreRefused(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest(p.spec("limits: {classes: 2}"))
	p.learn(0, `{"id":"a","text":"one","label":"x"}`, `{"id":"b","text":"two","label":"y"}`)
	p.counted(ingest)
	status, done, _ := ingest.labels(`{"id":"a","label":"z"}`)
	if status != http.StatusOK || done.Outcome != httpapi.OutcomeSkipped || done.Reason != string(wire.TooManyClasses) {
		t.Errorf("got %d %+v", status, done)
	}
	p.deadLetters(map[string]wire.Reason{p.place(p.training, 0, done.Offset): wire.TooManyClasses})
}

// TestLabelsOfMail corrects documents in a format whose records have no fields.
func TestLabelsOfMail(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest(p.spec("format: text\n"))
	p.produce(p.training, 0, stream.Record{Key: []byte("a"), Value: []byte("first text"), Headers: []stream.Header{{Key: "label", Value: []byte("spam")}}},
		stream.Record{Key: []byte("b"), Value: []byte("second text"), Headers: []stream.Header{{Key: "label", Value: []byte("spam")}}})
	p.counted(ingest)
	for _, body := range []string{`{"id":"a","label":"ham"}`, `{"id":"b","label":null}`} {
		if status, done, reason := ingest.labels(body); status != http.StatusOK || done.Outcome != httpapi.OutcomeCounted {
			t.Errorf("%s: %d %s %+v", body, status, reason, done)
		}
	}
	same(t, "ingest", p.counted(ingest), dumpOf(t, []counted{{label: "ham", weight: 1, text: "first text"}}))
}

// TestDecisionsOnClassify: what classify says of a recent decision is what stands in the labels
// topic. It takes no labels, and says who does.
func TestDecisionsOnClassify(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	ingest := p.startIngest("--ref-topics=" + p.documents)
	p.learn(0, `{"id":"a","text":"first text","label":"spam"}`, `{"text":"without an id","label":"ham"}`)
	next := p.counted(ingest).Next()
	classify := p.startClassify("--emit=headers")
	classify.folded(next)
	p.produce(p.documents, 1, document("d", "a document"), stream.Record{Value: []byte(`{"text":"another document"}`)}, document("e", "wrong from the start"))
	for part, records := range p.decided(3) {
		for _, rec := range records {
			source := header(rec, "bayestream-source")
			var answer []byte
			eventually(t, patience, "remembered", func() (bool, string) { // readers see it a moment earlier
				var status int
				status, answer = classify.send(http.MethodGet, "/v1/decisions/"+source, nil)
				return status == http.StatusOK, string(answer)
			})
			if d, err := wire.ParseDecision(answer); err != nil || d.Decision.Label != header(rec, "bayestream-label") || d.Source.Partition != part {
				t.Errorf("the decision on %s is %s", source, answer)
			}
		}
	}
	status, answer := classify.send(http.MethodPost, "/v1/labels", []byte(`{"id":"d","label":"spam"}`))
	if status != http.StatusNotFound || !strings.Contains(string(answer), "labels-over-http") {
		t.Errorf("a label is answered with %d %s", status, answer)
	}
}
