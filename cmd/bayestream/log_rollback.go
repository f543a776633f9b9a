package main

import (
	"context"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
)

type rolledBack struct {
	From      int64  `json:"from"`      // offset of the first record that is taken out
	Offset    *int64 `json:"offset"`    // of the control record; null: a dry run
	Deltas    int    `json:"deltas"`    // that no longer count
	Documents int64  `json:"documents"` // that they added, less those that they took out
	Removed   int64  `json:"removed"`   // documents that they took out
	Renames   int    `json:"renames"`   // of classes, that no longer count
	Resets    int    `json:"resets"`    // that no longer count
	Forgets   int    `json:"forgets"`   // that stay in force
	Rollback  *int64 `json:"rollback"`  // offset of the last rollback among them, which stays in force; null: none
}

func (f *logFlags) rollback(ctx context.Context, p cli.Process, client *stream.Client) error {
	from, err := f.begin(ctx, client)
	if err != nil {
		return err
	}
	out := rolledBack{From: from}
	build := modellog.Rollback(from, f.Why)
	state := fold.New(true)
	changes := map[int64]rolledBack{} // by offset: behind a void the log is folded again, and the last ones hold
	now, err := judge(ctx, client, f.ModelTopic, state, func(e fold.Entry, o fold.Outcome) {
		if e.Offset >= from {
			changes[e.Offset] = changeOf(&e, o)
		}
	})
	for _, c := range changes {
		out.add(&c)
	}
	out.Rollback = now.lastRollback(from)
	if err == nil && from > 0 && from < state.Next() {
		err = out.check(f.Rollback.text)
	}
	if err == nil && f.DryRun {
		_, err = build(ctx, client, f.ModelTopic, state)
	} else if err == nil {
		var at int64
		at, err = modellog.Command(ctx, client, f.ModelTopic, state, build)
		out.Offset = &at
	}
	if err != nil {
		return refusedAsWrong(behindCut(err, "log --rollback",
			"forget or relabel the documents that are wrong, or count into a new --model-topic; "+
				"copy --start writes the model of an offset to a file, from a snapshot before it"))
	}
	return result(p, f.JSON, out, func(o *printer) { out.write(o, f.ModelTopic) })
}

// begin returns the offset of the first record that is taken out.
func (f *logFlags) begin(ctx context.Context, client *stream.Client) (int64, error) {
	from, err := f.Rollback.resolve(ctx, client, f.ModelTopic)
	if err != nil || f.Rollback.at.IsZero() {
		return from, err
	}
	first, end, err := client.Offsets(ctx, f.ModelTopic, 0)
	switch {
	case err != nil:
		return 0, fmt.Errorf("model topic %q: %w", f.ModelTopic, err)
	case from >= end:
		return 0, cli.WrongInput(fmt.Errorf("--rollback %s: there is nothing to take out, because nothing came into the "+
			"model log %s since then", f.Rollback.text, f.ModelTopic))
	case from == 0 && first == 0:
		return 0, cli.WrongInput(fmt.Errorf("--rollback %s: the model log %s is younger, and its first record, the spec, "+
			"stays; --rollback=1 takes out all that was learned", f.Rollback.text, f.ModelTopic))
	}
	return from, nil
}

// add adds the numbers of a change.
func (out *rolledBack) add(c *rolledBack) {
	out.Deltas += c.Deltas
	out.Documents += c.Documents
	out.Removed += c.Removed
	out.Renames += c.Renames
	out.Resets += c.Resets
	out.Forgets += c.Forgets
}

// changeOf counts what an entry changed. What upkeep takes out has left a window: it is no forget.
func changeOf(e *fold.Entry, o fold.Outcome) (out rolledBack) {
	if o == fold.Controlled && e.Control.Rename != nil {
		out.Renames++
	}
	if o == fold.Controlled && e.Control.Reset != nil {
		out.Resets++
	}
	if o != fold.Accepted || e.Delta == nil {
		return out
	}
	out.Deltas++
	for _, n := range e.Delta.Counts.Documents {
		out.Documents += n
		out.Removed -= min(n, 0)
	}
	for _, r := range e.Delta.Ranges {
		for _, c := range r.Ledger {
			if c.Put == nil && !r.IsUpkeep() {
				out.Forgets++
			}
		}
	}
	return out
}

// check refuses a rollback that takes nothing out.
func (out *rolledBack) check(text string) error {
	switch {
	case out.Deltas+out.Renames+out.Resets > 0:
		return nil
	case out.Rollback == nil:
		return cli.WrongInput(fmt.Errorf("--rollback %s: there is nothing to take out: no record from offset %d on counts",
			text, out.From))
	}
	return cli.WrongInput(fmt.Errorf("--rollback %s takes nothing out: bayestream log --void=%d --why=TEXT undoes the "+
		"rollback at offset %d", text, *out.Rollback, *out.Rollback))
}

func (out *rolledBack) write(w *printer, topic string) {
	what := "would be taken out"
	if out.Offset != nil {
		what = "taken out"
	}
	renames := ""
	if out.Renames > 0 {
		renames = ", and " + counted(out.Renames, "rename")
	}
	w.f("%s: %s, which counted %s and took out %d%s, from offset %d of the model log %s on; "+
		"forgets among them that stay in force: %d\n",
		what, counted(out.Deltas, "delta"), counted(out.Documents+out.Removed,
			"document"), out.Removed, renames, out.From, topic, out.Forgets)
	if out.Rollback != nil {
		w.f("the rollback at offset %d among them stays in force; bayestream log --void=%d --why=TEXT undoes it\n",
			*out.Rollback, *out.Rollback)
	}
	if out.Offset != nil {
		w.f("the control record has offset %d; workers start over from the log\n", *out.Offset)
	}
}
