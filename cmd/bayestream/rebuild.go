package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/modelfile"
)

func init() {
	register(verb{
		name: "rebuild", group: "Keep it", place: 7,
		summary: "Write the model as it was at an offset or a time of the model log.",
		example: "bayestream rebuild --brokers=127.0.0.1:9092 --until=2h --model=then.db",
		run:     cli.Watched(runRebuild),
		outline: outline[rebuildFlags](&rebuildCommand),
	})
}

// rebuildFlags are the flags of the verb rebuild.
type rebuildFlags struct {
	Until logPoint         `placeholder:"OFFSET|TIME" help:"Where to stop: an offset of the model log, whose record is not folded any more, a time, or how long ago. Default: the end of the log."`
	Start config.FileOrURL `complete:"file" placeholder:"M.db|URL" help:"Snapshot or model file to start from, not later than --until, for a log whose start was deleted. Default: the start of the log."`
	Model string           `required:"" type:"path" placeholder:"OUT.db" help:"Output model file. It must not exist."`
	JSON  bool             `name:"json" help:"Write the result as one JSON object."`

	brokerFlags `embed:""`
}

var rebuildCommand = config.Command{
	Name: program + " rebuild",
	About: "Folds the model log into a new model file, up to an offset or a time: the model as it was then, to the last count. What was taken back later, by rollback or " +
		"by log --void, still counts in it. Use it to see what a model knew when it decided, to compare it with the model of today, or to find the offset for rollback.",
	Examples: []config.Example{
		{What: "The model of two hours ago", Type: "bayestream rebuild --brokers=127.0.0.1:9092 --until=2h --model=then.db"},
		{What: "The model before the record at offset 120", Type: "bayestream rebuild --brokers=127.0.0.1:9092 --until=120 --model=before.db"},
	},
}

// Validate returns all problems of the flags.
func (f rebuildFlags) Validate() error { return errors.Join(f.needBrokers()...) }

// rebuilt is the output of rebuild.
type rebuilt struct {
	Model     string `json:"model"`
	Log       string `json:"log"`
	Next      int64  `json:"next"` // offset of the first record that was not folded
	Documents int64  `json:"documents"`
	Classes   int    `json:"classes"`
}

func runRebuild(ctx context.Context, p cli.Process) error {
	var f rebuildFlags
	if err := rebuildCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	if err := hasFolder(f.Model); err != nil {
		return err
	}
	if _, err := os.Lstat(f.Model); err == nil {
		return cli.WrongInput(&modelfile.ExistsError{Path: f.Model})
	}
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	state, err := f.rebuild(ctx, client)
	if err != nil {
		return err
	}
	classes := state.Model().Classes()
	out := rebuilt{Model: f.Model, Log: f.ModelTopic, Next: state.Next(), Documents: classes.Total(), Classes: len(classes.Live())}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(out)
	}
	_, err = fmt.Fprintf(p.Stdout, "%s is the model at offset %d of the model log %s: %s in %s\n",
		out.Model, out.Next, out.Log, counted(out.Documents, "document"), counted(out.Classes, "class"))
	return err
}

// rebuild writes the model to a file beside --model, and gives it its name when it is complete.
func (f *rebuildFlags) rebuild(ctx context.Context, client *stream.Client) (state *fold.State, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(f.Model), "."+filepath.Base(f.Model)+"-*")
	if err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "model.db")
	if f.Start != "" {
		if err := modelfile.Restore(ctx, f.Start.Reveal(), path); err != nil {
			return nil, copyError(err)
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
		err = f.replay(ctx, client, state)
	}
	if err == nil {
		err = file.Write(store.Collect(state))
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return state, store.Place(path, f.Model)
}

// replay folds the log into state up to --until.
func (f *rebuildFlags) replay(ctx context.Context, client *stream.Client, state *fold.State) error {
	end := int64(-1)
	if f.Until.isSet() {
		var err error
		end, err = f.Until.resolve(ctx, client, f.ModelTopic)
		if err != nil {
			return err
		}
	}
	if end >= 0 && state.Next() > end {
		return cli.WrongInput(fmt.Errorf("%s is the model at offset %d of the log, later than --until, which is offset %d: start from an older snapshot", f.Start, state.Next(), end))
	}
	task := progress.From(ctx).Begin("folding the log", "records", max(end-state.Next(), 0))
	defer task.End()
	err := modellog.Replay(ctx, client, f.ModelTopic, state, end, func(fold.Entry, fold.Outcome) { task.Add(1) })
	var cut *modellog.TruncatedError
	var short *modellog.DifferenceError
	switch {
	case errors.As(err, &cut):
		return cli.WrongInput(fmt.Errorf("the model log %s starts at offset %d, and the records before it are needed: name a snapshot from offset %d or later with --start",
			f.ModelTopic, cut.Start, cut.Start))
	case errors.As(err, &short):
		return cli.WrongInput(fmt.Errorf("--until %s is offset %d, beyond the end of the model log %s", f.Until.text, end, f.ModelTopic))
	case err == nil && state.Model() == nil:
		return cli.WrongInput(fmt.Errorf("the model log %s holds no spec before offset %d: there was no model yet; choose a later --until", f.ModelTopic, state.Next()))
	}
	return err
}
