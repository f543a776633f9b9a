package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/fold"
	"bayestream/internal/lab/dataset"
	"bayestream/internal/model"
	"bayestream/internal/wire"
)

// Trainer learns records into a state.
type Trainer struct {
	state   *fold.State
	extract *model.Extractor
	builder *model.Builder
	fresh   map[string]bool // classes in the builder that the model does not have
	seen    ids
	replace map[string]*old // nil: a repeated id is an error
	pending int
	f       model.Features
	Learned int64 // records
}

// old is what must be taken out when an id comes again.
type old struct {
	label  string
	weight int64
	input  model.Input
}

// flushAt is how many bytes of changes are added to the model at once.
const flushAt = 8 << 20

// NewTrainer returns a trainer that learns into state, which has a model. With replace a later record of
// the same id replaces the earlier one; it then keeps the records that have ids.
func NewTrainer(state *fold.State, replace bool) (*Trainer, error) {
	spec := state.Model().Spec()
	extract, err := model.NewExtractor(spec)
	if err != nil {
		return nil, err
	}
	t := &Trainer{state: state, extract: extract, builder: model.NewBuilder(spec), fresh: map[string]bool{}}
	if replace {
		t.replace = map[string]*old{}
	}
	return t, nil
}

// Learn counts a record. The error is a *wire.LineError around a *wire.Reject.
func (t *Trainer) Learn(rec *dataset.Record) error {
	if err := t.learn(rec); err != nil {
		return lineError(rec, err)
	}
	t.Learned++
	t.pending++
	if t.pending%256 == 0 && t.builder.Size() > flushAt {
		return t.Flush()
	}
	return nil
}

func (t *Trainer) learn(rec *dataset.Record) error {
	isNew, err := t.admit(rec.Label)
	if err != nil {
		return err
	}
	if err := extract(t.extract, &t.f, &rec.Input); err != nil {
		return err
	}
	if rec.Explicit {
		if err := t.repeated(rec); err != nil {
			return err
		}
	}
	t.builder.Observe(rec.Label, rec.Weight, &t.f)
	if isNew {
		t.fresh[strings.Clone(rec.Label)] = true
	}
	return nil
}

// repeated deals with an id that was there before.
func (t *Trainer) repeated(rec *dataset.Record) error {
	if t.replace == nil {
		if before, again := t.seen.add(rec.ID, location{rec.File, rec.Line}); again {
			return wire.Rejectf(wire.BadID, "id %q is the id of %s already: make ids unique, or let the later record count with --replace", rec.ID, before)
		}
		return nil
	}
	if o := t.replace[rec.ID]; o != nil {
		var f model.Features
		if err := extract(t.extract, &f, &o.input); err != nil {
			return err
		}
		t.builder.Observe(o.label, -o.weight, &f)
		t.Learned--
	}
	t.replace[strings.Clone(rec.ID)] = &old{label: rec.Label, weight: rec.Weight, input: cloneInput(&rec.Input)}
	return nil
}

func cloneInput(in *model.Input) model.Input {
	out := model.Input{Numbers: slices.Clone(in.Numbers)}
	for _, s := range in.Segments {
		out.Segments = append(out.Segments, model.Segment{Mark: s.Mark, Text: slices.Clone(s.Text)})
	}
	for _, c := range in.Categories {
		out.Categories = append(out.Categories, model.Category{Value: slices.Clone(c.Value), Present: c.Present})
	}
	return out
}

// admit reports whether a label is a class that was not there before, and refuses one class too many.
func (t *Trainer) admit(label string) (isNew bool, err error) {
	classes := t.state.Model().Classes()
	if _, ok := classes.ID(label); ok || t.fresh[label] {
		return false, nil
	}
	if limit := t.state.Model().Spec().Limits.Classes; len(classes.Live())+len(t.fresh) >= limit {
		return false, wire.Rejectf(wire.TooManyClasses, "label %q would be one class more than the %d of limits.classes", label, limit)
	}
	return true, nil
}

// Flush adds what was observed to the model. It must be called at the end.
func (t *Trainer) Flush() error {
	if err := t.state.Model().Apply(t.builder.Delta()); err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	t.builder.Reset()
	clear(t.fresh)
	return nil
}

// extract is Extract whose errors are *wire.Reject.
func extract(x *model.Extractor, f *model.Features, in *model.Input) error {
	err := x.Extract(f, in)
	if err == nil {
		return nil
	}
	var many *model.ErrTooManyTerms
	if errors.As(err, &many) {
		return wire.Rejectf(wire.TooManyTerms, "%v", many)
	}
	return err
}

// lineError says in which record of which file something is wrong.
func lineError(rec *dataset.Record, err error) error {
	return &wire.LineError{File: rec.File, Line: rec.Line, Err: err}
}
