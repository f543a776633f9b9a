package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/modelfile"
)

// fold writes the model of a model topic to a new file at path.
func (f *copyFlags) fold(ctx context.Context, p cli.Process, topic, path string) (state *fold.State, err error) {
	client, err := f.dial(p)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if f.Start != "" {
		if err := modelfile.Take(ctx, f.Start.Reveal(), path); err != nil {
			return nil, err
		}
	}
	file, err := store.Open(path, time.Second)
	if err != nil {
		return nil, err
	}
	state, err = file.Load()
	if err == nil && state == nil {
		state = fold.New(true)
	}
	if err == nil {
		err = f.replay(ctx, client, topic, state)
	}
	if err == nil {
		err = file.Write(store.Collect(state))
	}
	return state, errors.Join(err, file.Close())
}

// end returns the offset of --until, -1 without it.
func (f *copyFlags) end(ctx context.Context, client *stream.Client, topic string) (int64, error) {
	if !f.Until.isSet() {
		return -1, nil
	}
	return f.Until.resolve(ctx, client, topic)
}

// replay folds the topic into state up to --until.
func (f *copyFlags) replay(ctx context.Context, client *stream.Client, topic string, state *fold.State) error {
	end, err := f.end(ctx, client, topic)
	if err != nil {
		return err
	}
	if end >= 0 && state.Next() > end {
		return cli.WrongInput(fmt.Errorf("%s is the model at offset %d of the log, later than --until, which is offset %d: "+
			"start from an older snapshot", f.Start, state.Next(), end))
	}
	task := progress.From(ctx).Begin("folding the log", "records", max(end-state.Next(), 0))
	defer task.End()
	err = modellog.Replay(ctx, client, topic, state, end, func(fold.Entry, fold.Outcome) { task.Add(1) })
	if err == nil && state.Model() == nil {
		return cli.WrongInput(fmt.Errorf("the model topic %s holds no spec before offset %d: there was no model yet; "+
			"choose a later --until", topic, state.Next()))
	}
	return f.explain(err, topic, end)
}

// explain says what can be done about a topic that cannot be read from its start, or up to --until.
func (f *copyFlags) explain(err error, topic string, end int64) error {
	var cut *modellog.TruncatedError
	var short *modellog.DifferenceError
	switch {
	case errors.As(err, &cut):
		return cli.WrongInput(fmt.Errorf("the model topic %s starts at offset %d, and the records before it are needed: "+
			"name a snapshot from offset %d or later with --start",
			topic, cut.Start, cut.Start))
	case errors.As(err, &short):
		return cli.WrongInput(fmt.Errorf("--until %s is offset %d, beyond the end of the model topic %s", f.Until.text, end,
			topic))
	}
	return err
}

// clone copies the records of a model topic to another one, and returns the state of that.
func (f *copyFlags) clone(ctx context.Context, p cli.Process, from, to string) (*fold.State, error) {
	client, err := f.dial(p)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	end, err := f.end(ctx, client, from)
	if err != nil {
		return nil, err
	}
	if _, _, err := client.Offsets(ctx, from, 0); err != nil { // before the other topic is created
		return nil, fmt.Errorf("model topic %q: %w", from, err)
	}
	if err := emptyLog(ctx, p, client, to); err != nil {
		return nil, err
	}
	task := progress.From(ctx).Begin("copying "+from, "records", max(end, 0))
	defer task.End()
	err = modellog.Clone(ctx, client, from, to, end, func(n int) { task.Add(int64(n)) })
	var cut *modellog.TruncatedError
	if errors.As(err, &cut) {
		return nil, cli.WrongInput(fmt.Errorf("the model topic %s starts at offset %d: copy a snapshot of a worker, whose "+
			"counts do not need the records before it", from, cut.Start))
	}
	if err != nil {
		return nil, f.explain(err, from, end)
	}
	state := fold.New(true)
	err = modellog.Replay(ctx, client, to, state, -1, nil)
	if err == nil && state.Model() == nil {
		err = cli.WrongInput(fmt.Errorf("the model topic %s holds no spec before --until, so that %s holds no model", from,
			to))
	}
	return state, err
}
