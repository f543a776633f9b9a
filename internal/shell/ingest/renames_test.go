package ingest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// renaming is a training topic whose field moves now and then, and what ingest makes of it.
type renaming struct {
	paths   int // of the spec in force
	records []*stream.Record
	ledger  mapView
	counts  *model.Model
	values  map[string]string // by id: what the document was counted with
}

// moves are the places of the field country, in the order in which they came.
var moves = []string{"country", "land", "geo.land", "geo.code"}

// spec returns the spec in force.
func (r *renaming) spec() string {
	if r.paths == 0 {
		return "categories: [{field: country}]"
	}
	return fmt.Sprintf("categories: [{field: country}]\nfrom: {training: {country: [%s]}}", strings.Join(moves[1:1+r.paths], ", "))
}

// value returns a record with the field at some of the places.
func (r *renaming) value(t *rapid.T, id string, places []int) string {
	members := map[string]string{}
	for _, at := range places {
		outer, inner, nested := strings.Cut(moves[at], ".")
		member := fmt.Sprintf("%q:%q", outer, rapid.SampledFrom([]string{"HU", "FR", "DE"}).Draw(t, "value"))
		if nested {
			member = strings.Replace(member, outer, inner, 1)
		}
		members[outer] += "," + member
	}
	text := ""
	for outer, inner := range members {
		if outer == "geo" {
			inner = `,"geo":{` + inner[1:] + "}"
		}
		text += inner
	}
	return fmt.Sprintf(`{"id":%q,"label":"x"%s}`, id, text)
}

// add learns or forgets by one record, and returns why it is a dead letter, "" if it is none.
func (r *renaming) add(t *rapid.T, id, value string) string {
	rec := at(int64(len(r.records)), value)
	r.records = append(r.records, rec)
	b := newBatch(t, r.spec(), r.ledger)
	apply(t, b, r.records, rec)
	if err := r.counts.Apply(b.builder.Delta()); err != nil {
		t.Fatalf("%s: %v", value, err)
	}
	for _, c := range b.changes {
		before := r.ledger[c.ID]
		switch {
		case c.Put == nil:
			delete(r.ledger, c.ID)
			delete(r.values, c.ID)
			continue
		case b.opened.training.Kind != wire.Relabel: // which keeps the document
			r.values[c.ID] = string(b.opened.features.Categories[0].Value)
		case c.Put.Sum != before.Sum:
			t.Fatalf("%s: a label alone changes the document", value)
		}
		r.ledger[c.ID] = *c.Put
	}
	if len(b.skipped) == 0 {
		return ""
	}
	return b.skipped[0].Reason
}

// check compares the counts with those of what is in the ledger.
func (r *renaming) check(t *rapid.T) {
	s := modeltest.Spec(t, r.spec())
	want := model.New(s)
	b := model.NewBuilder(s)
	x, err := model.NewExtractor(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range r.values {
		var f model.Features
		x.Extract(&f, &model.Input{Categories: []model.Category{{Value: []byte(value), Present: true}}})
		b.Observe("x", 1, &f)
	}
	if err := want.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	if want.Digest() != r.counts.Digest() {
		t.Fatalf("the counts are not those of %v", r.values)
	}
}

// TestRenames: however a field moves and whatever records say, what is taken out is what was
// counted, or nothing. Where each record has the field at the last place of its time, it always is.
func TestRenames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := modeltest.Spec(t, "categories: [{field: country}]")
		r := &renaming{ledger: mapView{}, counts: model.New(s), values: map[string]string{}}
		orderly := rapid.Bool().Draw(t, "orderly")
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id")
			var reason string
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				r.paths = min(r.paths+1, len(moves)-1)
			case 1:
				_, known := r.ledger[id]
				reason = r.add(t, id, fmt.Sprintf(`{"id":%q,"label":null}`, id))
				if _, still := r.ledger[id]; known && !still && reason != "" {
					t.Fatalf("%s was taken out, with the reason %s", id, reason)
				}
			default:
				places := []int{r.paths}
				if !orderly {
					places = rapid.SliceOfNDistinct(rapid.IntRange(0, len(moves)-1), 0, 4, rapid.ID).Draw(t, "places")
				}
				reason = r.add(t, id, r.value(t, id, places))
			}
			if orderly && reason != "" && reason != "unknown_id" {
				t.Fatalf("%s: the move cost a record: %s", id, reason)
			}
			r.check(t)
		}
	})
}

// TestRenameIsGuarded: a record that was read without the place where its field stands reads
// otherwise under the paths that name the place. It is not taken out.
func TestRenameIsGuarded(t *testing.T) {
	rec := at(0, `{"id":"a","label":"x","hour":3,"land":"HU"}`)
	const fields = "categories: [{field: country}, {field: zone}]\nnumbers: [{fields: [hour]}]\n"
	b := newBatch(t, fields, mapView{})
	apply(t, b, nil, rec)
	if b.learned != 1 {
		t.Fatalf("got %+v", b.skipped)
	}
	ledger := mapView{"a": *b.changes[0].Put}
	for _, c := range []struct{ from, want string }{
		{"from: {training: {zone: [place]}}", ""},
		{"from: {training: {country: [land]}}", "cannot_unlearn"},
	} {
		b := newBatch(t, fields+c.from, ledger)
		apply(t, b, []*stream.Record{rec}, at(1, `{"id":"a","label":null}`))
		var got string
		if len(b.skipped) > 0 {
			got = b.skipped[0].Reason
		}
		if got != c.want || (c.want == "") != (len(b.changes) == 1 && b.changes[0].Put == (*fold.Learned)(nil)) {
			t.Errorf("%s: got %q and %+v, want %q", c.from, got, b.changes, c.want)
		}
	}
}

// The paths that came while a worker ran are those of a log that is created again: what was learned
// by them is counted again.
func TestALogThatIsCreatedAgainHasTheLaterPaths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"))
		l.learn()
		l.wantCounted(1, 1)
		later := modeltest.Spec(t, "text: {}\nfrom: {training: {text: [body]}}")
		value, err := codec.EncodeSpec(later, modellog.NewID())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.memory.Produce(t.Context(), "model", 0, []stream.Record{{Value: value}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		l.train(`{"id":"d2","label":"b","body":"moved"}`)
		l.wantCounted(2, 2)
		l.memory.CreateTopic("model", 1)
		l.wantCounted(2, 2)
		if n := len(l.host.Dead); n > 0 {
			t.Errorf("%d dead letters", n)
		}
	})
}
