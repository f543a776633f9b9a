package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/dataset"
)

// composer makes the records of a topic from the records of files.
type composer struct {
	spec      *spec.Spec
	documents bool // not training records
	elsewhere bool // label or id are in other fields than the spec says
	asIs      bool // an object of JSON Lines is a record
}

// composer returns the composer of the flags.
func (f *sendFlags) composer(ctx context.Context, client *stream.Client) (*composer, error) {
	var s *spec.Spec
	var err error
	if f.Spec != "" {
		s, err = (&shortFlags{}).spec(f.Spec)
	} else {
		s, err = specOfLog(ctx, client, f.ModelTopic)
	}
	if err != nil {
		return nil, err
	}
	otherText := s.Text != nil && f.TextField != "" && !slices.Equal(s.TextFields(), []string{f.TextField})
	at := s.RecordPlaces()
	c := &composer{spec: s, documents: f.Documents}
	c.elsewhere = cmp.Or(f.LabelField, at.Label.Field) != at.Label.Field ||
		cmp.Or(f.IDField, at.ID.Field) != at.ID.Field || f.LabelType != wire.LabelString && at.Label.Type != f.LabelType
	c.asIs = f.Label == "" && !otherText && !c.elsewhere
	return c, nil
}

// specOfLog returns the spec that is in force at the end of a model log, and the default spec where
// there is no log. Only the fold knows which of its specs that is.
func specOfLog(ctx context.Context, client *stream.Client, topic string) (*spec.Spec, error) {
	task := progress.From(ctx).Begin("folding "+topic, "records", progress.Unknown)
	defer task.End()
	state := fold.New(false)
	err := modellog.Replay(ctx, client, topic, state, -1, func(fold.Entry, fold.Outcome) { task.Add(1) })
	var cut *modellog.TruncatedError
	switch {
	case errors.Is(err, stream.ErrUnknownTopic) || err == nil && state.Next() == 0:
		return spec.Default(), nil
	case errors.As(err, &cut) || err == nil && state.Spec() == nil:
		return nil, cli.WrongInput(fmt.Errorf("the model log %s does not begin with a spec, which says where records have "+
			"label and id: name the spec with send --spec, or correct at POST /v1/labels of ingest", topic))
	case err != nil:
		return nil, err
	}
	return state.Spec(), nil
}

// headers returns those that the spec has records have.
func (c *composer) headers(rec *dataset.Record) (out []stream.Header) {
	at := c.spec.RecordPlaces()
	put := func(name, value string, has bool) {
		if name != "" && has {
			out = append(out, stream.Header{Key: name, Value: []byte(value)})
		}
	}
	put(at.Label.Header, rec.Label, !c.documents)
	put(at.ID.Header, rec.ID, rec.Explicit)
	put(at.Weight.Header, strconv.FormatInt(rec.Weight, 10), !c.documents && rec.Weight > 1)
	return out
}

// compose returns the record of a document, in memory of its own. The key is the id, if the
// document has one.
func (c *composer) compose(rec *dataset.Record) (stream.Record, error) {
	var out stream.Record
	if rec.Explicit {
		out.Key = []byte(rec.ID)
	}
	if c.spec.IsJSON() && rec.Format == wire.FormatJSON && (c.asIs || rec.Bare) {
		if c.elsewhere {
			return out, cli.WrongInput(errors.New("a label without a document is sent as it is: write it with the fields " +
				"that the spec names in records"))
		}
		out.Value = slices.Clone(rec.Value)
		return out, nil
	}
	out.Headers = c.headers(rec)
	value, err := rec.Body(c.spec, !c.documents)
	out.Value = slices.Clone(value)
	return out, err
}
