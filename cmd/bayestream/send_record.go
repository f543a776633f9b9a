package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	spec        *spec.Spec
	documents   bool   // not training records
	asIs        bool   // an object of JSON Lines is a record
	labelHeader string // of mails and lines of text
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
	c := &composer{spec: s, documents: f.Documents, labelHeader: f.LabelHeader, asIs: f.Label == "" && !otherText}
	if !c.documents && !s.IsJSON() && f.LabelHeader == "" {
		return nil, cli.WrongInput(fmt.Errorf("--label-header is missing: a record of the format %s has no field for a "+
			"label, so ingest reads it from a header; "+
			"give send the same name as ingest", s.Format))
	}
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
		return nil, cli.WrongInput(fmt.Errorf("the model log %s does not begin with a spec: "+
			"name the spec of the model with --spec", topic))
	case err != nil:
		return nil, err
	}
	return state.Spec(), nil
}

// compose returns the record of a document, in memory of its own. The key is the id, if the
// document has one.
func (c *composer) compose(rec *dataset.Record) (stream.Record, error) {
	var out stream.Record
	if rec.Explicit {
		out.Key = []byte(rec.ID)
	}
	json := c.spec.IsJSON()
	if !json && !c.documents {
		out.Headers = []stream.Header{{Key: c.labelHeader, Value: []byte(rec.Label)}}
	}
	if json && rec.Format == wire.FormatJSON && (c.asIs || rec.Bare) {
		out.Value = slices.Clone(rec.Value)
		return out, nil
	}
	value, err := rec.Body(c.spec, !c.documents)
	out.Value = slices.Clone(value)
	return out, err
}
