package choice

import (
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
)

// rest is a model without one part of the sample.
type rest interface {
	// leave makes it the model without a part instead of that before.
	leave(part []document) error
	// add adds what the candidates make of the i-th document of the part. Several workers may call it at the same time.
	add(w *worker, so *race.State, i int)
}

// without returns the rest of a model, still without any part.
func without(m *model.Model, l *race.List) rest {
	if h := model.NewHeldOut(m, l); h != nil {
		return heldOut{h}
	}
	return &unlearned{m: m, builder: model.NewBuilder(m.Spec())}
}

// unlearned is the rest of any model: the part is taken out of it.
type unlearned struct {
	m       *model.Model
	builder *model.Builder
	part    []document
}

func (u *unlearned) leave(part []document) error {
	u.builder.Reset()
	u.observe(u.part, 1)
	u.observe(part, -1)
	u.part = part
	return u.m.Apply(u.builder.Delta())
}

func (u *unlearned) observe(part []document, sign int64) {
	for _, d := range part {
		u.builder.Observe(d.label, sign*d.weight, d.features)
	}
}

func (u *unlearned) add(w *worker, so *race.State, i int) {
	d := &u.part[i]
	w.scorer.Add(w.sums, so, u.m, d.features, d.label)
}

// heldOut is the rest of a model of text. It says what unlearned says (TestHeldOutEqualsUnlearned), in less than half of the time.
type heldOut struct{ *model.HeldOut }

func (h heldOut) leave(part []document) error {
	h.Reset()
	for i := range part {
		h.Append(part[i].label, part[i].weight, part[i].features)
	}
	h.Prepare()
	return nil
}

func (h heldOut) add(w *worker, so *race.State, i int) { w.scorer.AddHeldOut(w.sums, so, h.HeldOut, i) }
