package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"bayestream/internal/lab/dataset"
	"bayestream/internal/model"

	"golang.org/x/sync/errgroup"
)

// Answer appends what is written about a record.
type Answer func(dst []byte, rec *dataset.Record) ([]byte, error)

// AnswerAll reads all records, has them answered by all the goroutines that there are answers for, and writes
// the answers in the order of the records. Records that cannot be used stop it or are passed over as bad
// says; it returns how many were answered.
func AnswerAll(ctx context.Context, w io.Writer, r dataset.Reader, bad *OnBad, answers []Answer) (n int64, err error) {
	g, ctx := errgroup.WithContext(ctx)
	work, order := make(chan *batch), make(chan *batch, len(answers)+1)
	free := make(chan *batch, len(answers)+2) // one is read, one written, the others are answered
	for range cap(free) {
		free <- &batch{done: make(chan struct{}, 1)}
	}
	var size atomic.Int64 // of an answer, of late: one with thousands of classes is long
	size.Store(firstBytes)
	g.Go(func() error {
		defer close(work)
		defer close(order)
		return readBatches(ctx, r, &size, free, work, order)
	})
	for _, answer := range answers {
		g.Go(func() error {
			for b := range work {
				b.answer(answer, &size)
			}
			return nil
		})
	}
	g.Go(func() error {
		for b := range order {
			<-b.done
			answered, err := b.write(w, bad)
			if n += answered; err != nil {
				return err
			}
			free <- b
		}
		return nil
	})
	err = g.Wait() // n is counted until then
	return n, err
}

// A batch is some records, one after the other, and the answers to them. When they are written its memory serves
// for others.
type batch struct {
	items []item
	texts []byte // and values, of all records
	ids   []byte
	out   []byte        // the answers
	done  chan struct{} // gets one value
}

// An item is a record, and where its answer ends or why it has none.
type item struct {
	record dataset.Record
	id     int // where it ends in ids
	end    int // in out
	err    error
}

// A batch is full at so many records or bytes, of texts or of the answers to expect.
const (
	batchItems = 256
	batchBytes = 128 << 10 // what the next ones need is still in the processor's cache then
	firstBytes = 16 << 10  // of an answer, before there is one
)

// readBatches sends all records, in batches, to those who answer, and in the same order to who writes.
func readBatches(ctx context.Context, r dataset.Reader, size *atomic.Int64, free <-chan *batch, work, order chan<- *batch) error {
	for {
		var b *batch
		select {
		case b = <-free:
		case <-ctx.Done():
			return ctx.Err()
		}
		end := b.fill(ctx, r, int(max(1, min(batchBytes/size.Load(), batchItems))))
		for _, to := range []chan<- *batch{work, order} { // what is in order will be done
			select {
			case to <- b:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if end {
			return nil
		}
	}
}

// fill reads until the batch has most records or is full, ctx ends or nothing more can be read.
func (b *batch) fill(ctx context.Context, r dataset.Reader, most int) (end bool) {
	b.empty(most)
	var rec dataset.Record
	for len(b.items) < most && len(b.texts) < batchBytes && ctx.Err() == nil && !end {
		err := r.Read(&rec)
		if errors.Is(err, io.EOF) {
			end = true
			break
		}
		b.items = b.items[:len(b.items)+1]
		x := &b.items[len(b.items)-1]
		if x.err = err; err == nil {
			b.keep(x, &rec)
		}
		x.id = len(b.ids)
		end = err != nil && !isReject(err)
	}
	ids, begin := string(b.ids), 0
	for i := range b.items {
		x := &b.items[i]
		x.record.ID, begin = ids[begin:x.id], x.id
	}
	return end
}

// empty makes room for so many records, in the memory of those before.
func (b *batch) empty(most int) {
	if cap(b.items) < most {
		b.items = make([]item, most)
	}
	if b.out == nil || cap(b.out) > 8*batchBytes { // after long answers, which may have been the only ones
		b.texts, b.out = make([]byte, 0, batchBytes), make([]byte, 0, batchBytes+batchBytes/4)
	}
	b.items, b.texts, b.ids, b.out = b.items[:0], b.texts[:0], b.ids[:0], b.out[:0]
}

// keep copies a record, which the reader will use again, into the memory of the item; its id waits in ids.
func (b *batch) keep(x *item, rec *dataset.Record) {
	in := x.record.Input
	in.Numbers = append(in.Numbers[:0], rec.Input.Numbers...)
	in.Segments, in.Categories = in.Segments[:0], in.Categories[:0]
	for _, s := range rec.Input.Segments {
		in.Segments = append(in.Segments, model.Segment{Mark: s.Mark, Text: b.text(s.Text)})
	}
	for _, c := range rec.Input.Categories {
		in.Categories = append(in.Categories, model.Category{Value: b.text(c.Value), Present: c.Present})
	}
	b.ids = append(b.ids, rec.ID...)
	x.record = *rec
	x.record.Input = in
}

// text returns a copy among the texts.
func (b *batch) text(s []byte) []byte {
	begin := len(b.texts)
	b.texts = append(b.texts, s...)
	return b.texts[begin:len(b.texts):len(b.texts)]
}

// answer answers all records that could be read, and sets the size of an answer.
func (b *batch) answer(answer Answer, size *atomic.Int64) {
	for i := range b.items {
		if x := &b.items[i]; x.err == nil {
			b.out, x.err = answer(b.out, &x.record)
			x.end = len(b.out)
		}
	}
	if len(b.out) > 0 {
		size.Store(int64(len(b.out)/len(b.items) + 1))
	}
	b.done <- struct{}{}
}

// write writes the answers up to the first record that must not be passed over.
func (b *batch) write(w io.Writer, bad *OnBad) (n int64, err error) {
	for i := range b.items {
		x := &b.items[i]
		if x.err == nil {
			n++
			continue
		}
		if err := bad.pass(x.err); err != nil {
			_, failed := w.Write(b.out[:b.endBefore(i)])
			return n, errors.Join(err, failed)
		}
	}
	if _, err := w.Write(b.out); err != nil {
		return n, fmt.Errorf("write the answers: %w", err)
	}
	return n, nil
}

// endBefore returns where the answers to the records before the i-th end.
func (b *batch) endBefore(i int) int {
	for i--; i >= 0; i-- {
		if b.items[i].err == nil {
			return b.items[i].end
		}
	}
	return 0
}
