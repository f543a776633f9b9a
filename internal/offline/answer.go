package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"bayestream/internal/dataset"

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
	var size atomic.Int64 // of an answer, of late: one with thousands of classes is long
	size.Store(firstBytes)
	g.Go(func() error {
		defer close(work)
		defer close(order)
		return readBatches(ctx, r, &size, work, order)
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
			written, err := b.write(w, bad)
			if n += written; err != nil {
				return err
			}
		}
		return nil
	})
	err = g.Wait() // n is counted until then
	return n, err
}

// A batch is some records, one after the other, and the answers to them.
type batch struct {
	items []item
	bytes int    // of the texts
	out   []byte // the answers
	done  chan struct{}
}

// An item is a record, and where its answer ends or why it has none.
type item struct {
	record dataset.Record
	end    int // in out
	err    error
}

// A batch is full at so many records or bytes, of texts or of the answers to expect.
const (
	batchItems = 256
	batchBytes = 1 << 20
	firstBytes = 64 << 10 // of an answer, before there is one
)

// readBatches sends all records, in batches, to those who answer, and in the same order to who writes.
func readBatches(ctx context.Context, r dataset.Reader, size *atomic.Int64, work, order chan<- *batch) error {
	for {
		b := &batch{done: make(chan struct{})}
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
	b.items = make([]item, 0, most)
	for len(b.items) < most && b.bytes < batchBytes && ctx.Err() == nil {
		b.items = append(b.items, item{})
		x := &b.items[len(b.items)-1]
		if x.err = r.Read(&x.record); x.err == nil {
			b.keep(&x.record)
			continue
		}
		if errors.Is(x.err, io.EOF) {
			b.items = b.items[:len(b.items)-1]
			return true
		}
		if !isReject(x.err) {
			return true
		}
	}
	return false
}

// keep copies what the reader will use again.
func (b *batch) keep(rec *dataset.Record) {
	rec.ID = strings.Clone(rec.ID)
	rec.Input = cloneInput(&rec.Input)
	for _, s := range rec.Input.Segments {
		b.bytes += len(s.Text)
	}
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
	close(b.done)
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
