package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// event is a training record, before it is written.
type event struct {
	id, label string // without a label the id is forgotten
	weight    int64
	words     string // none: the record is no document
	ref       bool   // the words stand in the topic texts
}

// record returns the training record at an offset, and the record of the topic texts that it refers
// to, nil if none.
func (e event) record(offset int64) (training, text *stream.Record) {
	id := ""
	if e.id != "" {
		id = fmt.Sprintf(`"id":%q,`, e.id)
	}
	switch {
	case e.label == "":
		return at(offset, fmt.Sprintf(`{"id":%q,"label":null}`, e.id)), nil
	case e.words == "":
		return at(offset, "no document"), nil
	case e.ref:
		text = &stream.Record{Topic: "texts", Offset: offset, Value: fmt.Appendf(nil, `{"text":%q}`, e.words)}
		return at(offset, fmt.Sprintf(`{%s"label":%q,"weight":%d,"ref":{"topic":"texts","partition":0,"offset":%d}}`, id, e.label, e.weight, offset)), text
	}
	return at(offset, fmt.Sprintf(`{%s"label":%q,"weight":%d,"text":%q}`, id, e.label, e.weight, e.words)), nil
}

func drawEvent(t *rapid.T) event {
	ids := []string{"", "a", "b", "c", "d", "e", "f"}
	e := event{
		id:     rapid.SampledFrom(ids).Draw(t, "id"),
		label:  rapid.SampledFrom([]string{"x", "y"}).Draw(t, "label"),
		weight: rapid.Int64Range(1, 2).Draw(t, "weight"),
		words:  strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"one", "two", "three"}), 1, 3).Draw(t, "words"), " "),
		ref:    rapid.IntRange(0, 3).Draw(t, "ref") == 0,
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1, 2:
		if e.id != "" {
			e.label = ""
		}
	case 3:
		e.words = ""
	}
	return e
}

// history is the recount of events one by one. It shares no code with what it is compared with.
type history struct {
	limit   int
	ledger  []event // the oldest first
	counts  map[string]int64
	skipped []fold.Skipped
}

func (h *history) add(offset int64, e event) {
	known := slices.IndexFunc(h.ledger, func(o event) bool { return e.id != "" && o.id == e.id })
	switch {
	case e.label == "" && known < 0:
		h.skipped = append(h.skipped, fold.Skipped{Offset: offset, Reason: wire.SkipUnknownID})
		return
	case e.words == "":
		h.skipped = append(h.skipped, fold.Skipped{Offset: offset, Reason: string(wire.NotJSON)})
		return
	}
	if known >= 0 {
		h.count(h.ledger[known], -1)
		h.ledger = slices.Delete(h.ledger, known, known+1)
	}
	if e.label == "" {
		return
	}
	h.count(e, 1)
	if e.id != "" {
		h.ledger = append(h.ledger, e)
		h.ledger = h.ledger[max(0, len(h.ledger)-h.limit):]
	}
}

func (h *history) count(e event, sign int64) {
	h.counts["class "+e.label] += sign * e.weight
	for _, word := range strings.Fields(e.words) {
		h.counts[word+" "+e.label] += sign * e.weight
	}
}

// says returns what the recount has, as text.
func (h *history) says() string {
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(h.counts)) {
		if n := h.counts[key]; n != 0 {
			fmt.Fprintln(&out, key, n)
		}
	}
	for _, e := range h.ledger {
		fmt.Fprintln(&out, "ledger", e.id, e.label, e.weight)
	}
	fmt.Fprintln(&out, "skipped", h.skipped)
	return out.String()
}

// counted is what the deltas of a partition have led to.
type counted struct {
	state   *fold.State
	skipped []fold.Skipped
}

// count counts records in deltas. One ends where cut says so of the next record, the last one
// behind all.
func count(t *rapid.T, b *batch, s *spec.Spec, records, stored []*stream.Record, cut func(i int) bool) *counted {
	c := &counted{state: storetest.Start(t, s, true)}
	b.begin(0, viewOf(c.state, b.source), &worker.Fetched{})
	for i, rec := range records {
		if cut(i) && !b.isEmpty() {
			c.close(t, b, s)
		}
		apply(t, b, stored, rec)
	}
	c.close(t, b, s)
	return c
}

// close folds the batch and begins the next one.
func (c *counted) close(t *rapid.T, b *batch, s *spec.Spec) {
	c.skipped = append(c.skipped, b.skipped...)
	storetest.Fold(t, c.state, fold.Entry{Delta: b.delta(s.Counting(), b.start == 0)}, fold.Accepted)
	b.begin(b.end, viewOf(c.state, b.source), &worker.Fetched{})
}

// says returns the counts, the ledger and what was skipped, in the words of history.
func (c *counted) says(source fold.Source) string {
	var lines []string
	m := c.state.Model()
	for _, class := range m.Classes().Live() {
		lines = append(lines, fmt.Sprintln("class", m.Classes().Name(class), m.Classes().Documents(class)))
	}
	for term, cells := range m.Tables()[0].Sorted {
		for _, cell := range cells {
			lines = append(lines, fmt.Sprintln(string(term), m.Classes().Name(cell.Class()), cell.Count()))
		}
	}
	slices.Sort(lines)
	for entry := range c.state.Ledger(source).All() {
		lines = append(lines, fmt.Sprintln("ledger", entry.ID, entry.Put.Label, entry.Put.Weight))
	}
	return strings.Join(append(lines, fmt.Sprintln("skipped", c.skipped)), "")
}

// TestCountsDoNotDependOnCuts counts the same records in deltas of one record, of some, of all,
// with a ledger that is full most of the time: counts, ledger and skipped records are always those
// of a recount that evicts record by record.
func TestCountsDoNotDependOnCuts(t *testing.T) {
	for limit := 1; limit <= 3; limit++ {
		b := newBatch(t, fmt.Sprintf("{text: {stem: false}, limits: {ledger: %d}}", limit), mapView{})
		s := modeltest.Spec(t, fmt.Sprintf("{text: {stem: false}, limits: {ledger: %d}}", limit))
		rapid.Check(t, func(t *rapid.T) {
			events := rapid.SliceOfN(rapid.Custom(drawEvent), 1, 30).Draw(t, "events")
			recount := history{limit: limit, counts: map[string]int64{}}
			var records, stored []*stream.Record
			for i, e := range events {
				recount.add(int64(i), e)
				training, text := e.record(int64(i))
				records = append(records, training)
				stored = append(stored, training)
				if text != nil {
					stored = append(stored, text)
				}
			}
			cuts := rapid.SliceOfN(rapid.Bool(), len(events), len(events)).Draw(t, "cuts")
			want := recount.says()
			check := func(what string, cut func(int) bool) {
				if diff := cmp.Diff(want, count(t, b, s, records, stored, cut).says(b.source)); diff != "" {
					t.Fatalf("a ledger of %d, %s (-recount +model):\n%s", limit, what, diff)
				}
			}
			check("deltas as drawn", func(i int) bool { return cuts[i] })
			for n := 1; n <= len(events); n = n*3/2 + 1 {
				check(fmt.Sprintf("deltas of %d records", n), func(i int) bool { return i%n == 0 })
			}
		})
	}
}

// TestEvictedInTheSameDelta forgets a document that an earlier record of the same delta has
// evicted.
func TestEvictedInTheSameDelta(t *testing.T) {
	b := newBatch(t, "limits: {ledger: 2}", mapView{})
	a := at(0, `{"id":"a","label":"x","text":"apple"}`)
	apply(t, b, []*stream.Record{a}, a, at(1, `{"id":"b","label":"y","text":"banana"}`), at(2, `{"id":"c","label":"y","text":"cherry"}`), at(3, `{"id":"a","label":null}`))
	if want := []fold.Skipped{{Offset: 3, Reason: wire.SkipUnknownID}}; b.learned != 3 || !slices.Equal(b.skipped, want) {
		t.Errorf("%d documents, skipped %v, want 3 and %v: a was evicted", b.learned, b.skipped, want)
	}
}
