package classify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/metrictest"
)

// owner starts the work on the partition in a process, until stop is called. The error of the work
// is in ended.
func (l *loop) owner(process *classifier) (stop context.CancelFunc, ended chan error) {
	ctx, stop := context.WithCancel(l.t.Context())
	ended = make(chan error, 1)
	go func() { ended <- process.partition(ctx, stream.Assignment{Topic: "documents", Offset: -1}) }()
	return stop, ended
}

// another returns a process that is configured like the one of the loop.
func (l *loop) another() *classifier {
	c := &classifier{
		config: l.config, routes: l.classifier.routes, broker: l.broker, host: l.host, replica: l.replica, metrics: l.metrics, log: l.log,
		memory: budget.New(64 << 20), lanes: newLanes(2), epoch: l.epoch, takeOver: l.takeOver,
	}
	c.once.Store(l.once.Load())
	c.scratches.New = l.scratches.New
	return c
}

// metric returns the sum of the series of a metric.
func (l *loop) metric(name string) float64 { return metrictest.Sum(l.t, l.metrics.Gatherer(), name) }

// TestTransactionIsVisibleAtItsCommit: answers of several fetches wait for --commit-each, counted
// from the first.
func TestTransactionIsVisibleAtItsCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Classify) { c.CommitEach = 3 * time.Second })
		defer l.end()
		l.model("m", "a")
		l.classify(-1)
		time.Sleep(time.Second)
		for i := range 2 {
			l.documents(i, 1)
			time.Sleep(1400 * time.Millisecond)
		}
		if got := l.memory.Records("labels", 0); len(got) != 0 || l.metric("bayestream_decisions_total") != 0 {
			t.Errorf("%d answers are visible before the commit, %v in the metrics", len(got), l.metric("bayestream_decisions_total"))
		}
		time.Sleep(300 * time.Millisecond)
		if got := l.memory.Records("labels", 0); len(got) != 2 || l.metric("bayestream_decisions_total") != 2 {
			t.Errorf("%d answers are visible after the commit, %v in the metrics, want 2", len(got), l.metric("bayestream_decisions_total"))
		}
	})
}

// TestFailedTransactionLeavesNothing: a write fails in the middle of a transaction, or its commit.
// The next try answers everything again, and nothing is there twice.
func TestFailedTransactionLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		kind, topic string
		nth         int
	}{{"produce", "labels", 1}, {"produce", "labels", 3}, {"produce", "dead", 1}, {"commit", "documents", 1}, {"commit", "documents", 2}} {
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, func(c *config.Classify) { c.MaxRecords = 1 })
			defer l.end()
			l.model("m", "a")
			failed := 0
			l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
				if r.Kind == c.kind && r.Topic == c.topic {
					failed++
					if failed == c.nth {
						return errors.New("the broker is away")
					}
				}
				return nil
			})
			stop, ended := l.owner(l.classifier)
			for i := range 3 {
				l.documents(i, 1)
				time.Sleep(20 * time.Millisecond) // less than --commit-each
			}
			l.append("documents", []byte("no JSON"))
			time.Sleep(time.Second)
			stop()
			if err := <-ended; err == nil || !strings.Contains(err.Error(), "away") {
				t.Errorf("%s %s %d: the owner ended with %v", c.kind, c.topic, c.nth, err)
			}
			l.classify(-1)
			l.wantLabels("d0 d1 d2", "m m m")
			l.wantDead("not_json")
			if n, dead := l.metric("bayestream_decisions_total"), l.metric("bayestream_dead_letters_total"); n != 3 || dead != 1 {
				t.Errorf("%s %s %d: %v decisions and %v dead letters in the metrics, want 3 and 1", c.kind, c.topic, c.nth, n, dead)
			}
		})
	}
}

// TestZombieAddsNothing: an owner stops in the middle of a write, another takes over, and the first
// continues.
func TestZombieAddsNothing(t *testing.T) {
	for nth := int64(1); nth <= 4; nth++ {
		for _, kind := range []string{"produce", "commit"} {
			synctest.Test(t, func(t *testing.T) {
				l := startLoop(t, func(c *config.Classify) { c.MaxRecords = 1 })
				defer l.end()
				l.model("m", "a")
				l.documents(0, 6)
				var n atomic.Int64
				goOn := make(chan struct{})
				l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
					if r.Kind == kind && n.Add(1) == nth {
						<-goOn
					}
					return nil
				})
				_, ended := l.owner(l.another())
				time.Sleep(time.Second)
				l.documents(6, 2)
				time.Sleep(time.Second)
				l.classify(-1)
				time.Sleep(time.Second)
				close(goOn)
				want := "d0 d1 d2 d3 d4 d5 d6 d7"
				l.wantLabels(want, strings.TrimSpace(strings.Repeat("m ", len(strings.Fields(want)))))
				if n.Load() < nth {
					return // there was no such request: there was no zombie
				}
				select {
				case err := <-ended:
					if !errors.Is(err, stream.ErrFenced) {
						t.Errorf("%s %d: the zombie ended with %v, want ErrFenced", kind, nth, err)
					}
				default:
					t.Errorf("%s %d: the zombie goes on", kind, nth)
				}
			})
		}
	}
}

// TestBrokersRefuseTransactions: the work goes on at least once, and says so once.
func TestBrokersRefuseTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		var log bytes.Buffer
		l.log = slog.New(slog.NewTextHandler(&log, nil))
		l.model("m", "a")
		l.documents(0, 2)
		if l.metric("bayestream_exactly_once") != 1 {
			t.Error("the delivery is not exactly once before the brokers refuse")
		}
		tries := 0
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "take over" {
				tries++
				return fmt.Errorf("%w: as this test wants", stream.ErrNoTransactions)
			}
			return nil
		})
		stop, ended := l.owner(l.classifier)
		time.Sleep(time.Second)
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the owner ended with %v", err)
		}
		l.classify(2)
		l.documents(2, 1)
		l.wantLabels("d0 d1 d2", "m m m")
		if tries != 1 || strings.Count(log.String(), "at least once") != 1 || !strings.Contains(log.String(), "as this test wants") {
			t.Errorf("asked %d times for transactions, and logged %q", tries, log.String())
		}
		if l.metric("bayestream_exactly_once") != 0 {
			t.Error("the metric still says exactly once")
		}
	})
}
