package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
)

// deadAgain is the output of --send-again.
type deadAgain struct {
	Sent       int64 `json:"sent"`
	SentBefore int64 `json:"sent_before"` // they were sent again already
	Superseded int64 `json:"superseded"`  // a later record has their key
	Incomplete int64 `json:"incomplete"`  // a part of them is missing
}

// origin is a partition that dead letters came from.
type origin struct {
	topic     string
	partition int
}

// sendAgain writes the records of dead letters back to where they came from.
func (f *deadFlags) sendAgain(ctx context.Context, p cli.Process, client *stream.Client) error {
	letters := map[origin][]wire.Letter{}
	var out deadAgain
	err := f.each(ctx, client, func(l wire.Letter) error {
		if l.Truncated {
			out.Incomplete++
			return nil
		}
		from := origin{l.Topic, l.Partition}
		letters[from] = append(letters[from], l)
		return nil
	})
	if err != nil {
		return err
	}
	for from, list := range letters {
		if err := f.sendTo(ctx, client, from, list, &out); err != nil {
			return err
		}
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(out)
	}
	verb := "sent again"
	if f.DryRun {
		verb = "would be sent again"
	}
	_, err = fmt.Fprintf(p.Stdout, "%d %s; left out: %d that were sent again before, %d whose key came again, %d of "+
		"which a part is missing\n",
		out.Sent, verb, out.SentBefore, out.Superseded, out.Incomplete)
	return err
}

// sendTo writes the records that came from a partition, in the order in which they stood there.
func (f *deadFlags) sendTo(ctx context.Context, client *stream.Client, from origin, letters []wire.Letter,
	out *deadAgain) error {
	slices.SortFunc(letters, func(a, b wire.Letter) int { return int(a.Offset - b.Offset) })
	later, err := readLater(ctx, client, from, letters[0].Offset+1)
	if err != nil {
		return err
	}
	writer, err := client.NewKeyedWriter(ctx, from.topic)
	if err != nil {
		return err
	}
	for i := range letters {
		l := &letters[i]
		switch {
		case later.places[l.Place()] > l.Offset:
			out.SentBefore++
			continue
		case l.Record.Key != nil && later.keys[string(l.Record.Key)] > l.Offset:
			out.Superseded++
			continue
		case i > 0 && letters[i-1].Offset == l.Offset:
			continue // there twice
		}
		out.Sent++
		if f.DryRun {
			continue
		}
		if err := writer.WriteTo(ctx, from.partition, l.Again()); err != nil {
			return err
		}
	}
	return writer.Flush(ctx)
}

// later is what follows a place of a partition: the last offset of each key, and of each
// first place.
type later struct {
	keys   map[string]int64
	places map[string]int64
}

// readLater reads a partition from an offset on.
func readLater(ctx context.Context, client *stream.Client, from origin, next int64) (*later, error) {
	found := &later{map[string]int64{}, map[string]int64{}}
	first, end, err := client.Offsets(ctx, from.topic, from.partition)
	if err != nil {
		return nil, fmt.Errorf("%s/%d: %w", from.topic, from.partition, err)
	}
	next = max(next, first)
	task := progress.From(ctx).Begin("reading "+from.topic, "records", max(0, end-next))
	defer task.End()
	// nothing of those before
	tail := stream.Tail{Topic: from.topic, From: make([]int64, from.partition+1), Until: make([]int64, from.partition+1)}
	tail.From[from.partition], tail.Until[from.partition] = next, end
	err = client.EachOf(ctx, tail, func(r *stream.Record) error {
		if r.Key != nil {
			found.keys[string(r.Key)] = r.Offset
		}
		for _, h := range r.Headers {
			if h.Key == wire.FirstPlace {
				found.places[string(h.Value)] = r.Offset
			}
		}
		task.Add(1)
		return nil
	})
	if errors.Is(err, stream.ErrOffsetOutOfRange) {
		return nil, fmt.Errorf("%s/%d changes while it is read: %w", from.topic, from.partition, err)
	}
	return found, err
}
