package classify

import (
	"context"
	"errors"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// reading is how far a partition of the documents topic was read, and of which topic.
type reading struct {
	upTo   int64       // the offset after the last that was read; 0: none was
	anchor fold.Anchor // of the last document that was read
	watch  worker.Watch
}

// readings belong to all partitions that this worker had, by number. A topic that is deleted
// ends the work on its partitions, and the next topic of its name begins it again.
type readings struct{ all sync.Map } // of *reading

// of returns what is known of a partition, whose work begins. Only that work may use it.
func (r *readings) of(partition int) *reading {
	found, _ := r.all.LoadOrStore(partition, &reading{anchor: fold.NoAnchor})
	known := found.(*reading)
	known.watch = worker.Watch{} // another worker may have had the partition
	return known
}

// known reports whether the partition was read.
func (r *reading) known() bool { return r.upTo > 0 }

// note notes that the documents of a fetch are answered.
func (r *reading) note(got *worker.Fetched) {
	r.upTo = got.Next
	if n := len(got.Records); n > 0 {
		r.anchor = worker.Anchor(&got.Records[n-1], r.watch.Epoch(), r.watch.ID())
	}
}

// verify compares the documents topic with what was read of it, if a fetch or its error is a reason
// to. It reports whether to fetch again, from p.next on: the topic is another one, or holds an offset
// by now that was out of range.
func (p *partition) verify(ctx context.Context, got *worker.Fetched, fetchError error) (again bool, err error) {
	isBeyond := errors.Is(fetchError, stream.ErrOffsetOutOfRange)
	if fetchError != nil && !isBeyond {
		return false, fetchError
	}
	if isBeyond || p.watch.Doubts(got) {
		anchor := p.anchor
		if anchor.TopicID == (stream.TopicID{}) {
			anchor.TopicID = p.watch.ID()
		}
		found, err := p.watch.Compare(ctx, p.broker, p.assign.Topic, p.assign.Partition, p.next, anchor)
		if err != nil {
			return false, err
		}
		if found.What != "" {
			return true, p.startAgain(ctx, &found)
		}
	}
	if !isBeyond {
		p.watch.Note(got)
	}
	return isBeyond, nil
}

// startAgain goes to where a documents topic is to be read that is another one than before.
func (p *partition) startAgain(ctx context.Context, found *worker.Difference) error {
	from, err := found.Begin(ctx, p.broker, p.assign.Topic, p.assign.Partition, p.next, p.anchor)
	if err == nil {
		err = p.commit(ctx) // what was answered of the other topic
	}
	if err != nil {
		return err
	}
	p.metrics.TopicChanged("restart")
	p.log.Error("the documents topic is not the one that was read: it is read from its start, or from the first "+
		"document that another one replaced",
		"topic", p.assign.Topic, "partition", p.assign.Partition, "difference", found.What, "read", p.next, "from", from)
	*p.reading = reading{anchor: worker.Unread(-1, found.ID)}
	p.next = from
	p.committed = -1 // what the group has is of the other topic, also where it is the same number
	p.commitAt = time.Now().Add(p.config.CommitEach)
	return nil
}
