package e2e

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	recounted "bayestream/internal/testing/recount"
)

// counted is one document of the recount.
type counted struct {
	label  string
	weight int64
	text   string
}

// recount counts the whole training topic in the plainest way: what stands last under an id counts,
// as whatever it says, and what has no id counts by itself. It returns the counts as
// model.Model.Dump writes them, and how many records could not be used.
func (p *pipeline) recount() (dump string, bad int) {
	p.t.Helper()
	return p.recountBut(nil)
}

// recountBut is recount without the records at some places, which are known to be bad for reasons
// that it does not look for.
func (p *pipeline) recountBut(known map[string]wire.Reason) (dump string, bad int) {
	p.t.Helper()
	return recount(p.t, p.partitions, func(part int) []stream.Record { return p.read(p.training, part) }, func(part int, offset int64) bool {
		return known[p.place(p.training, part, offset)] != ""
	})
}

func recount(t *testing.T, partitions int, read func(partition int) []stream.Record, known func(partition int, offset int64) bool) (dump string, bad int) {
	t.Helper()
	var documents []counted
	for p := range partitions {
		byID := map[string]counted{}
		for _, rec := range read(p) {
			id, doc, ok := parseTraining(rec.Value)
			switch {
			case !ok || known(p, rec.Offset):
				bad++
			case id == "":
				documents = append(documents, doc)
			case doc.label == "":
				delete(byID, id)
			default:
				byID[id] = doc
			}
		}
		for _, d := range byID {
			documents = append(documents, d)
		}
	}
	return dumpOf(t, documents), bad
}

// parseTraining reads a training record; an empty label forgets.
func parseTraining(value []byte) (id string, doc counted, ok bool) {
	var v struct {
		ID     json.RawMessage
		Text   *string
		Label  json.RawMessage
		Weight *int64
	}
	if !utf8.Valid(value) || json.Unmarshal(value, &v) != nil || v.Label == nil {
		return "", doc, false
	}
	if v.ID != nil && json.Unmarshal(v.ID, &id) != nil {
		id = string(v.ID) // an integer is the same as its digits in quotes
	}
	if string(v.Label) == "null" {
		return id, doc, id != ""
	}
	doc.weight = 1
	if v.Weight != nil {
		doc.weight = *v.Weight
	}
	if json.Unmarshal(v.Label, &doc.label) != nil || doc.label == "" || v.Text == nil || doc.weight < 1 || doc.weight > 1000 {
		return "", doc, false
	}
	doc.text = *v.Text
	return id, doc, true
}

func dumpOf(t *testing.T, documents []counted) string {
	tokenizer, err := spec.Default().Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	scanner := tokenizer.NewScanner()
	counts := recounted.NewCounts(0)
	for _, d := range documents {
		var words []string
		scanner.Scan([]byte(d.text), "", func(term []byte) { words = append(words, string(term)) })
		counts.Add(d.label, d.weight, &recounted.Document{Words: words}, false)
	}
	var out strings.Builder
	counts.Dump(&out)
	return out.String()
}
