package e2e

import (
	"fmt"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
)

// TestReplaceAndForget changes its mind about documents: what stands last under an id counts, a
// null label takes it out, and a document without an id is there for good.
func TestReplaceAndForget(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	ingest := p.startIngest()
	p.learn(0,
		`{"id":"a","text":"first prize","label":"spam"}`,
		`{"id":"b","text":"lunch on friday","label":"ham","weight":3}`,
		`{"text":"nobody can take this out","label":"ham"}`,
		`{"id":7,"text":"seven","label":"ham"}`)
	p.counted(ingest) // so that what follows finds it in the ledger, not in the same delta
	p.learn(0,
		`{"id":"a","text":"second prize","label":"ham","weight":2}`,
		`{"id":"b","label":null}`,
		`{"id":"7","label":null}`,
		`{"id":"never seen","label":null}`)
	p.learn(1, `{"id":"a","text":"another document: another partition","label":"spam"}`)
	p.counted(ingest)
	p.learn(0,
		`{"id":"c","text":"learned, replaced and forgotten","label":"spam"}`,
		`{"id":"c","text":"in one delta","label":"news"}`,
		`{"id":"c","label":null}`,
		`{"id":"d","text":"sent twice","label":"news"}`,
		`{"id":"d","text":"sent twice","label":"news"}`)
	want := dumpOf(t, []counted{
		{label: "ham", weight: 2, text: "second prize"},
		{label: "ham", weight: 1, text: "nobody can take this out"},
		{label: "spam", weight: 1, text: "another document: another partition"},
		{label: "news", weight: 1, text: "sent twice"},
	})
	state := p.counted(ingest)
	same(t, "ingest", state, want)
	if again, bad := p.recount(); again != want || bad != 0 {
		t.Errorf("the recount differs from the list, with %d bad records:\n%s", bad, filetest.FirstDifference(again, want))
	}
	same(t, "classify", p.startClassify().folded(state.Next()), want)
	p.noDeadLetters()
	ingest.wantMetric(`bayestream_ledger_documents`, 3) // a, d and the other a
}

// TestForgetByKey takes documents out by a null value, the id being the key.
func TestForgetByKey(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest(p.spec("records: {id: {from: key}}\n"))
	keyed := func(key, value string) stream.Record {
		r := stream.Record{Key: []byte(key)}
		if value != "" {
			r.Value = []byte(value)
		}
		return r
	}
	p.produce(p.training, 0,
		keyed("a", `{"id":"ignored","text":"one","label":"ham"}`),
		keyed("b", `{"text":"two","label":"ham"}`),
		keyed("c", `{"text":"three","label":"spam"}`))
	p.counted(ingest)
	p.produce(p.training, 0, keyed("a", ""), keyed("b", `{"text":"two and more","label":"spam"}`), keyed("nobody", ""))
	same(t, "ingest", p.counted(ingest), dumpOf(t, []counted{
		{label: "spam", weight: 1, text: "two and more"}, {label: "spam", weight: 1, text: "three"},
	}))
	p.noDeadLetters()
	p.produce(p.training, 0, stream.Record{}) // nothing names the document
	p.counted(ingest)
	p.deadLetters(map[string]wire.Reason{p.place(p.training, 0, 6): wire.BadID})
}

// TestRef learns documents that stand in another topic.
func TestRef(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	allowed, denied := kafkatest.Topic(t, 2, nil), kafkatest.Topic(t, 1, nil)
	for _, topic := range []string{allowed, denied} {
		p.produce(topic, 0, stream.Record{Value: []byte(`{"text":"gone before it was asked for"}`)}, stream.Record{Value: []byte(`{"text":"the document","label":"not looked at"}`)},
			stream.Record{Value: []byte(`{"words":"no text"}`)}, stream.Record{Key: []byte("null")})
		kafkatest.DeleteRecords(t, topic, 0, 1)
	}
	ingest := p.startIngest("--ref-topics=" + allowed + ",is-not-there")
	ref := func(id, topic string, partition, offset int) string {
		return fmt.Sprintf(`{"id":%q,"label":"ham","ref":{"topic":%q,"partition":%d,"offset":%d}}`, id, topic, partition, offset)
	}
	want := map[string]wire.Reason{}
	for i, c := range []struct {
		value  string
		reason wire.Reason
	}{
		{ref("a", allowed, 0, 1), ""},
		{ref("b", denied, 0, 1), wire.RefDenied},
		{ref("c", allowed, 0, 0), wire.RefGone},
		{ref("d", allowed, 0, 99), wire.RefGone},
		{ref("e", allowed, 1, 0), wire.RefGone}, // the end of an empty partition
		{ref("f", allowed, 7, 0), wire.RefGone}, // no such partition
		{ref("g", "is-not-there", 0, 0), wire.RefGone},
		{ref("h", allowed, 0, 2), wire.NoText},
		{ref("i", allowed, 0, 3), wire.RefGone}, // null
		{`{"id":"j","label":"ham","ref":{"topic":7}}`, wire.BadRef},
		{`{"id":"k","text":"its own document","label":"spam"}`, ""},
	} {
		offset := p.learn(0, c.value)
		if c.reason != "" {
			want[p.place(p.training, 0, offset)] = c.reason
		}
		if offset != int64(i) {
			t.Fatalf("record %d stands at %d", i, offset)
		}
	}
	same(t, "ingest", p.counted(ingest), dumpOf(t, []counted{
		{label: "ham", weight: 1, text: "the document"}, {label: "spam", weight: 1, text: "its own document"},
	}))
	p.deadLetters(want)

	p.learn(0, `{"id":"a","label":null}`, ref("k", allowed, 0, 1)) // out of the other topic again, and the other way round
	same(t, "ingest", p.counted(ingest), dumpOf(t, []counted{{label: "ham", weight: 1, text: "the document"}}))
	p.deadLetters(want)
}

// TestCannotUnlearn replaces and forgets documents whose text was deleted meanwhile: the table
// stays as it was, and the stream goes on.
func TestCannotUnlearn(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest()
	p.learn(0, `{"id":"a","text":"deleted text","label":"spam"}`, `{"id":"b","text":"deleted too","label":"spam"}`, `{"id":"c","text":"kept","label":"ham"}`)
	p.counted(ingest)
	kafkatest.DeleteRecords(t, p.training, 0, 2)
	p.learn(0, `{"id":"a","text":"new text","label":"ham"}`, `{"id":"b","label":null}`, `{"id":"c","text":"kept, then replaced","label":"spam"}`,
		`{"id":"a","text":"deleted text","label":"spam"}`) // as it was learned: nothing has to be taken out
	state := p.counted(ingest)
	same(t, "ingest", state, dumpOf(t, []counted{
		{label: "spam", weight: 1, text: "deleted text"}, {label: "spam", weight: 1, text: "deleted too"}, {label: "spam", weight: 1, text: "kept, then replaced"},
	}))
	p.deadLetters(map[string]wire.Reason{p.place(p.training, 0, 3): wire.CannotUnlearn, p.place(p.training, 0, 4): wire.CannotUnlearn})

	p.learn(0, `{"id":"a","label":null}`) // the last one said where the text stands now
	same(t, "ingest", p.counted(ingest), dumpOf(t, []counted{
		{label: "spam", weight: 1, text: "deleted too"}, {label: "spam", weight: 1, text: "kept, then replaced"},
	}))
}
