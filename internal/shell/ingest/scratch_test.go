package ingest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/stream"
)

// learnAll has partitions of a worker learn texts of so many bytes, and returns how many were
// learned.
func learnAll(t *testing.T, l *loop, partitions, documents, bytes int) (learned int64) {
	l.memory.CreateTopic("training", partitions)
	text := strings.Repeat("word ", bytes/5)
	ctx, stop := context.WithCancel(t.Context())
	var end sync.WaitGroup
	for p := range partitions {
		var records []stream.Record
		for i := range documents {
			records = append(records, stream.Record{Value: fmt.Appendf(nil, `{"id":"d%d","label":"a","text":%q}`, i, text)})
		}
		if _, err := l.memory.Produce(ctx, "training", p, records); err != nil {
			t.Fatal(err)
		}
		end.Go(func() { _ = l.partition(ctx, stream.Assignment{Topic: "training", Partition: p}) })
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	stop()
	end.Wait()
	l.replica.Read(func(s *fold.State) { learned = s.Model().Classes().Total() })
	return learned
}

// What the deltas of all partitions take while they are built is bounded, however many partitions
// there are; a delta that takes more than its share is built alone.
func TestDeltasStayInMemory(t *testing.T) {
	for _, c := range []struct{ limit, partitions, documents, bytes, alone int }{
		{32 << 20, 16, 20, 1000, 0},
		{16 << 20, 8, 2, 200_000, 0},
		{1 << 10, 8, 3, 100, usualScratch + 1<<17}, // larger than all of it
	} {
		memory := budget.New(c.limit)
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, nil)
			defer l.end()
			l.ingester.memory = memory
			if got, want := learnAll(t, l, c.partitions, c.documents, c.bytes), int64(c.partitions*c.documents); got != want {
				t.Errorf("%+v: %d documents are learned, want %d", c, got, want)
			}
		})
		if most := memory.Most(); most > c.limit+c.alone || most < usualScratch+c.bytes {
			t.Errorf("%+v: up to %d bytes were held", c, most)
		}
		if held := memory.Held(budget.Answers); held != 0 {
			t.Errorf("%+v: %d bytes are held at the end", c, held)
		}
	}
}

// Partitions share their scratch, and none of it stays that has grown for a large text.
func TestScratchIsShared(t *testing.T) {
	for _, bytes := range []int{100, usualText + 10} {
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, nil)
			defer l.end()
			l.ingester.memory = budget.New(24 << 20)
			learnAll(t, l, 32, 2, bytes)
			if n := len(l.scratches.free); n < 1 || n > 3 {
				t.Errorf("texts of %d bytes: %d are free", bytes, n)
			}
			for _, s := range l.scratches.free {
				if s.opened.record != nil || s.opened.training.ID != "" || s.extract.Longest() > usualText {
					t.Errorf("scratch keeps a record, or has had a text of %d bytes", s.extract.Longest())
				}
			}
		})
	}
}

// A partition that waits for the next fetch keeps nothing of the last one but what may be read
// again.
func TestNothingStaysOfADelta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"), "no document")
		p := l.newPartition(stream.Assignment{Topic: "training"})
		if err := p.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := p.step(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.wantCounted(2, 1)
		if b := p.batch; b.last != nil || b.dead != nil || b.changes != nil || b.scratch != nil || p.trial != nil {
			t.Errorf("the batch still has %+v", b.content)
		}
	})
}
