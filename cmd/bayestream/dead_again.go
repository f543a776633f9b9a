package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
)

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

func (f *deadFlags) sendAgain(ctx context.Context, p cli.Process, client *stream.Client) error {
	var out deadAgain
	letters, err := f.byOrigin(ctx, client, func(l *wire.Letter) bool {
		if l.Truncated {
			out.Incomplete++
		}
		return !l.Truncated
	})
	if err != nil {
		return err
	}
	for from, list := range letters {
		if err := f.sendTo(ctx, client, from, list, &out); err != nil {
			return err
		}
	}
	verb := "sent again"
	if f.DryRun {
		verb = "would be sent again"
	}
	return result(p, f.JSON, out, func(o *printer) {
		o.f("%d %s; left out: %d that were sent again before, %d whose key came again, %d of which a part is missing\n",
			out.Sent, verb, out.SentBefore, out.Superseded, out.Incomplete)
	})
}

// byOrigin returns the dead letters that the flags choose and keep does not leave out, those of a
// partition in the order in which they stood there.
func (f *deadFlags) byOrigin(ctx context.Context, client *stream.Client,
	keep func(*wire.Letter) bool) (map[origin][]wire.Letter, error) {
	letters := map[origin][]wire.Letter{}
	err := f.each(ctx, client, func(l wire.Letter) error {
		if keep(&l) {
			from := origin{l.Topic, l.Partition}
			letters[from] = append(letters[from], l)
		}
		return nil
	})
	for _, list := range letters {
		slices.SortStableFunc(list, func(a, b wire.Letter) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	return letters, err
}

// eachOpen calls do for the dead letters that the flags choose, and of which nothing came again: in
// the order of their topic.
func (f *deadFlags) eachOpen(ctx context.Context, client *stream.Client, do func(wire.Letter) error) error {
	letters, err := f.byOrigin(ctx, client, func(*wire.Letter) bool { return true })
	if err != nil {
		return err
	}
	var open []wire.Letter
	for from, list := range letters {
		later, err := readLater(ctx, client, from, list[0].Offset+1)
		if err != nil {
			return err
		}
		for i := range list {
			if later.fateOf(list, i) == isOpen {
				open = append(open, list[i])
			}
		}
	}
	slices.SortFunc(open, func(a, b wire.Letter) int {
		return cmp.Or(cmp.Compare(a.Record.Partition, b.Record.Partition), cmp.Compare(a.Record.Offset, b.Record.Offset))
	})
	for _, l := range open {
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}

// sendTo writes the records that came from a partition, in their order.
func (f *deadFlags) sendTo(ctx context.Context, client *stream.Client, from origin, letters []wire.Letter,
	out *deadAgain) error {
	later, err := readLater(ctx, client, from, letters[0].Offset+1)
	if err != nil {
		return err
	}
	writer, err := client.NewKeyedWriter(ctx, from.topic)
	if err != nil {
		return err
	}
	for i := range letters {
		switch later.fateOf(letters, i) {
		case wasSentAgain:
			out.SentBefore++
			continue
		case keyCameAgain:
			out.Superseded++
			continue
		case isThereTwice:
			continue
		}
		out.Sent++
		if f.DryRun {
			continue
		}
		if err := writer.WriteTo(ctx, from.partition, letters[i].Again()); err != nil {
			return err
		}
	}
	return writer.Flush(ctx)
}

// fate is what became of the record of a dead letter since.
type fate int

const (
	isOpen fate = iota
	wasSentAgain
	keyCameAgain
	isThereTwice // the letter before is of the same record
)

// fateOf returns that of the i-th of the letters of a partition, which are in their order.
func (r *later) fateOf(letters []wire.Letter, i int) fate {
	l := &letters[i]
	switch {
	case r.places[l.Place()] > l.Offset:
		return wasSentAgain
	case l.Record.Key != nil && r.keys[string(l.Record.Key)] > l.Offset:
		return keyCameAgain
	case i > 0 && letters[i-1].Offset == l.Offset:
		return isThereTwice
	}
	return isOpen
}

// later is what follows a place of a partition: the last offset of each key, and of each
// first place.
type later struct {
	keys   map[string]int64
	places map[string]int64
}

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
