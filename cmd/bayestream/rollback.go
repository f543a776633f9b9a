package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
)

func init() {
	register(verb{
		name: "rollback", group: "Keep it", place: 9,
		summary: "Take everything that was learned since an offset or a time out of the model.",
		example: `bayestream rollback --brokers=127.0.0.1:9092 --to=2h --why="mislabelled batch"`,
		run:     cli.Watched(runRollback),
		outline: outline[rollbackFlags](&rollbackCommand),
	})
}

// rollbackFlags are the flags of the verb rollback.
type rollbackFlags struct {
	To     logPoint `required:"" placeholder:"OFFSET|TIME" help:"Where to go back to: the offset of the first record of the model log that is taken out, a time, or how long ago."`
	Why    string   `required:"" placeholder:"TEXT" help:"The reason, for those who read the log."`
	DryRun bool     `name:"dry-run" help:"Say what would be taken out, and change nothing."`
	JSON   bool     `name:"json" help:"Write the result as one JSON object."`

	brokerFlags `embed:""`
}

var rollbackCommand = config.Command{
	Name: program + " rollback",
	About: "Appends a control record after which the model is the one of an earlier offset of the model log: every worker starts over from the log and passes over what " +
		"was learned since. Nothing is counted again: the training records since then stay uncounted, unless they are sent again. Documents that were forgotten " +
		"since then stay forgotten: ingest takes them out once more. copy --until writes the model of that offset to a file, to look at it before.",
	Examples: []config.Example{
		{What: "What would be taken out", Type: `bayestream rollback --brokers=127.0.0.1:9092 --to=1 --why="mislabelled batch" --dry-run`},
		{What: "Go back by two hours", Type: `bayestream rollback --brokers=127.0.0.1:9092 --to=2h --why="mislabelled batch"`},
	},
}

// Validate returns all problems of the flags.
func (f rollbackFlags) Validate() error {
	found := f.needBrokers()
	if strings.TrimSpace(f.Why) == "" {
		found = append(found, errors.New("--why is empty: the reason stands in the log for those who read it later"))
	}
	return errors.Join(found...)
}

// rolledBack is the output of rollback.
type rolledBack struct {
	From      int64  `json:"from"`      // offset of the first record that is taken out
	Offset    *int64 `json:"offset"`    // of the control record; null: a dry run
	Deltas    int    `json:"deltas"`    // that no longer count
	Documents int64  `json:"documents"` // that they added, less those that they took out
	Removed   int64  `json:"removed"`   // documents that they took out
	Renames   int    `json:"renames"`   // of classes, that no longer count
	Forgets   int    `json:"forgets"`   // that stay in force
}

func runRollback(ctx context.Context, p cli.Process) error {
	var f rollbackFlags
	if err := rollbackCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	from, err := f.begin(ctx, client)
	if err != nil {
		return err
	}
	out := rolledBack{From: from}
	build := modellog.Rollback(from, f.Why)
	state := fold.New(true)
	changes := changesFrom{from: from, at: map[int64]rolledBack{}}
	err = modellog.Replay(ctx, client, f.ModelTopic, state, -1, func(e fold.Entry, o fold.Outcome) { changes.note(&e, o) })
	changes.sum(&out)
	if err == nil && f.DryRun {
		_, err = build(ctx, client, f.ModelTopic, state)
	} else if err == nil {
		var at int64
		at, err = modellog.Command(ctx, client, f.ModelTopic, state, build)
		out.Offset = &at
	}
	if err != nil {
		return refusedAsWrong(behindCut(err, "rollback", "forget or relabel the documents that are wrong, or count into a new --model-topic; "+
			"copy --start writes the model of an offset to a file, from a snapshot before it"))
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(out)
	}
	return out.write(&printer{w: p.Stdout}, f.ModelTopic)
}

// begin returns the offset of the first record that is taken out.
func (f *rollbackFlags) begin(ctx context.Context, client *stream.Client) (int64, error) {
	from, err := f.To.resolve(ctx, client, f.ModelTopic)
	if err != nil || f.To.at.IsZero() {
		return from, err
	}
	first, end, err := client.Offsets(ctx, f.ModelTopic, 0)
	switch {
	case err != nil:
		return 0, fmt.Errorf("model topic %q: %w", f.ModelTopic, err)
	case from >= end:
		return 0, cli.WrongInput(fmt.Errorf("--to %s: there is nothing to take out, because nothing came into the model log %s since then", f.To.text, f.ModelTopic))
	case from == 0 && first == 0:
		return 0, cli.WrongInput(fmt.Errorf("--to %s: the model log %s is younger, and its first record, the spec, stays; --to=1 takes out all that was learned", f.To.text, f.ModelTopic))
	}
	return from, nil
}

// changesFrom is what the entries from an offset on changed, by their offsets: behind a void the log is folded again, and what an
// entry changed then is what holds.
type changesFrom struct {
	from int64
	at   map[int64]rolledBack
}

func (c *changesFrom) note(e *fold.Entry, o fold.Outcome) {
	if e.Offset < c.from {
		return
	}
	var one rolledBack
	one.add(e, o)
	c.at[e.Offset] = one
}

// sum adds all changes to out.
func (c *changesFrom) sum(out *rolledBack) {
	for _, one := range c.at {
		out.Deltas += one.Deltas
		out.Documents += one.Documents
		out.Removed += one.Removed
		out.Renames += one.Renames
		out.Forgets += one.Forgets
	}
}

// add counts what an entry changed. What upkeep takes out has left a window: it is no forget.
func (out *rolledBack) add(e *fold.Entry, o fold.Outcome) {
	if o == fold.Controlled && e.Control.Rename != nil {
		out.Renames++
	}
	if o != fold.Accepted || e.Delta == nil {
		return
	}
	out.Deltas++
	for _, n := range e.Delta.Counts.Documents {
		out.Documents += n
		out.Removed -= min(n, 0)
	}
	for _, c := range e.Delta.Ledger {
		if c.Put == nil && !e.Delta.IsUpkeep() {
			out.Forgets++
		}
	}
}

func (out *rolledBack) write(w *printer, topic string) error {
	what := "would be taken out"
	if out.Offset != nil {
		what = "taken out"
	}
	renames := ""
	if out.Renames > 0 {
		renames = ", and " + counted(out.Renames, "rename")
	}
	w.f("%s: %s, which counted %s and took out %d%s, from offset %d of the model log %s on; forgets among them that stay in force: %d\n",
		what, counted(out.Deltas, "delta"), counted(out.Documents+out.Removed, "document"), out.Removed, renames, out.From, topic, out.Forgets)
	if out.Offset != nil {
		w.f("the control record has offset %d; workers start over from the log\n", *out.Offset)
	}
	return w.err
}
