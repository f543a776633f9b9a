package modelfile

import (
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/lab/choice"
	"bayestream/internal/tools/lab/dataset"
)

// Trainer trains a state on records.
type Trainer struct {
	Learned  int64 // records that count
	Replaced int64 // records that a later one replaced
	Sums     Sums

	state    *fold.State
	extract  *model.Extractor
	builder  *model.Builder
	admitted *model.Admission
	seen     dataset.Places             // not used with replace
	replace  map[string]*dataset.Record // last record of each id; nil: a repeated id is an error
	pending  int
	read     int            // records
	sample   *choice.Sample // nil: no candidates race
	features model.Features
	earlier  model.Features // of a record that is replaced
}

// flushAt is how many bytes of changes are collected before they are added to the model.
const flushAt = 8 << 20

// NewTrainer returns a trainer of state, which must have a model. With replace a later record with
// the same id replaces the earlier one; the trainer then keeps all records that have ids in memory.
func NewTrainer(state *fold.State, replace bool) (*Trainer, error) {
	spec := state.Model().Spec()
	extract, err := model.NewExtractor(spec)
	if err != nil {
		return nil, err
	}
	t := &Trainer{
		state:    state,
		extract:  extract,
		builder:  model.NewBuilder(spec),
		admitted: model.NewAdmission(spec),
		seen:     dataset.Places{},
	}
	if spec.Race != nil {
		t.sample = choice.NewSample(state.Spec(), state.Model().Classes().Total())
	}
	if replace {
		t.replace = map[string]*dataset.Record{}
	}
	return t, nil
}

// Learn counts a record. The error of a record that cannot be used is a *wire.LineError around a
// *wire.Reject.
func (t *Trainer) Learn(rec *dataset.Record) error {
	classes := t.state.Model().Classes()
	_, known := classes.ID(rec.Label)
	if err := t.admitted.Admit(rec.Label, known, len(classes.Live())); err != nil {
		return rec.Error(wire.AsReject(err))
	}
	t.extract.Extract(&t.features, &rec.Input)
	switch {
	case !rec.Explicit:
	case t.replace != nil:
		t.replaceEarlier(rec)
	default:
		if err := t.seen.Add(rec, "make ids unique, or let the later record count with --replace"); err != nil {
			return err
		}
	}
	t.builder.Observe(rec.Label, rec.Weight, &t.features)
	t.Sums.add(rec, rec.Weight)
	if t.sample != nil {
		t.keep(rec)
	}
	if !known {
		t.admitted.Add(rec.Label)
	}
	t.Learned++
	t.pending++
	if t.pending%256 == 0 && codec.Bound(t.builder.Size()) > flushAt {
		return t.Flush()
	}
	return nil
}

// keep adds the record that was extracted last to the sample by which the candidates are chosen
// from.
func (t *Trainer) keep(rec *dataset.Record) {
	if key := choice.Key(rec.ID, rec.Explicit, t.read); t.sample.Learn(key) {
		t.sample.Add(key, rec.Label, rec.Weight, t.features.Clone())
	}
	t.read++
}

// Choose has the candidates race on what was learned, after Flush: their leader decides from here
// on.
func (t *Trainer) Choose() error {
	if t.sample == nil {
		return nil
	}
	if err := t.sample.Choose(t.state.Model(), t.state.Race()); err != nil {
		return fmt.Errorf("choose what decides: %w", err)
	}
	return nil
}

// replaceEarlier takes the earlier record of an id out of the counts, if there is one.
func (t *Trainer) replaceEarlier(rec *dataset.Record) {
	if earlier := t.replace[rec.ID]; earlier != nil {
		t.extract.Extract(&t.earlier, &earlier.Input)
		t.builder.Observe(earlier.Label, -earlier.Weight, &t.earlier)
		t.Sums.add(earlier, -earlier.Weight)
		t.Learned--
		if t.sample != nil {
			t.sample.Replace()
		}
		t.Replaced++
	}
	kept := rec.Clone()
	t.replace[kept.ID] = kept
}

// Flush adds the collected changes to the model. It must be called after the last record.
func (t *Trainer) Flush() error {
	if err := t.state.Model().Apply(t.builder.Delta()); err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	t.builder.Reset()
	t.admitted.Reset()
	return nil
}
