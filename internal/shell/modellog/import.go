package modellog

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// Imported is the result of Import.
type Imported struct {
	Source string `json:"source"` // import/<sha256>
	Spec   bool   `json:"spec"`   // the log had none and got the model's
	Chunks int64  `json:"chunks"` // of the model
	New    int64  `json:"new"`    // chunks that the log did not have
}

// RefusedError says why counts cannot be imported into a log.
type RefusedError struct{ Detail string }

func (e *RefusedError) Error() string { return e.Detail }

// Import appends the counts of a model to a model log, as deltas of a pseudo-source. The log counts
// each delta once, so Import may be repeated: it adds only what the log does not have yet. It calls
// progress, unless it is nil, with 0 and the number of deltas to append, and again after each of
// them. The first delta has the scores, nil for none.
func Import(ctx context.Context, client *stream.Client, topic string, source fold.Source, m *model.Model,
	scores *fold.Scores, progress func(appended, total int64)) (*Imported, error) {
	info, err := client.Topic(ctx, topic)
	if err != nil {
		return nil, err
	}
	if info.Partitions != 1 {
		return nil, &RefusedError{fmt.Sprintf("topic %q has %d partitions: a model log has one", topic, info.Partitions)}
	}
	a := &importer{ctx: ctx, client: client, topic: topic, model: m, scores: scores, log: fold.New(false), source: source,
		counted: map[int64]int64{}}
	a.out = &Imported{Source: source.Topic}
	if err := a.catchUp(); err != nil {
		return nil, err
	}
	if err := a.spec(); err != nil {
		return nil, err
	}
	before := a.watermark()
	if err := a.checkVoided(before); err != nil {
		return nil, err
	}
	if err := a.check(before); err != nil {
		return nil, err
	}
	a.progress = func() {
		if progress != nil {
			progress(a.appended, a.out.Chunks-before)
		}
	}
	a.progress()
	for {
		at := a.watermark()
		era := a.log.Era()
		if err := a.append(at); err != nil {
			return nil, err
		}
		if err := a.catchUp(); err != nil {
			return nil, err
		}
		switch now := a.watermark(); {
		case now == a.out.Chunks:
			a.out.New = now - before
			return a.out, nil
		case now == at && era == a.log.Era():
			return nil, &RefusedError{fmt.Sprintf("the log did not count chunk %d of %d of %s: the outcome is %q", now,
				a.out.Chunks, a.source.Topic, a.last)}
		}
	}
}

// importer is one call of Import.
type importer struct {
	ctx    context.Context //nolint:containedctx // of the one call of Import
	client *stream.Client
	topic  string
	model  *model.Model
	scores *fold.Scores
	log    *fold.State
	source fold.Source
	last   fold.Outcome // of a delta of the source
	out    *Imported

	counted map[int64]int64 // chunks of the source that are in the counts, by the offset in the log

	appended int64 // chunks
	progress func()
}

func (a *importer) catchUp() error {
	return Replay(a.ctx, a.client, a.topic, a.log, -1, func(e fold.Entry, o fold.Outcome) {
		if e.Delta != nil && e.Delta.Ranges[0].Source == a.source {
			a.last = o
			a.counted[e.Offset] = 0 // folded again behind a void
			if o == fold.Accepted {
				a.counted[e.Offset] = e.Delta.Ranges[0].End - e.Delta.Ranges[0].Start
			}
		}
	})
}

// checkVoided refuses a source of which a rollback has taken chunks out: its watermark stays behind
// them, so that the log would never count them again.
func (a *importer) checkVoided(watermark int64) error {
	voided := watermark
	for _, n := range a.counted {
		voided -= n
	}
	if voided <= 0 {
		return nil
	}
	return &RefusedError{fmt.Sprintf("a rollback of the model log in %q took these counts out for good: import them into "+
		"a new model topic, or a model of other documents into this one", a.topic)}
}

// spec appends the spec of the model to a log without one, else compares it with the log's.
func (a *importer) spec() error {
	if w := cmp.Or(a.log.Spec(), a.model.Spec()).Limits.Window; !w.IsZero() {
		return &RefusedError{fmt.Sprintf("the spec for the model log in %q has limits.window %s, which imported counts "+
			"never leave: send the documents to the training topic, or use a spec without a window", a.topic, w)}
	}
	if a.log.Model() == nil {
		value, err := codec.EncodeSpec(a.model.Spec(), NewID())
		if err != nil {
			return fmt.Errorf("encode the spec: %w", err)
		}
		if err := a.produce(value); err != nil {
			return err
		}
		a.out.Spec = true
		if err := a.catchUp(); err != nil {
			return err
		}
		if a.log.Model() == nil {
			return errors.New("the spec was appended to the log, which still has none")
		}
	}
	if diff := a.model.Spec().CountingDifference(a.log.Model().Spec()); diff != "" {
		return &RefusedError{fmt.Sprintf("the model log in %q counts differently: %s; import into a new model topic", a.topic,
			diff)}
	}
	return nil
}

func (a *importer) watermark() int64 {
	p, _ := a.log.Progress(a.source)
	return p.Watermark
}

// check counts the chunks and returns an error if one of them cannot be appended, before the first
// is: a record of the log cannot be taken back.
func (a *importer) check(from int64) error {
	all := len(a.log.Model().Classes().Live())
	for _, id := range a.model.Classes().Live() {
		if _, ok := a.log.Model().Classes().ID(a.model.Classes().Name(id)); !ok {
			all++
		}
	}
	if limit := a.log.Model().Spec().Limits.Classes; all > limit {
		return &RefusedError{fmt.Sprintf("the model log in %q would have %d classes, limits.classes is %d", a.topic, all,
			limit)}
	}
	if err := fits(a.log.Model(), a.model); err != nil {
		return &RefusedError{fmt.Sprintf("the counts do not fit into the model log in %q: %v", a.topic, err)}
	}
	return Chunks(a.model, a.source, func(d *fold.Delta) error {
		a.out.Chunks++
		if d.Ranges[0].Start < from {
			return nil
		}
		_, err := a.encode(d)
		return err
	})
}

// fits reports whether the counts of a model can be added to the counts of a log.
func fits(log, m *model.Model) error {
	for _, id := range m.Classes().Live() {
		name := m.Classes().Name(id)
		have, ok := log.Classes().ID(name)
		if !ok {
			continue
		}
		if m.Classes().Documents(id) > counts.MaxCount-log.Classes().Documents(have) {
			return fmt.Errorf("class %q would have more documents than can be counted", name)
		}
		for i, table := range m.Tables() {
			if table.Total(id) > counts.MaxCount-log.Tables()[i].Total(have) {
				return fmt.Errorf("class %q would have more than %d tokens", name, int64(counts.MaxCount))
			}
		}
	}
	return nil
}

func (a *importer) append(from int64) error {
	basis := a.log.Basis(a.source)
	return Chunks(a.model, a.source, func(d *fold.Delta) error {
		if d.Ranges[0].Start < from {
			return nil
		}
		d.BuildOn(basis)
		value, err := a.encode(d)
		if err != nil {
			return err
		}
		if err := a.produce(value); err != nil {
			return err
		}
		basis.Previous = codec.Sum(value)
		a.appended++
		a.progress()
		return nil
	})
}

// encode returns the record of a chunk, built on the log as it was folded last.
func (a *importer) encode(d *fold.Delta) ([]byte, error) {
	if d.Ranges[0].Start == 0 {
		d.Scores = a.scores
	}
	d.Log = a.log.Log()
	value, err := codec.EncodeDelta(d)
	if err != nil {
		return nil, fmt.Errorf("encode chunk %d: %w", d.Ranges[0].Start, err)
	}
	if len(value) > codec.MaxDelta {
		return nil, &RefusedError{fmt.Sprintf("one class alone takes %d bytes, more than the %d of a record of the log: "+
			"the spec has too many numbers", len(value), codec.MaxDelta)}
	}
	return value, nil
}

// produce appends one record. A duplicate after a lost answer does no harm: the fold skips it.
func (a *importer) produce(value []byte) error {
	if _, err := a.client.ProduceLogRetry(a.ctx, a.topic, 0, []stream.Record{{Value: value}}); err != nil {
		return fmt.Errorf("append to the model log: %w; run the import again to continue it", err)
	}
	return nil
}

// NewID returns the id of a log that a spec may begin. It is random: with an equal one, a delta
// that was built on a deleted topic could count in the topic that was created under its name.
func NewID() fold.LogID {
	var id fold.LogID
	_, _ = rand.Read(id[:]) // it never fails
	return id
}
