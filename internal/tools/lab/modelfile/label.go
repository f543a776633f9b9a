package modelfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"bayestream/internal/tools/lab/dataset"

	"golang.org/x/sync/errgroup"
)

// A Labeller appends the output for a record to dst.
type Labeller func(dst []byte, rec *dataset.Record) ([]byte, error)

// An Opener opens what is to be labelled. The reader calls waiting, in the goroutine that reads,
// whenever it is about to wait for more input.
type Opener func(waiting func()) (dataset.Reader, error)

// LabelAll opens and reads all records and writes the output for each in the order of the records.
// Each labeller runs in a goroutine of its own. While the reader waits for input, the output for
// all records before is written. Records that cannot be used are skipped or end the work, as bad
// says. LabelAll returns how many records were labelled.
func LabelAll(ctx context.Context, w io.Writer, open Opener, bad *dataset.OnBad, labellers []Labeller) (n int64,
	err error) {
	g, ctx := errgroup.WithContext(ctx)
	p := newPipeline(len(labellers))
	g.Go(func() error {
		defer close(p.work)
		defer close(p.order)
		return p.read(ctx, open)
	})
	for _, label := range labellers {
		g.Go(func() error {
			for b := range p.work {
				p.label(b, label)
			}
			return nil
		})
	}
	g.Go(func() error {
		for b := range p.order {
			<-b.done
			labelled, err := b.write(w, bad)
			n += labelled
			if err != nil {
				return err
			}
			p.free <- b
		}
		return nil
	})
	err = g.Wait() // the writer sets n until then
	return n, err
}

// pipeline moves batches from the reader through the labellers to the writer.
type pipeline struct {
	work   chan *batch  // to the labellers
	order  chan *batch  // to the writer, in the order of the records
	free   chan *batch  // back to the reader
	output atomic.Int64 // bytes of output for one record, estimated from the last batch

	// Of the goroutine that reads.
	current *batch // is being filled; nil: none
}

func newPipeline(labellers int) *pipeline {
	p := &pipeline{
		work:  make(chan *batch),
		order: make(chan *batch, labellers+1),
		free:  make(chan *batch, labellers+2), // one is read, one is written, the others are labelled
	}
	for range cap(p.free) {
		p.free <- &batch{done: make(chan struct{}, 1)}
	}
	p.output.Store(firstBytes)
	return p
}

// A batch is a run of consecutive records and the output for them. Its memory is reused after it is
// written.
type batch struct {
	size  int // records that it is made for
	items []item
	texts []byte        // texts and values of all records
	ids   []byte        // ids of all records
	out   []byte        // output for all records
	done  chan struct{} // receives one value when the batch is labelled
}

// An item is a record with the end of its output, or the error that it has instead.
type item struct {
	record dataset.Record
	id     int // end of its id in ids
	end    int // end of its output in out
	err    error
}

// Limits of a batch. Texts and the expected output are bounded by batchBytes each.
const (
	batchItems = 256
	batchBytes = 128 << 10
	firstBytes = 16 << 10 // assumed output for one record before there is any
)

// read sends all records in batches to the labellers and, in the same order, to the writer. The
// error of a record, also the last one, is for the writer.
func (p *pipeline) read(ctx context.Context, open Opener) error {
	r, err := open(func() { _ = p.send(ctx) }) // an error comes from ctx, and comes up again below
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	var rec dataset.Record
	for ctx.Err() == nil {
		err := r.Read(&rec)
		if errors.Is(err, io.EOF) {
			return p.send(ctx)
		}
		if takeErr := p.take(ctx); takeErr != nil {
			return takeErr
		}
		p.current.add(&rec, err)
		isLast := err != nil && !dataset.IsReject(err)
		if isLast || p.current.isFull() {
			if err := p.send(ctx); err != nil {
				return err
			}
		}
		if isLast {
			return nil
		}
	}
	return ctx.Err()
}

// take waits for a batch to fill, if there is none.
func (p *pipeline) take(ctx context.Context) error {
	if p.current != nil {
		return nil
	}
	select {
	case p.current = <-p.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	p.current.reset(int(max(1, min(batchBytes/p.output.Load(), batchItems))))
	return nil
}

// send sends the batch that is being filled, if there is one, to a labeller and to the writer.
func (p *pipeline) send(ctx context.Context) error {
	b := p.current
	if b == nil {
		return nil
	}
	p.current = nil
	b.seal()
	for _, to := range []chan<- *batch{p.work, p.order} { // a batch in order has a labeller
		select {
		case to <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// label labels a batch and updates the estimate of the output for one record.
func (p *pipeline) label(b *batch, label Labeller) {
	for i := range b.items {
		x := &b.items[i]
		if x.err != nil {
			continue
		}
		b.out, x.err = label(b.out, &x.record)
		x.end = len(b.out)
	}
	if len(b.out) > 0 {
		p.output.Store(int64(len(b.out)/len(b.items) + 1))
	}
	b.done <- struct{}{}
}

// isFull reports whether the batch has as many records as it was made for, or batchBytes of text.
func (b *batch) isFull() bool { return len(b.items) >= b.size || len(b.texts) >= batchBytes }

// add adds a record, or the error that was read instead.
func (b *batch) add(rec *dataset.Record, err error) {
	b.items = b.items[:len(b.items)+1]
	x := &b.items[len(b.items)-1]
	x.err = err
	if err == nil {
		b.keep(x, rec)
	}
	x.id = len(b.ids)
}

// seal gives the records their ids. It is called when no more are added.
func (b *batch) seal() {
	ids := string(b.ids) // one allocation for all
	begin := 0
	for i := range b.items {
		x := &b.items[i]
		x.record.ID = ids[begin:x.id]
		begin = x.id
	}
}

// reset empties the batch and makes room for size records.
func (b *batch) reset(size int) {
	b.size = size
	if cap(b.items) < size {
		b.items = make([]item, size)
	}
	if b.out == nil || cap(b.out) > 8*batchBytes { // give back memory of unusually long output
		b.texts = make([]byte, 0, batchBytes)
		b.out = make([]byte, 0, batchBytes+batchBytes/4)
	}
	b.items = b.items[:0]
	b.texts = b.texts[:0]
	b.ids = b.ids[:0]
	b.out = b.out[:0]
}

// keep copies a record, whose memory the reader reuses, into the item. Its id is copied to ids.
func (b *batch) keep(x *item, rec *dataset.Record) {
	in := x.record.Input
	in.Copy(&rec.Input, b.copyText)
	b.ids = append(b.ids, rec.ID...)
	x.record = *rec
	x.record.Input = in
	x.record.Row = b.copyText(rec.Row)
}

// copyText returns a copy of s in texts.
func (b *batch) copyText(s []byte) []byte {
	begin := len(b.texts)
	b.texts = append(b.texts, s...)
	return b.texts[begin:len(b.texts):len(b.texts)]
}

// write writes the output up to the first record that must not be skipped.
func (b *batch) write(w io.Writer, bad *dataset.OnBad) (n int64, err error) {
	for i := range b.items {
		x := &b.items[i]
		if x.err == nil {
			n++
			continue
		}
		if err := bad.Pass(x.err); err != nil {
			_, writeErr := w.Write(b.out[:b.endBefore(i)])
			return n, errors.Join(err, writeErr)
		}
	}
	if _, err := w.Write(b.out); err != nil {
		return n, fmt.Errorf("write the output: %w", err)
	}
	return n, nil
}

// endBefore returns the end of the output for the records before the i-th.
func (b *batch) endBefore(i int) int {
	for i--; i >= 0; i-- {
		if b.items[i].err == nil {
			return b.items[i].end
		}
	}
	return 0
}
