package ingest

import (
	"context"
	"testing"
	"testing/synctest"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
)

// TestCorrectionByPathsInForce corrects a document whose text stands at a path that a later spec
// has named.
func TestCorrectionByPathsInForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.RefTopics = []string{"texts"} })
		defer l.end()
		l.memory.CreateTopic("texts", 1)
		if _, err := l.memory.Produce(t.Context(), "texts", 0, []stream.Record{{Value: []byte(`{"id":"x","body":"word"}`)}}); err != nil {
			t.Fatal(err)
		}
		grown := modeltest.Spec(t, "text: {}\nfrom: {documents: {text: [body]}}")
		if _, err := l.propose(t.Context(), grown); err != nil {
			t.Fatal(err)
		}
		l.learn()
		f := l.finder(func(context.Context) (int, error) { return 1, nil })
		to, err := f.Find(t.Context(), &wire.Correction{Source: &wire.Ref{Topic: "texts"}, Label: "a"})
		if err != nil || to.ID != "x" || to.Text == nil {
			t.Errorf("the document is %q (%v), want x, by the path that is in force", to.ID, err)
		}
	})
}
