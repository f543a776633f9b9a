package e2e

import (
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/testing/kafkatest"
)

// expired waits until all records are counted, and every document that has left the window is taken
// out or known to be gone.
func (p *pipeline) expired(r *running) *fold.State {
	p.t.Helper()
	state := p.counted(r)
	r.eventually("done with what has left the window", func() (bool, string) {
		s, err := r.state()
		if err != nil {
			return false, err.Error()
		}
		state = s
		w := s.Window()
		return int64(w.Owed) == w.Gone, fmt.Sprintf("%d documents are owed, and %d of them gone", w.Owed, w.Gone)
	})
	return state
}

// windowSays waits until /readyz says so of the window.
func (r *running) windowSays(words ...string) {
	r.t.Helper()
	r.eventually("right about the window", func() (bool, string) {
		_, body := r.get("/readyz")
		for _, w := range words {
			if !strings.Contains(string(body), w) {
				return false, fmt.Sprintf("/readyz says %s, want %q", body, w)
			}
		}
		return true, ""
	})
}

// TestWindow counts two partitions with a window, in ingest and in classify, over a restart: the
// counts are those of the newest documents of each. Then texts are deleted before they leave: what
// cannot be taken out stays counted, and both workers withdraw that they are exact.
func TestWindow(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	spec := p.spec("limits: {window: {records: 2}}")
	ingest := p.startIngest(spec)
	text := func(label, text string) string { return fmt.Sprintf(`{"label":%q,"text":%q}`, label, text) }
	p.learn(0, text("ham", "one"), text("spam", "two"), `{"id":"x","label":"ham","text":"three"}`, `{"id":"x","label":"spam"}`, text("ham", "four"))
	p.learn(1, text("spam", "far"))
	kept := []counted{{label: "spam", weight: 1, text: "three"}, {label: "ham", weight: 1, text: "four"}, {label: "spam", weight: 1, text: "far"}}
	same(t, "ingest", p.expired(ingest), dumpOf(t, kept))
	ingest.windowSays("{records: 2}, exact")
	ingest.stop()

	p.learn(0, text("spam", "five"))
	ingest = p.startIngest(spec)
	kept[0] = counted{label: "spam", weight: 1, text: "five"}
	same(t, "ingest, started again,", p.expired(ingest), dumpOf(t, kept))
	ingest.wantMetric("bayestream_window_exact", 1)
	ingest.wantMetric("bayestream_window_owed_documents", 0)

	ingest.stop()
	kafkatest.DeleteRecords(t, p.training, 0, 5) // four is gone
	ingest = p.startIngest(spec)
	p.learn(0, text("ham", "six"))
	kept = append(kept, counted{label: "ham", weight: 1, text: "six"})
	same(t, "ingest, without a text,", p.expired(ingest), dumpOf(t, kept))
	ingest.windowSays("not exact", "their texts are gone: 1")
	ingest.wantMetric("bayestream_window_exact", 0)
	ingest.wantMetric("bayestream_window_gone_documents", 1)
	classify := p.startClassify()
	same(t, "classify", classify.folded(ingest.must().Next()), dumpOf(t, kept))
	classify.windowSays("not exact", "their texts are gone: 1")
}

// TestWindowBeyondRetention: an age that the training topic does not keep is refused, before the
// spec is in the log, so that another window may be given instead. A window is refused for a model
// that has learned without one.
func TestWindowBeyondRetention(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	p.training = kafkatest.Topic(t, 1, map[string]string{"retention.ms": "86400000"})
	p.runIngest(p.spec("limits: {window: {age: 30d}}")).failure(p.training, "keeps records for 1d", "retention.ms=86400000", "limits.window is {age: 30d}")
	p.startIngest(p.spec("limits: {window: {records: 5}}")).stop()

	p = newPipeline(t, 1)
	ingest := p.startIngest()
	p.learn(0, `{"text":"one","label":"ham"}`)
	p.counted(ingest)
	ingest.stop()
	p.runIngest(p.spec("limits: {window: {records: 5}}")).failure("limits.window is {records: 5}", "it needs a new model")
}
