package e2e

import (
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// rejectSpec has a limit of each kind that a record can break.
const rejectSpec = `
name: strict
classes: [ham, spam]
text: {field: text}
numbers: [{fields: [length]}]
categories: [{field: country}]
limits: {record_bytes: 2000}
`

// badRecord is a record that cannot be used, as a training record and as a document.
type badRecord struct {
	name     string
	record   stream.Record
	learning wire.Reason // "": it can be learned
	labels   wire.Reason // "": it can be labelled
}

func badRecords() []badRecord {
	value := func(v string) stream.Record { return stream.Record{Key: []byte("key"), Value: []byte(v)} }
	return []badRecord{
		{"not JSON", value(`text, label`), wire.NotJSON, wire.NotJSON},
		{"an empty value", value(``), wire.NotJSON, wire.NotJSON},
		{"an array", value(`[{"text":"x","label":"ham"}]`), wire.NotJSON, wire.NotJSON},
		{"half an object", value(`{"text":"x","label":"ham"`), wire.NotJSON, wire.NotJSON},
		{"no text", value(`{"label":"ham"}`), wire.NoText, wire.NoText},
		{"a null text", value(`{"text":null,"label":"ham"}`), wire.NoText, wire.NoText},
		{"a text that is a number", value(`{"text":5,"label":"ham"}`), wire.NoText, wire.NoText},
		{"no label", value(`{"text":"x"}`), wire.NoLabel, ""},
		{"a label that is a number", value(`{"text":"x","label":1}`), wire.BadLabel, ""},
		{"a label that is a list", value(`{"text":"x","label":["ham"]}`), wire.BadLabel, ""},
		{"an empty label", value(`{"text":"x","label":""}`), wire.BadLabel, ""},
		{"an unknown class", value(`{"text":"x","label":"eggs"}`), wire.UnknownClass, ""},
		{"too large", value(`{"label":"ham","text":"` + strings.Repeat("x ", 1000) + `"}`), wire.TooLarge, wire.TooLarge},
		{"invalid UTF-8", value("{\"text\":\"\xff\",\"label\":\"ham\"}"), wire.InvalidUTF8, wire.InvalidUTF8},
		{"a number out of range", value(`{"text":"x","label":"ham","numbers":{"length":1e10}}`), wire.NumberRange, wire.NumberRange},
		{"a number that is a string", value(`{"text":"x","label":"ham","numbers":{"length":"5"}}`), wire.BadNumber, wire.BadNumber},
		{"a category that is a boolean", value(`{"text":"x","label":"ham","categories":{"country":true}}`), wire.BadCategory, wire.BadCategory},
		{"a weight of nothing", value(`{"text":"x","label":"ham","weight":0}`), wire.BadWeight, ""},
		{"a weight too large", value(`{"text":"x","label":"ham","weight":1001}`), wire.BadWeight, ""},
		{"a broken weight", value(`{"text":"x","label":"ham","weight":1.5}`), wire.BadWeight, ""},
		{"an id that is a list", value(`{"id":[1],"text":"x","label":"ham"}`), wire.BadID, wire.BadID},
		{"an empty id", value(`{"id":"","text":"x","label":"ham"}`), wire.BadID, wire.BadID},
		{"a null label without an id", value(`{"text":"x","label":null}`), wire.BadID, ""},
		{"a null value that names nobody", stream.Record{Key: []byte("key")}, wire.BadID, ""},
		{"a ref that is a string", value(`{"label":"ham","ref":"documents/0/1"}`), wire.BadRef, wire.NoText},
		{"a ref beside a document", value(`{"text":"x","label":"ham","ref":{"topic":"t","partition":0,"offset":0}}`), wire.BadRef, ""},
		{"a ref that is not allowed", value(`{"label":"ham","ref":{"topic":"t","partition":0,"offset":0}}`), wire.RefDenied, wire.NoText},
		{"a dead letter of before", stream.Record{
			Key: nil, Value: []byte("null"), Headers: []stream.Header{{Key: "traceparent", Value: []byte("00-1-2-03")}, {Key: wire.DeadClass, Value: []byte("bayestream.no_text")}},
		}, wire.NotJSON, wire.NotJSON},
	}
}

// TestBadTrainingRecords puts one bad record of each kind between good ones: each becomes one dead
// letter with its reason, the good ones count, and nothing stops or comes twice.
func TestBadTrainingRecords(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	ingest := p.startIngest(p.spec(rejectSpec))
	want := map[string]wire.Reason{}
	for i, c := range badRecords() {
		part := i % 2
		p.learn(part, fmt.Sprintf(`{"id":"before-%d","text":"good before number%d","label":"ham"}`, i, i))
		offset := p.produce(p.training, part, c.record)
		p.learn(part, fmt.Sprintf(`{"id":"after-%d","text":"good after","label":"spam","weight":2}`, i))
		if c.learning != "" {
			want[p.place(p.training, part, offset)] = c.learning
		}
	}
	dump, bad := p.recountBut(want)
	if bad != len(want) {
		t.Errorf("the recount finds %d bad records beside the %d that are listed", bad-len(want), len(want))
	}
	state := p.counted(ingest)
	for i := spec.TextTables; i > 0; i-- { // the spec has a category before the tables of the text, which no good record has
		dump = strings.ReplaceAll(dump, fmt.Sprintf("\ntable %d ", i), fmt.Sprintf("\ntable %d ", i+1))
	}
	same(t, "ingest", state, dump)
	if total := state.Model().Classes().Total(); total != int64(3*len(badRecords())) {
		t.Errorf("%d documents were learned, want %d", total, 3*len(badRecords()))
	}
	for reason, n := range tally(want) {
		for _, series := range []string{"bayestream_dead_letters_total", "bayestream_skipped_records_total"} {
			ingest.wantMetric(fmt.Sprintf("%s{reason=%q}", series, reason), float64(n))
		}
	}
	p.deadLetters(want)
}

func tally(reasons map[string]wire.Reason) map[wire.Reason]int {
	n := map[wire.Reason]int{}
	for _, r := range reasons {
		n[r]++
	}
	return n
}
