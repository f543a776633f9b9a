package ingest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/recount"
)

// places are where a second spec says that records have label and weight. Records are written in
// the one form or the other, and each is read by the spec in force at its delta.
type places struct {
	label, weight string
	first, second *spec.Spec
	rnd           *rand.Rand // of its own: schedules without a second spec do not depend on it
}

// drawPlaces draws the second spec of a schedule, nil where there is none.
func (w *world) drawPlaces() (p *places, err error) {
	p = &places{first: w.spec, rnd: w.random("specs")}
	if p.rnd.IntN(3) > 0 {
		return nil, nil
	}
	at := [][2]string{{"team", "weight"}, {"label", "times"}, {"team", "times"}}[p.rnd.IntN(3)]
	p.label = at[0]
	p.weight = at[1]
	p.second, err = sharedSpec(w.o.spec() + fmt.Sprintf("records: {label: {field: %s}, weight: {field: %s}}\n", p.label, p.weight))
	if err != nil {
		return nil, err
	}
	w.o.Rules.Other = string(p.second.YAML())
	return p, nil
}

// respecify has the operator change the spec in the file of the workers, and start one of them
// again.
func (w *world) respecify() {
	before := w.spec
	w.spec = w.places.first
	if before == w.spec {
		w.spec = w.places.second
	}
	w.count("specs changed")
	var learners []*process
	for _, p := range w.processes {
		if p.ledger {
			learners = append(learners, p)
		}
	}
	p := learners[w.places.rnd.IntN(len(learners))]
	w.trace("the spec is changed, and %s started again: %s", p.name, w.spec.Records)
	p.kill()
	w.restart(p)
}

// written returns a record in the form of the first spec or the second, and what it says by each.
func (p *places) written(value map[string]any, r *recount.Record) (map[string]any, *recount.Record) {
	if p == nil {
		return value, r
	}
	if p.rnd.IntN(2) == 0 {
		r.Other = p.misread(r)
		return value, r
	}
	if value != nil {
		moved := map[string]any{}
		for name, v := range value {
			switch name {
			case "label":
				name = p.label
			case "weight":
				name = p.weight
			}
			moved[name] = v
		}
		value = moved
	}
	first := p.misread(r)
	first.Other = r
	return value, first
}

// misread returns what a record of the one form says by the spec of the other.
func (p *places) misread(r *recount.Record) *recount.Record {
	as := *r
	refuse := func(reason string) {
		as.Reject = reason
		as.Forget = false
		as.Relabel = false
	}
	switch {
	case r.Reject == "not_json" || r.Reject == "bad_batch" || r.Reject == "bad_id":
	case p.label != "label":
		refuse("no_label")
	case r.Reject == "bad_weight":
		as.Reject = ""
		as.Label = "ham"
		as.Weight = 1
	case r.Relabel && r.Weight > 0:
		refuse("no_text")
	case r.Label != "" && !r.Relabel:
		as.Weight = 1
	}
	return &as
}

// read returns what a record says that forgets or relabels.
func (p *places) read(value []byte) (*recount.Record, error) {
	var says map[string]any
	if err := json.Unmarshal(value, &says); err != nil {
		return nil, err
	}
	meant := func(label, weight string) *recount.Record {
		r := &recount.Record{Forwarded: &recount.Forward{}}
		r.ID, _ = says["id"].(string)
		r.By, _ = says["by"].(string)
		r.Label, r.Relabel = says[label].(string)
		r.Forget = !r.Relabel
		times, _ := says[weight].(float64)
		r.Weight = int64(times)
		if ref, ok := says["ref"].(map[string]any); ok { // it was only labelled
			offset, _ := ref["offset"].(float64)
			r.Ref = &recount.Place{Source: recount.Source{Topic: fmt.Sprint(ref["topic"])}, Offset: int64(offset)}
			r.Relabel = false
			r.Weight = max(1, r.Weight)
		}
		return r
	}
	_, hasFirst := says["label"]
	_, hasTeam := says["team"]
	switch {
	case p == nil, hasFirst && hasTeam: // of the sweep, in both forms
		return meant("label", "weight"), nil
	case p.label != "label" && !hasFirst, p.label == "label" && says[p.weight] != nil:
		r := meant(p.label, p.weight)
		first := p.misread(r)
		first.Other = r
		return first, nil
	}
	r := meant("label", "weight")
	r.Other = p.misread(r)
	return r, nil
}
