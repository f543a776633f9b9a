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

// void takes one record out.
func (f *logFlags) void(ctx context.Context, p cli.Process, client *stream.Client) error {
	if !f.AcceptLoss {
		if err := f.checkRecount(ctx, client); err != nil {
			return err
		}
	}
	at, err := modellog.VoidRecords(ctx, client, f.ModelTopic, f.Void.offset, f.Void.offset+1, f.Why)
	if err != nil {
		return refusedAsWrong(err)
	}
	done := struct {
		Void   int64 `json:"void"`
		Offset int64 `json:"offset"`
	}{f.Void.offset, at}
	return result(p, f.JSON, done, func(out *printer) {
		out.f("the record at offset %d of %s is taken out by the one at offset %d; workers that have counted it start over "+
			"from the log\n", f.Void.offset, f.ModelTopic, at)
	})
}

// checkRecount refuses to take out a delta if not all can be counted again that is not counted then,
// or if workers would have to start over without the head of the log.
func (f *logFlags) checkRecount(ctx context.Context, client *stream.Client) error {
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
	again, err := f.countedAgain(ctx, client)
	if err != nil {
		return fmt.Errorf("what is counted again without the record at offset %d: %w; --accept-loss does not ask",
			f.Void.offset, err)
	}
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

// countedDelta is a delta of the log that counts.
type countedDelta struct {
	offset int64
	ranges []fold.Range
}

// countedAgain returns the first range of each source that is counted again without the record: its
// own sources and, since a sum counts as a whole, those of later sums with one of them.
func (f *logFlags) countedAgain(ctx context.Context, client *stream.Client) (first []fold.Range, err error) {
	var counted []countedDelta
	err = modellog.Replay(ctx, client, f.ModelTopic, fold.New(false), -1, func(e fold.Entry, o fold.Outcome) {
		for len(counted) > 0 && counted[len(counted)-1].offset >= e.Offset { // behind a void the log is folded again
			counted = counted[:len(counted)-1]
		}
		if o == fold.Accepted && e.Offset >= f.Void.offset {
			counted = append(counted, countedDelta{e.Offset, e.Delta.Ranges})
		}
	})
	if err != nil || len(counted) == 0 || counted[0].offset != f.Void.offset {
		return nil, err
	}
	again := map[fold.Source]bool{}
	for i, d := range counted {
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
	return first, nil
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
