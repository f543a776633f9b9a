package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	recounted "bayestream/internal/testing/recount"
	"bayestream/internal/tokenize"
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
	options, err := spec.Default().Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := tokenize.New(options)
	if err != nil {
		t.Fatal(err)
	}
	scanner := tokenizer.NewScanner()
	classes, terms := map[string]int64{}, map[string]map[string]int64{}
	shape := [3]map[string]map[string]int64{{}, {}, {}}
	firsts, lasts := map[string]map[string]int64{}, map[string]map[string]int64{}
	count := func(table map[string]map[string]int64, value, label string, n int64) {
		if table[value] == nil {
			table[value] = map[string]int64{}
		}
		table[value][label] += n
	}
	for _, d := range documents {
		classes[d.label] += d.weight
		var words []string
		scanner.Scan([]byte(d.text), "", func(term []byte) {
			count(terms, string(term), d.label, d.weight)
			words = append(words, string(term))
		})
		for i, size := range recounted.Shape(words) {
			count(shape[i], size, d.label, d.weight)
		}
		if len(words) > 0 {
			count(firsts, words[0], d.label, d.weight)
			count(lasts, recounted.Last(words), d.label, d.weight)
		}
	}
	var out strings.Builder
	for _, c := range sorted(classes) {
		fmt.Fprintf(&out, "class %q %d\n", c, classes[c])
	}
	for i, table := range []map[string]map[string]int64{terms, shape[0], shape[1], shape[2], firsts, lasts} {
		for _, w := range sorted(table) {
			fmt.Fprintf(&out, "table %d %q", i, w)
			for _, c := range sorted(table[w]) {
				fmt.Fprintf(&out, " %q:%d", c, table[w][c])
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
