package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// learnBoth starts the work on two partitions of the training topic, and again after an error, as a
// consumer group does.
func (l *loop) learnBoth() { l.learnFirst(0, 0) }

// learnFirst learns one partition, and the other one, if there is one, some time later.
func (l *loop) learnFirst(first int, later time.Duration) {
	l.t.Helper()
	ctx, stop := context.WithCancel(l.t.Context())
	follow := l.stop
	training, err := l.memory.Topic(ctx, "training")
	if err != nil {
		l.t.Fatal(err)
	}
	var working sync.WaitGroup
	for partition := range training.Partitions {
		working.Go(func() {
			if partition != first {
				time.Sleep(later)
			}
			for ctx.Err() == nil {
				_ = l.partition(ctx, stream.Assignment{Topic: "training", Partition: partition}) // the host knows it
				time.Sleep(time.Second)
			}
		})
	}
	l.stop = func() {
		stop()
		working.Wait()
		follow()
	}
}

// startBoth starts a loop on two partitions. The documents d1 to d3 stand in partition 1.
func startBoth(t *testing.T) *loop {
	t.Helper()
	l := startLoop(t, nil)
	l.memory.CreateTopic("training", 2)
	l.write(1, document(1, "a"), document(2, "a"), document(3, "a"))
	l.learnBoth()
	l.settle()
	return l
}

// write appends training records to a partition.
func (l *loop) write(partition int, values ...string) {
	l.t.Helper()
	for _, v := range values {
		if _, err := l.memory.Produce(l.t.Context(), "training", partition, []stream.Record{{Value: []byte(v)}}); err != nil {
			l.t.Fatal(err)
		}
	}
}

func (l *loop) settle() {
	time.Sleep(time.Minute)
	synctest.Wait()
}

// wantLedgers compares the ledgers: for each partition, id=label in the order of ids.
func (l *loop) wantLedgers(want ...string) {
	l.t.Helper()
	l.replica.Read(func(s *fold.State) {
		for partition := range want {
			var all []string
			if ledger := s.Ledger(fold.Source{Topic: "training", Partition: int32(partition)}); ledger != nil {
				for c := range ledger.All() {
					all = append(all, c.ID+"="+c.Put.Label)
				}
			}
			slices.Sort(all)
			if got := strings.Join(all, " "); got != want[partition] {
				l.t.Errorf("partition %d knows %q, want %q", partition, got, want[partition])
			}
		}
	})
}

// skipped returns how many records of a partition were skipped, by reason.
func (l *loop) skipped(partition int32) map[string]int {
	reasons := map[string]int{}
	for _, r := range l.memory.Records("model", 0) {
		for _, of := range codec.Describe(r.Value, r.Offset).Ranges {
			if of.Partition != partition {
				continue
			}
			for reason, n := range of.Skipped {
				reasons[reason] += n
			}
		}
	}
	return reasons
}

// TestForgetOnTheWrongPartition writes forgets and corrections to the partition that does not know
// their documents: they are done in the one that does, in their order.
func TestForgetOnTheWrongPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startBoth(t)
		defer l.end()
		l.write(0, document(4, "b"), `{"id":"d1","label":null}`, `{"id":"d2","label":"b"}`, `{"id":"d3","label":"b"}`, `{"id":"d3","label":"c"}`,
			`{"id":"d2","label":null}`, `{"id":"nobody","label":null}`)
		l.settle()
		l.write(1, `{"id":"d4","label":"a"}`)
		l.settle()
		l.wantLedgers("d4=a", "d3=c")
		if got, want := fmt.Sprint(l.skipped(0), l.skipped(1)), "map[forwarded:5 superseded:3 unknown_id:1] map[forwarded:1 superseded:1]"; got != want {
			t.Errorf("skipped: %s, want %s", got, want)
		}
		if len(l.host.Dead) > 0 || l.host.Reported() != nil {
			t.Errorf("%d dead letters, trouble: %v", len(l.host.Dead), l.host.Reported())
		}
	})
}

// TestLedgerOfAnotherTopic: a partition that still has the ledger of a topic which was deleted does
// not know the documents of the topic which was created since.
func TestLedgerOfAnotherTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startBoth(t)
		defer l.end()
		l.memory.CreateTopic("training", 2)
		l.write(0, `{"id":"d1","label":null}`)
		l.settle()
		l.wantLedgers("", "d1=a d2=a d3=a")
		if got := fmt.Sprint(l.skipped(0)); got != "map[unknown_id:1]" || len(l.memory.Records("training", 1)) > 0 {
			t.Errorf("skipped: %s, and %d records are forwarded; want an id that is not known", got, len(l.memory.Records("training", 1)))
		}
	})
}

// TestForwardIntoAnotherTopic replaces the training topic when a forget is forwarded, so that it is
// written to the next one, where another document of the id stands at the same offset: that one
// stays, until somebody forgets it.
func TestForwardIntoAnotherTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startBoth(t)
		defer l.end()
		l.config.OnSourceChange = "continue"
		var replaced atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Topic == "training" && r.Kind == "produce" && r.Partition == 1 && replaced.CompareAndSwap(false, true) {
				l.memory.CreateTopic("training", 2)
				l.write(1, document(1, "b"), document(2, "b"))
			}
			return nil
		})
		l.write(0, document(4, "a"), `{"id":"d1","label":null}`)
		l.settle()
		l.wantLedgers("d4=a", "d1=b d2=b")
		l.write(0, `{"id":"d1","label":null}`)
		l.settle()
		l.wantLedgers("", "d2=b")
	})
}

// TestForwardIsWrittenOnce has the deltas fail that skip a forwarded record, and those of its
// document's partition: the first is built again, and the record is not written a second time.
func TestForwardIsWrittenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startBoth(t)
		defer l.end()
		failed := 0
		var both sync.Mutex // partitions append deltas
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			both.Lock()
			defer both.Unlock()
			if r.Topic != "model" || r.Kind != "produce" || failed == 2 {
				return nil
			}
			forwards := func(of codec.Range) bool { return of.Skipped[wire.SkipForwarded] > 0 }
			if slices.ContainsFunc(codec.Describe(r.Records[0].Value, 0).Ranges, forwards) {
				failed++
			}
			return stream.ErrUnknownTopic
		})
		l.write(0, `{"id":"d1","label":null}`)
		l.settle()
		l.wantLedgers("", "d2=a d3=a")
		if n := len(l.memory.Records("training", 1)); n != 4 || failed != 2 {
			t.Errorf("partition 1 has %d records, want three documents and a forget; %d deltas failed", n, failed)
		}
	})
}

// TestForwardIsRefused takes the right to write from ingest: what it cannot forward is skipped as
// if nobody knew the document, and the partition goes on.
func TestForwardIsRefused(t *testing.T) {
	for name, refusal := range map[string]error{
		"no right":      &stream.RightError{Operation: "Write", Resource: "Topic", Name: "training"},
		"too large":     fmt.Errorf("produce: %w", stream.ErrRecordTooLarge),
		"no partition":  fmt.Errorf("produce: %w", stream.ErrUnknownPartition),
		"not a refusal": nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := startBoth(t)
				defer l.end()
				l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
					if r.Kind == "produce" && r.Topic == "training" && r.Partition == 1 {
						return refusal
					}
					return nil
				})
				l.write(0, `{"id":"d1","label":null}`, `{"id":"d2","label":"b"}`, document(4, "b"))
				l.settle()
				reasons, ledger, dead := "map[superseded:1 unknown_id:2]", "d1=a d2=a d3=a", 1
				if refusal == nil {
					reasons, ledger, dead = "map[forwarded:2 superseded:1]", "d2=b d3=a", 0
				}
				l.wantLedgers("d4=b", ledger)
				if got := fmt.Sprint(l.skipped(0)); got != reasons || len(l.host.Dead) != dead || l.host.Reported() != nil {
					t.Errorf("skipped %s with %d dead letters, want %s with %d; trouble: %v", got, len(l.host.Dead), reasons, dead, l.host.Reported())
				}
			})
		})
	}
}
