package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
)

type voided struct {
	Void   int64   `json:"void"`
	Offset *int64  `json:"offset"`           // of the control record; null: a dry run
	Undone []int64 `json:"undone,omitempty"` // offsets of controls that are not in force any more
}

func (f *logFlags) void(ctx context.Context, p cli.Process, client *stream.Client) error {
	at := f.Void.offset
	v, err := modellog.VoidOf(ctx, client, f.ModelTopic, at, at+1)
	if err != nil {
		return refusedAsWrong(err)
	}
	var counted countedDeltas
	now, folding := judge(ctx, client, f.ModelTopic, fold.New(false), counted.noteFrom(at))
	if !f.AcceptLoss {
		if err := f.checkRecount(ctx, client, counted, folding); err != nil {
			return err
		}
	}
	done := voided{Void: at}
	if folding == nil { // else no worker of this version has come to what is behind the record
		if done.Undone, err = now.undone(ctx, client, f.ModelTopic, v); err != nil {
			return err
		}
	}
	for _, offset := range done.Undone {
		undoing(&printer{w: p.Stderr}, offset, now.controls[offset])
	}
	if !f.DryRun {
		offset, err := modellog.VoidRecords(ctx, client, f.ModelTopic, at, at+1, f.Why)
		if err != nil {
			return refusedAsWrong(err)
		}
		done.Offset = &offset
	}
	return result(p, f.JSON, done, func(out *printer) {
		if f.DryRun {
			out.f("the record at offset %d of %s would be taken out\n", at, f.ModelTopic)
			return
		}
		out.f("the record at offset %d of %s is taken out by the one at offset %d; workers that have counted it start over "+
			"from the log\n", at, f.ModelTopic, *done.Offset)
	})
}

// undoing says that a control will not be in force any more, and what to type then.
func undoing(out *printer, at int64, c *fold.Control) {
	const then = "once ingest has counted again, type it again: bayestream "
	switch {
	case c.Void != nil:
		out.f("warning: this undoes the rollback at offset %d: what it took out counts again\n"+
			"%slog --rollback=%d --why=TEXT (a later offset keeps more of what is counted again)\n", at, then, c.Void.From)
	case c.Rename != nil:
		out.f("warning: this undoes the rename at offset %d\n%slabels --rename %q %q\n", at, then, c.Rename.From, c.Rename.To)
	default:
		out.f("warning: this undoes the reset at offset %d: what was counted before it comes back\n", at)
	}
}

// checkRecount refuses to take out a delta if not all can be counted again that is not counted then,
// or if workers would have to start over without the head of the log. folding is why the log cannot
// be folded.
func (f *logFlags) checkRecount(ctx context.Context, client *stream.Client, counted countedDeltas,
	folding error) error {
	isCounted, err := f.isDelta(ctx, client)
	if err != nil || !isCounted {
		return err // nothing was counted; of a record that is not there the void says so
	}
	head, _, err := client.Offsets(ctx, f.ModelTopic, 0)
	if err != nil {
		return fmt.Errorf("model topic %q: %w", f.ModelTopic, err)
	}
	if head > 0 {
		return cli.WrongInput(fmt.Errorf("the model log %s starts at offset %d: workers that have counted the record at "+
			"offset %d would start over from the log, which lacks its head; "+
			"--accept-loss takes it out all the same", f.ModelTopic, head, f.Void.offset))
	}
	if folding != nil {
		return fmt.Errorf("what is counted again without the record at offset %d: %w; --accept-loss does not ask",
			f.Void.offset, folding)
	}
	again := counted.again(f.Void.offset)
	for i := range again {
		if err := checkRange(ctx, client, &again[i]); err != nil {
			return err
		}
	}
	return nil
}

// isDelta reports whether the record to take out is a delta that can be read.
func (f *logFlags) isDelta(ctx context.Context, client *stream.Client) (yes bool, err error) {
	err = modellog.Each(ctx, client, f.ModelTopic, f.Void.offset, f.Void.offset+1, func(rec *stream.Record) error {
		r := codec.Describe(rec.Value, rec.Offset)
		yes = r.Kind == "delta" && r.Problem == ""
		return nil
	})
	if errors.Is(err, stream.ErrOffsetOutOfRange) {
		return false, nil
	}
	return yes, err
}

type countedDelta struct {
	offset int64
	ranges []fold.Range
}

type countedDeltas []countedDelta

// noteFrom returns what notes the deltas from an offset on.
func (c *countedDeltas) noteFrom(from int64) func(fold.Entry, fold.Outcome) {
	return func(e fold.Entry, o fold.Outcome) {
		for n := len(*c); n > 0 && (*c)[n-1].offset >= e.Offset; n-- { // behind a void the log is folded again
			*c = (*c)[:n-1]
		}
		if o == fold.Accepted && e.Offset >= from {
			*c = append(*c, countedDelta{e.Offset, e.Delta.Ranges})
		}
	}
}

// again returns the first range of each source that is counted again without the record at an offset:
// its own sources and, since a sum counts as a whole, those of later sums with one of them.
func (c countedDeltas) again(at int64) (first []fold.Range) {
	if len(c) == 0 || c[0].offset != at {
		return nil
	}
	again := map[fold.Source]bool{}
	for i, d := range c {
		if i > 0 && !slices.ContainsFunc(d.ranges, func(r fold.Range) bool { return again[r.Source] }) {
			continue
		}
		for _, r := range d.ranges {
			if !again[r.Source] {
				again[r.Source] = true
				first = append(first, r)
			}
		}
	}
	return first
}

// checkRange refuses to take out a range whose records cannot be counted again.
func checkRange(ctx context.Context, client *stream.Client, r *fold.Range) error {
	if r.IsImport() {
		return nil // a file is imported again
	}
	name := sourceOf(&codec.Range{Topic: r.Topic, Partition: r.Partition, Generation: r.Generation, Start: r.Start,
		End: r.End})
	first, _, err := client.Offsets(ctx, r.Topic, int(r.Partition))
	if err != nil {
		return fmt.Errorf("whether the records of %s can be counted again: %w; --accept-loss does not ask", name, err)
	}
	if first > r.Start {
		return cli.WrongInput(fmt.Errorf("%s is counted again without the record, and the topic starts at offset %d: what "+
			"is deleted there cannot be counted again, and the partition would stop; "+
			"--accept-loss takes the record out all the same", name, first))
	}
	return nil
}
