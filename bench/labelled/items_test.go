package labelled

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
)

func TestEach(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	in := `{"id":"a","label":"ham","text":"x\ty","extra":1}` + "\n\n" + `{"label":"spam","text":""}` + "\n" + `{"label":7,"text":"b"}` + "\n"
	if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []Item
	err := Each(path, func(x *Item) { got = append(got, *x) })
	want := []Item{{"a", "ham", "x\ty"}, {"f.jsonl:3", "spam", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if want := `f.jsonl:4: bad label: field "label" is 7, a number; want a string, such as "7", or numbers and booleans too with the label type any`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestRealData reads a public corpus.
func TestRealData(t *testing.T) {
	labels := map[string]int{}
	if err := Each(modeltest.Data(t, "sms_spam.jsonl.gz"), func(x *Item) { labels[x.Label]++ }); err != nil {
		t.Fatal(err)
	}
	if labels["ham"] != 4827 || labels["spam"] != 747 || len(labels) != 2 {
		t.Errorf("got %v, want ham 4827 and spam 747", labels)
	}
}

// TestAppend: what is written for the topics is what the decoder reads.
func TestAppend(t *testing.T) {
	d := wire.NewDecoder(wire.SchemaOf(spec.Default()))
	const id, label, words = "i\"d", "l\\abel", "te\nxt\u2028 <b>\U0001F600"
	var learned wire.Training
	if err := d.Training(&record.Record{Value: AppendTraining(nil, id, label, words)}, &learned); err != nil ||
		learned.ID != id || learned.Label != label || string(learned.Input.Segments[0].Text) != words {
		t.Errorf("training: %+v, %v", learned, err)
	}
	var doc wire.Document
	if err := d.Document(&record.Record{Value: AppendDocument(nil, id, words)}, &doc); err != nil ||
		doc.ID != id || string(doc.Input.Segments[0].Text) != words {
		t.Errorf("document: %+v, %v", doc, err)
	}
}
