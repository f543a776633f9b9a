package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// sums puts the deltas of the partitions of a worker together that are ready at once, so that
// replicas fold fewer and larger records. If none was appended just now, it waits for no other.
type sums struct {
	ready chan *share
	each  time.Duration // how far apart appends are, at least
}

// appendEach is sums.each of a worker: short beside what an append takes, and long enough for some
// deltas of partitions with few records.
const appendEach = 5 * time.Millisecond

func newSums(each time.Duration) *sums { return &sums{ready: make(chan *share), each: each} }

// share is what a partition adds to a sum, and what became of it.
type share struct {
	*partition
	delta *fold.Delta
	size  int           // upper bound of its bytes
	until time.Time     // when the partition gives up
	done  chan struct{} // closed when the rest is known

	offset int64 // of the sum in the model log
	err    error
}

// append appends the batch to the model log, perhaps in a sum with those of other partitions, and
// returns the offset it has there.
func (p *partition) append(ctx context.Context) (int64, error) {
	if !p.epoch.Holds() {
		return 0, errOtherLog
	}
	if p.isOvertaken() {
		return 0, errOvertaken
	}
	s := &share{partition: p, delta: p.delta(), size: p.batch.bound(model.Size{}), done: make(chan struct{})}
	s.until, _ = ctx.Deadline()
	if s.delta.IsUpkeep() || p.alone || 2*s.size > p.batch.most {
		s.write(ctx, []*share{s})
		return s.offset, s.err
	}
	select {
	case p.sums.ready <- s:
		<-s.done
		return s.offset, s.err
	case <-ctx.Done():
		return 0, fmt.Errorf("the model log has taken no delta for as long as --drain: %w", ctx.Err())
	}
}

// run appends what is ready until ctx ends.
func (q *sums) run(ctx context.Context) {
	var waiting []*share
	var last time.Time
	for {
		if len(waiting) == 0 {
			select {
			case s := <-q.ready:
				waiting = append(waiting, s)
			case <-ctx.Done():
				return
			}
		}
		stream.Sleep(ctx, max(1, q.each-time.Since(last))) // what is ready in the same moment comes, too
		waiting = q.receive(waiting)
		var taken []*share
		taken, waiting = take(waiting)
		q.write(ctx, taken)
		last = time.Now()
	}
}

func (q *sums) receive(waiting []*share) []*share {
	for {
		select {
		case s := <-q.ready:
			waiting = append(waiting, s)
		default:
			return waiting
		}
	}
}

// take takes the first share, and as many others as fit into a delta with it, one of each
// partition: one that was taken away and given back may have two.
func take(waiting []*share) (taken, left []*share) {
	size := 0
	for _, s := range waiting {
		isTaken := slices.ContainsFunc(taken, func(x *share) bool { return x.source == s.source })
		if len(taken) > 0 && (isTaken || size+s.size > s.batch.most) {
			left = append(left, s)
			continue
		}
		size += s.size
		taken = append(taken, s)
	}
	return taken, left
}

// write appends one delta of shares, until the first partition gives up. Those that are left then
// fail at once, since they have waited as long.
func (q *sums) write(ctx context.Context, shares []*share) {
	drain, cancel := context.WithDeadline(context.WithoutCancel(ctx), shares[0].until)
	defer cancel()
	shares[0].write(drain, shares)
	for _, s := range shares {
		close(s.done)
	}
}

// write appends one delta of the shares that are still built on the state as it is, and says in each
// what became of it. A batch that is built on two states must not get into the log: no void may ever
// make it count.
func (s *share) write(ctx context.Context, shares []*share) {
	for _, x := range shares {
		x.err = errOtherLog // until the state shows more
	}
	var kept []*share
	var digest *fold.Digest
	s.epoch.Read(func(state *fold.State) {
		digest = state.Digest()
		for _, x := range shares {
			switch {
			case x.epoch != s.epoch:
			case standingIn(state, x.source) != x.built:
				x.err = errOvertaken
			default:
				x.delta.Ranges[0].Digest = state.LedgerDigest(x.source)
				kept = append(kept, x)
			}
		}
	})
	if len(kept) > 0 {
		appendSum(ctx, s.replica, kept, digest)
	}
}

// appendSum appends one delta of shares, built on the state of a digest. What is wrong with it may
// be one of the shares: then each goes alone.
func appendSum(ctx context.Context, log *modellog.Replica, shares []*share, digest *fold.Digest) {
	deltas := make([]*fold.Delta, len(shares))
	for i, x := range shares {
		deltas[i] = x.delta
	}
	sum := fold.Sum(deltas)
	sum.Digest = digest
	value, err := codec.EncodeDelta(sum)
	if err != nil {
		err = fmt.Errorf("encode delta: %w", err)
	}
	for _, x := range shares {
		x.giveScratch()
		x.batch.memory.Resize(len(value)/len(shares) + eachOfDelta*x.batch.size)
		x.writer.sum = codec.Sum(value)
		x.writer.folded = digest.Next
		x.writer.others = len(shares) - 1
	}
	var offset int64
	if err == nil {
		offset, err = log.Append(ctx, value)
	}
	if err != nil && !errors.Is(err, stream.ErrRetriable) && ctx.Err() == nil && len(shares) > 1 {
		err = errApart
	}
	for _, x := range shares {
		x.offset = offset
		x.err = err
	}
}
