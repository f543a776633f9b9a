package e2e

import (
	"fmt"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
)

// event is an event of another system: flat JSON, whose label is its team.
type event struct {
	id, body, country, team string
	amount                  int64
}

// record writes the event as the other system does, before and after it renamed its fields.
func (e *event) record(renamed bool) string {
	if renamed {
		return fmt.Sprintf(`{"id":%q,"payload":{"text":%q,"total":%d.5},"geo":{"country":%q},"team":%q}`, e.id, e.body, e.amount, e.country, e.team)
	}
	return fmt.Sprintf(`{"id":%q,"payload":{"body":%q},"amount":%d.5,"country":%q,"team":%q}`, e.id, e.body, e.amount, e.country, e.team)
}

// events returns n events of two teams.
func events(from, n int) (out []event) {
	for i := from; i < from+n; i++ {
		e := event{id: fmt.Sprint("e", i), body: "invoice overdue", country: []string{"HU", "FR", "DE"}[i%3], team: "billing", amount: int64(100 + i)}
		if i%2 == 0 {
			e.team = "support"
			e.body = "printer on fire"
		}
		out = append(out, e)
	}
	return out
}

// recountEvents counts events from what they say, without a record.
func recountEvents(t *testing.T, specText string, all map[string]event) string {
	t.Helper()
	s := modeltest.Spec(t, specText)
	x, err := model.NewExtractor(s)
	if err != nil {
		t.Fatal(err)
	}
	b := model.NewBuilder(s)
	for _, e := range all {
		amount, err := gaussian.ParseFixed([]byte(fmt.Sprintf("%d.5", e.amount)), s.Digits())
		if err != nil {
			t.Fatal(err)
		}
		in := model.Input{
			Segments: []model.Segment{{Text: []byte(e.body)}}, Numbers: []model.Number{{Value: amount, Present: true}},
			Categories: []model.Category{{Value: []byte(e.country), Present: true}},
		}
		var f model.Features
		x.Extract(&f, &in)
		b.Observe(e.team, 1, &f)
	}
	m := model.New(s)
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	return modeltest.Dump(m)
}

// TestFlatEvents learns flat events, goes on when their fields are renamed, and forgets and
// replaces those that were learned before. The counts are those of a recount, no record is lost,
// and a spec that drops the old names is refused.
func TestFlatEvents(t *testing.T) {
	t.Parallel()
	const fields = "text: {field: payload.body}\nnumbers: [{fields: [amount], var_smoothing: 1e-9}]\ncategories: [{field: country}]\n" +
		"records: {label: {field: team}}\n"
	const paths = "{payload.body: [payload.text], amount: [payload.total], country: [geo.country]}"
	const renamed = fields + "from: {training: " + paths + ", documents: " + paths + "}\n"
	p := newPipeline(t, 1)
	all := map[string]event{}
	learn := func(isRenamed bool, list ...event) {
		for _, e := range list {
			all[e.id] = e
			p.learn(0, e.record(isRenamed))
		}
	}
	learn(false, events(0, 20)...)
	ingest := p.startIngest(p.spec(fields))
	same(t, "before the rename", p.counted(ingest), recountEvents(t, fields, all))
	classify := p.startClassify()

	second := p.startIngest("--spec="+p.file("renamed.yaml", renamed), "--state="+p.dir+"/second.db")
	learn(true, events(20, 20)...)
	p.learn(0, `{"id":"e3","team":null}`, `{"id":"e23","team":null}`)
	delete(all, "e3")
	delete(all, "e23")
	moved := events(4, 1)[0]
	moved.country = "AT"
	learn(true, moved) // one that was learned under the old names
	state := p.counted(second)
	same(t, "behind the rename", state, recountEvents(t, fields, all))
	same(t, "the worker that runs on", ingest.folded(state.Next()), recountEvents(t, fields, all))
	if n := len(p.read(p.dead, 0)); n != 0 {
		t.Errorf("%d records are dead letters", n)
	}

	classify.folded(state.Next())
	for i, isRenamed := range []bool{false, true} {
		e := event{id: fmt.Sprint("d", i), body: "printer on fire", country: "HU", amount: 110}
		p.produce(p.documents, 0, stream.Record{Key: []byte(e.id), Value: []byte(e.record(isRenamed))})
	}
	for _, answer := range p.decided(2)[0] {
		d, err := wire.ParseDecision(answer.Value)
		if err != nil || d.Decision.Label != "support" || d.Decision.Known != 3 {
			t.Errorf("got %s, %v", answer.Value, err)
		}
	}
	ingest.stop()
	p.runIngest(p.spec(fields)).failure("from.training", "the spec in force has [payload.total]")
}
