package exchange

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/cli/progress"
	"bayestream/internal/counts"
	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/modellog"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/stream"
)

// Appended is what became of an import into a model log.
type Appended struct {
	Source string `json:"source"` // import/<sha256>
	Spec   bool   `json:"spec"`   // the log had none and got that of the file
	Chunks int64  `json:"chunks"` // of the file
	New    int64  `json:"new"`    // of them, that the log did not have
}

// RefusedError says that counts cannot enter a log.
type RefusedError struct{ Detail string }

func (e *RefusedError) Error() string { return e.Detail }

// Append brings the counts of a model into a model log. The fold rule takes each chunk once, so that this
// may be repeated: what is there already is not added again, and what a broken run left out is.
func Append(ctx context.Context, client *stream.Client, topic string, m *model.Model) (*Appended, error) {
	info, err := client.Topic(ctx, topic)
	if err != nil {
		return nil, err
	}
	if info.Partitions != 1 {
		return nil, &RefusedError{fmt.Sprintf("topic %q has %d partitions: a model log has one", topic, info.Partitions)}
	}
	a := &appender{ctx: ctx, client: client, topic: topic, model: m, log: fold.New(false)}
	if a.source, err = Source(m); err != nil {
		return nil, err
	}
	a.out = &Appended{Source: a.source.Topic}
	if err := a.catchUp(); err != nil {
		return nil, err
	}
	if err := a.spec(); err != nil {
		return nil, err
	}
	before := a.watermark()
	defer func() { a.task.End() }()
	if err := a.refuse(before); err != nil {
		return nil, err
	}
	a.task = progress.From(ctx).Begin("appending to the log", "chunks", a.out.Chunks-before)
	for {
		at := a.watermark()
		if err := a.append(at); err != nil {
			return nil, err
		}
		if err := a.catchUp(); err != nil {
			return nil, err
		}
		switch now := a.watermark(); now {
		case a.out.Chunks:
			a.out.New = now - before
			return a.out, nil
		case at:
			return nil, &RefusedError{fmt.Sprintf("the log does not take chunk %d of %d of %s: its outcome is %q", now, a.out.Chunks, a.source.Topic, a.last)}
		}
	}
}

type appender struct {
	ctx    context.Context //nolint:containedctx // of the one call of Append
	client *stream.Client
	topic  string
	model  *model.Model
	log    *fold.State
	source fold.Source
	last   fold.Outcome // of the source
	out    *Appended
	task   *progress.Task // the chunks that the log does not have
}

func (a *appender) catchUp() error {
	return modellog.Replay(a.ctx, a.client, a.topic, a.log, -1, func(e fold.Entry, o fold.Outcome) {
		if e.Delta != nil && e.Delta.Source == a.source {
			a.last = o
		}
	})
}

// spec gives the log a spec if it has none, and compares the one in force.
func (a *appender) spec() error {
	if a.log.Model() == nil {
		value, err := codec.EncodeSpec(a.model.Spec())
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
			return errors.New("the spec was appended to the log and is not there")
		}
	}
	if diff := a.model.Spec().CountingDifference(a.log.Model().Spec()); diff != "" {
		return &RefusedError{fmt.Sprintf("the model log in %q counts differently: %s; import into a new model topic", a.topic, diff)}
	}
	return nil
}

func (a *appender) watermark() int64 {
	p, _ := a.log.Progress(a.source)
	return p.Watermark
}

// refuse looks at all chunks before the first is appended: a log takes nothing back.
func (a *appender) refuse(from int64) error {
	all := len(a.log.Model().Classes().Live())
	for _, id := range a.model.Classes().Live() {
		if _, ok := a.log.Model().Classes().ID(a.model.Classes().Name(id)); !ok {
			all++
		}
	}
	if limit := a.log.Model().Spec().Limits.Classes; all > limit {
		return &RefusedError{fmt.Sprintf("the model log in %q would have %d classes, limits.classes is %d", a.topic, all, limit)}
	}
	if err := fits(a.log.Model(), a.model); err != nil {
		return &RefusedError{fmt.Sprintf("the counts do not fit into the model log in %q: %v", a.topic, err)}
	}
	return Chunks(a.model, a.source, func(d *fold.Delta) error {
		a.out.Chunks++
		if d.Start < from {
			return nil
		}
		_, err := encode(d)
		return err
	})
}

// fits reports whether the counts of a model can be added to those of a log.
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

func (a *appender) append(from int64) error {
	return Chunks(a.model, a.source, func(d *fold.Delta) error {
		if d.Start < from {
			return nil
		}
		value, err := encode(d)
		if err != nil {
			return err
		}
		err = a.produce(value)
		a.task.Add(1)
		return err
	})
}

func encode(d *fold.Delta) ([]byte, error) {
	value, err := codec.EncodeDelta(d)
	if err != nil {
		return nil, fmt.Errorf("encode chunk %d: %w", d.Start, err)
	}
	if len(value) > codec.MaxDelta {
		return nil, &RefusedError{fmt.Sprintf("one class alone takes %d bytes, more than the %d of a record of the log: the spec has too many numbers", len(value), codec.MaxDelta)}
	}
	return value, nil
}

// produce appends one record. A repetition after a lost answer does no harm: the fold passes it over.
func (a *appender) produce(value []byte) error {
	if _, err := a.client.ProduceRetry(a.ctx, a.topic, 0, []stream.Record{{Value: value}}); err != nil {
		return fmt.Errorf("append to the model log: %w; run the import again: it goes on where it stopped", err)
	}
	return nil
}
