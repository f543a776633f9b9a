package ingest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// ranges returns the partitions of each delta of the model log.
func (l *loop) ranges() (all [][]int32) {
	for _, r := range l.memory.Records("model", 0) {
		if d := codec.Describe(r.Value, r.Offset); d.Kind == "delta" {
			all = append(all, partitionsOf(d))
		}
	}
	return all
}

func partitionsOf(d codec.Description) (partitions []int32) {
	for _, r := range d.Ranges {
		partitions = append(partitions, r.Partition)
	}
	return partitions
}

// TestReadyPartitionsAreOneSum: the deltas that are ready when one may be appended are one record.
func TestReadyPartitionsAreOneSum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.memory.CreateTopic("training", 4)
		l.sums.each = time.Second // the others are ready by then
		for partition := range 4 {
			l.write(partition, document(10*partition, "a"), document(10*partition+1, "b"))
		}
		l.learnBoth()
		l.settle()
		l.wantLedgers("d0=a d1=b", "d10=a d11=b", "d20=a d21=b", "d30=a d31=b")
		if got := l.ranges(); !slices.EqualFunc(got, [][]int32{{0, 1, 2, 3}}, slices.Equal) {
			t.Errorf("the deltas are of the partitions %v, want all in one", got)
		}
	})
}

// TestSumsAreApart: after a while without deltas one is appended at once, but no sooner than
// sums.each after the last.
func TestSumsAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		const each = 5 * time.Second
		l.sums.each = each
		var appends []time.Time
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Topic == "model" && r.Kind == "produce" {
				appends = append(appends, time.Now())
			}
			return nil
		})
		l.learn()
		for i := range 2 {
			l.train(document(i, "a"))
			time.Sleep(time.Second)
		}
		time.Sleep(2 * each)
		written := time.Now()
		l.train(document(2, "b"))
		l.wantCounted(3, 3)
		if len(appends) != 3 || appends[1].Sub(appends[0]) < each || appends[2].Sub(written) > time.Second {
			t.Errorf("deltas were appended at %v, the last one for a record of %v", appends, written)
		}
	})
}

// TestSpoiltSumIsSplit: another worker counts one of the partitions while their sum is on its way.
// The other partition appends alone, and nothing is counted twice.
func TestSpoiltSumIsSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.memory.CreateTopic("training", 2)
		other := startAgain(l)
		defer other.stop()
		var spoilt atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Topic != "model" || r.Kind != "produce" {
				return nil
			}
			if d := codec.Describe(r.Records[0].Value, 0); len(d.Ranges) == 2 && spoilt.CompareAndSwap(false, true) {
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				_ = other.partition(ctx, stream.Assignment{Topic: "training", Partition: 0}) // ends with ctx
			}
			return nil
		})
		l.sums.each = time.Second // both wait for it
		l.write(0, document(1, "a"))
		l.write(1, document(2, "b"))
		l.learnBoth()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		l.wantLedgers("d1=a", "d2=b")
		if got := l.ranges(); !spoilt.Load() || !slices.EqualFunc(got, [][]int32{{0}, {0, 1}, {1}}, slices.Equal) {
			t.Errorf("the deltas are of the partitions %v, want 0, then both, which do not count, then 1", got)
		}
		l.replica.Read(func(s *fold.State) {
			if n := s.Model().Classes().Total(); n != 2 {
				t.Errorf("%d documents are counted, want 2", n)
			}
		})
	})
}

// TestStopFinishesWhatIsInFlight: a partition that becomes ready behind a stop is not left alone.
func TestStopFinishesWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		in := &ingester{sums: newSums(0)}
		s := &share{partition: &partition{ingester: in, batch: &batch{}}, until: time.Now().Add(time.Minute), done: make(chan struct{})}
		follow := func(ctx context.Context) { <-ctx.Done() }
		err := in.consume(ctx, follow, func() error {
			stop()
			synctest.Wait()
			select {
			case in.sums.ready <- s:
				<-s.done
			case <-time.After(time.Minute):
				t.Error("nobody takes the share")
			}
			return s.err
		})
		if !errors.Is(err, errOtherLog) { // it has no log
			t.Errorf("the share got %v, want %v", err, errOtherLog)
		}
	})
}

// TestTake: a sum has one share of a partition, and no more than fits into a record.
func TestTake(t *testing.T) {
	shareOf := func(n int32, size int) *share {
		return &share{partition: &partition{source: fold.Source{Topic: "training", Partition: n}, batch: &batch{most: 100}}, size: size}
	}
	name := func(shares []*share) string {
		var names []string
		for _, s := range shares {
			names = append(names, string('0'+s.source.Partition))
		}
		return strings.Join(names, " ")
	}
	waiting := []*share{shareOf(0, 40), shareOf(1, 50), shareOf(2, 20), shareOf(0, 10), shareOf(3, 10)}
	for _, want := range []string{"0 1 3", "2 0", ""} {
		var taken []*share
		if taken, waiting = take(waiting); name(taken) != want {
			t.Errorf("%q are taken, want %q", name(taken), want)
		}
	}
}
