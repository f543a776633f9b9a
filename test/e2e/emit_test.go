package e2e

import (
	"fmt"
	"strconv"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// TestEmitModes labels the same documents in the other two ways: beside the value in headers, and
// as CloudEvents.
func TestEmitModes(t *testing.T) {
	t.Parallel()
	p, _, first := taught(t, 1)
	docs := []stream.Record{
		document("a", "win a prize now", stream.Header{Key: "content-type", Value: []byte("text/odd")}), document("b", "lunch with mother"), {Key: []byte("c")},
	}
	p.produce(p.documents, 0, docs...)
	events := p.decided(len(docs))[0]
	first.stop()
	for _, c := range []struct {
		mode  string
		check func(t *testing.T, got, doc stream.Record, d *wire.Decision)
	}{{"headers", asHeaders}, {"cloudevents", asCloudEvent}} {
		p.labels = p.training + "-" + c.mode
		classify := p.runClassify("--emit="+c.mode, "--group="+p.training+"-"+c.mode)
		classify.ready()
		got := p.decided(len(docs))[0]
		for i, doc := range docs {
			kept(t, got[i], stream.Record{Key: doc.Key})
			if source, want := header(got[i], "bayestream-source"), p.place(p.documents, 0, int64(i)); source != want {
				t.Errorf("%s: source %q, want %q", c.mode, source, want)
			}
			if doc.Value == nil {
				if got[i].Value != nil {
					t.Errorf("%s: a null document became %q", c.mode, got[i].Value)
				}
				continue
			}
			d, err := wire.ParseDecision(events[i].Value)
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, got[i], doc, d)
		}
		classify.stop()
	}
}

func asHeaders(t *testing.T, got, doc stream.Record, d *wire.Decision) {
	t.Helper()
	if string(got.Value) != string(doc.Value) {
		t.Errorf("headers: value %q, want the document's %q", got.Value, doc.Value)
	}
	var confidence string
	for _, c := range d.Decision.Classes {
		if c.Name == d.Decision.Label {
			confidence = strconv.FormatFloat(c.Posterior, 'g', -1, 64)
		}
	}
	for name, want := range map[string]string{
		"bayestream-label": d.Decision.Label, "bayestream-status": d.Decision.Status, "bayestream-confidence": confidence,
		"bayestream-model": fmt.Sprintf("bayestream@%d", d.Decision.ModelInfo.Offset),
	} {
		if header(got, name) != want {
			t.Errorf("headers: %s is %q, want %q as in the event", name, header(got, name), want)
		}
	}
}

func asCloudEvent(t *testing.T, got, _ stream.Record, d *wire.Decision) {
	t.Helper()
	again, err := wire.ParseDecision(got.Value)
	if err != nil {
		t.Fatal(err)
	}
	if again.Decision.Label != d.Decision.Label || again.Decision.Margin != d.Decision.Margin {
		t.Errorf("cloudevents: the decision is %v, want that of the event %v", again.Decision, d.Decision)
	}
	for name, want := range map[string]string{
		"ce_specversion": "1.0", "ce_type": wire.DecisionEventType, "ce_id": header(got, "bayestream-source"),
		"ce_source": fmt.Sprintf("/topics/%s/0", d.Source.Topic), "content-type": "application/json",
	} {
		if header(got, name) != want {
			t.Errorf("cloudevents: %s is %q, want %q", name, header(got, name), want)
		}
	}
}
