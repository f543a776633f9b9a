package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"bayestream/bench/labelled"
	"bayestream/internal/shell/stream"
)

// limit is how long one correction may take before the measurement fails.
const limit = 30 * time.Second

// sight is the first decision on document n with a label.
type sight struct {
	n     int64
	label string
	at    time.Time
}

// measure teaches the model, corrects one label after the other and takes the times.
func (b *bench) measure(ctx context.Context, o options) (*figures, error) {
	if err := b.teach(o.knowledge); err != nil {
		return nil, b.failed(err)
	}
	var current atomic.Int64 // number of the document that is sent repeatedly
	var sent atomic.Int64
	sights := make(chan sight, 1024)
	b.group.Go(func() error { return b.send(o.rate, &current, &sent) })
	b.group.Go(func() error { return b.watch(sights) })
	f := &figures{Corrections: o.corrections, Rate: o.rate}
	begun := time.Now()
	for n := int64(1); n <= int64(o.corrections); n++ {
		if err := b.label(n, "before"); err != nil {
			return nil, b.failed(err)
		}
		current.Store(n)
		if _, err := b.await(ctx, sights, n, "before"); err != nil {
			return nil, b.failed(err)
		}
		start := time.Now()
		if err := b.label(n, "after"); err != nil {
			return nil, b.failed(err)
		}
		f.written = append(f.written, time.Since(start))
		seen, err := b.await(ctx, sights, n, "after")
		if err != nil {
			return nil, b.failed(err)
		}
		f.changed = append(f.changed, seen.Sub(start))
	}
	f.Documents = sent.Load()
	f.Seconds = time.Since(begun).Seconds()
	return f, nil
}

// teach writes documents with both labels, so that there is a table of some size.
func (b *bench) teach(documents int) error {
	var records []stream.Record
	for i := range documents {
		value := labelled.AppendTraining(nil, fmt.Sprintf("known-%d", i), []string{"before", "after"}[i%2],
			fmt.Sprintf("common words and number%d beside word%d", i, i%97))
		records = append(records, stream.Record{Value: value})
	}
	if len(records) == 0 {
		return nil
	}
	_, err := b.client.ProduceRetry(b.ctx, b.training, 0, records)
	return err
}

// label writes the label of document n; a second label replaces the first. The word of the document
// occurs in no other document, and often enough to decide the label.
func (b *bench) label(n int64, label string) error {
	value := labelled.AppendTraining(nil, fmt.Sprintf("document-%d", n), label, text(n))
	_, err := b.client.ProduceRetry(b.ctx, b.training, 0, []stream.Record{{Value: value}})
	return err
}

func text(n int64) string { return strings.Repeat(fmt.Sprintf("unique%dword ", n), 3) }

// send writes the current document at the rate until the bench ends.
func (b *bench) send(rate int, current, sent *atomic.Int64) error {
	const tick = 2 * time.Millisecond
	begun := time.Now()
	written := 0
	for b.ctx.Err() == nil {
		due := int(time.Since(begun).Seconds()*float64(rate)) + 1 - written
		if due <= 0 {
			stream.Sleep(b.ctx, tick)
			continue
		}
		n := current.Load()
		value := labelled.AppendDocument(nil, fmt.Sprintf("document-%d", n), text(n))
		records := make([]stream.Record, due)
		for i := range records {
			records[i].Value = value
		}
		if _, err := b.client.ProduceRetry(b.ctx, b.documents, 0, records); err != nil && b.ctx.Err() == nil {
			return err
		}
		written += due
		sent.Add(int64(due))
	}
	return nil
}

// watch reads decisions and passes on each with another document or label than the one before.
func (b *bench) watch(sights chan<- sight) error {
	last := sight{n: -1}
	for next := int64(0); b.ctx.Err() == nil; {
		got, err := b.client.Fetch(b.ctx, stream.FetchRequest{Topic: b.labels, Offset: next, Committed: true})
		if err != nil {
			if b.ctx.Err() != nil {
				return nil //nolint:nilerr // the bench is over
			}
			return err
		}
		now := time.Now()
		for i := range got.Records {
			s, ok := parse(got.Records[i].Value)
			if !ok || s.n == last.n && s.label == last.label {
				continue
			}
			s.at = now
			last = s
			select {
			case sights <- s:
			case <-b.ctx.Done():
			}
		}
		next = got.Next
	}
	return nil
}

// parse reads the id and the label of a decision, which are its first two keys.
func parse(value []byte) (s sight, ok bool) {
	head, rest, found := bytes.Cut(value, []byte(`","label":"`))
	label, _, ends := bytes.Cut(rest, []byte(`"`))
	if !found || !ends {
		return s, false
	}
	s.label = string(label)
	_, err := fmt.Sscanf(string(head), `{"id":"document-%d`, &s.n)
	return s, err == nil
}

// await returns the time at which the first decision on document n with the label was read.
func (b *bench) await(ctx context.Context, sights <-chan sight, n int64, label string) (time.Time, error) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		select {
		case s := <-sights:
			if s.n == n && s.label == label {
				return s.at, nil
			}
		case <-timeout.C:
			return time.Time{}, fmt.Errorf("document %d was not labelled %q within %v", n, label, limit)
		case <-b.ctx.Done():
			return time.Time{}, context.Cause(b.ctx)
		case <-ctx.Done():
			return time.Time{}, context.Cause(ctx)
		}
	}
}
