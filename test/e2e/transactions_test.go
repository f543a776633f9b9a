package e2e

import (
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestTransactions writes training records and documents in transactions. What was aborted is
// neither counted nor labelled, and the markers, which take offsets too, hold nobody up.
func TestTransactions(t *testing.T) {
	t.Parallel()
	p, ingest, classify := taught(t, 1)
	value := func(v string) stream.Record { return stream.Record{Value: []byte(v)} }
	for range 3 {
		aborted := kafkatest.Begin(t)
		aborted.Produce(p.training, 0, value(`{"id":"a","text":"aborted","label":"never"}`), value(`not json`))
		aborted.Produce(p.documents, 0, value(`{"text":"aborted"}`), value(`not json`))
		aborted.Abort()
		committed := kafkatest.Begin(t)
		committed.Produce(p.training, 0, value(`{"id":"a","text":"committed","label":"ham"}`))
		committed.Produce(p.documents, 0, value(`{"text":"committed"}`), value(`{"text":"committed too"}`))
		committed.Commit()
	}
	state := p.counted(ingest)
	dump, bad := p.recount()
	if bad != 0 {
		t.Fatalf("%d bad records are visible", bad)
	}
	same(t, "ingest", state, dump)
	same(t, "classify", classify.folded(state.Next()), dump)
	if n := p.inOrder(p.decided(6), nil); n != 0 {
		t.Errorf("%d answers came twice", n)
	}
	p.noDeadLetters()

	// The last thing in both topics is the marker of an aborted transaction: nothing waits for a
	// record that does not come.
	last := kafkatest.Begin(t)
	last.Produce(p.training, 0, value(`not json`))
	last.Produce(p.documents, 0, value(`not json`))
	last.Abort()
	for _, r := range []*running{ingest, classify} {
		r.eventually("without lag", func() (bool, string) {
			lag := r.metric(`bayestream_lag_records{partition="0"}`)
			return lag == 0, "lag is not 0"
		})
	}
	// Nor does an open one stop what came before it, or lose what it brings in the end.
	p.learn(0, `{"text":"before an open transaction","label":"ham"}`)
	open := kafkatest.Begin(t)
	open.Produce(p.training, 0, value(`{"text":"in an open transaction","label":"spam"}`))
	before := p.counted(ingest).Model().Classes().Total()
	open.Commit()
	p.learn(0, `{"text":"after it","label":"ham"}`)
	if after := p.counted(ingest).Model().Classes().Total(); after != before+2 {
		t.Errorf("%d documents before the transaction was committed, %d after it and one more", before, after)
	}
	dump, _ = p.recount()
	same(t, "ingest", p.counted(ingest), dump)
	p.noDeadLetters()
}
