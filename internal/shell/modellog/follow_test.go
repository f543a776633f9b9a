package modellog_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// follower is a replica of the topic "log" in memory, and what it told its observer.
type follower struct {
	*modellog.Replica
	mu       sync.Mutex
	halted   []error
	rebuilds int
	differed int
}

// followSpecs returns a follower that has caught up with a topic of these specs.
func followSpecs(t *testing.T, names ...string) (*kafkatest.Memory, *follower) {
	t.Helper()
	memory := kafkatest.NewMemory()
	memory.CreateTopic("log", 1)
	for _, name := range names {
		appendSpecs(t, memory, name, 1)
	}
	f := follow(t, memory)
	if _, err := f.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return memory, f
}

// follow starts a follower in a bubble of synctest. It ends with the test.
func follow(t *testing.T, memory *kafkatest.Memory) *follower {
	t.Helper()
	return followWith(t, memory, fold.New(false))
}

// followWith is follow from a state on.
func followWith(t *testing.T, memory *kafkatest.Memory, state *fold.State) *follower {
	t.Helper()
	f := &follower{}
	locked := func(change func()) {
		f.mu.Lock()
		defer f.mu.Unlock()
		change()
	}
	f.Replica = modellog.New(memory, "log", state, modellog.Observer{
		Folded:   func(fold.Outcome) {},
		Rebuild:  func(_ error, swap func()) { locked(func() { f.rebuilds++ }); swap() },
		Halted:   func(reason error) { locked(func() { f.halted = append(f.halted, reason) }) },
		Differed: func() { locked(func() { f.differed++ }) },
	}, slog.New(slog.DiscardHandler))
	go func() {
		if err := f.Follow(t.Context()); err != nil {
			t.Errorf("Follow: %v", err)
		}
	}()
	t.Cleanup(synctest.Wait)
	return f
}

// last waits, and returns the number of rebuilds, how often the follower said that it is halted,
// and what it said last.
func (f *follower) last(after time.Duration) (rebuilds, told int, reason error) {
	time.Sleep(after)
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	told = len(f.halted)
	if told > 0 {
		reason = f.halted[told-1]
	}
	return f.rebuilds, told, reason
}

// next returns the offset that is folded next.
func (f *follower) next() (next int64) {
	f.Read(func(s *fold.State) { next = s.Next() })
	return next
}

// TestRealHole follows a log with an offset that holds no record, like the marker of a transaction.
// The replica starts over once, in case it was wrong itself; then it keeps what it has, says so,
// and looks again less and less often. It goes on when the topic is created again.
func TestRealHole(t *testing.T) {
	for name, after := range map[string]int{"in the middle": 2, "at the end": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memory := kafkatest.NewMemory()
				memory.CreateTopic("log", 1)
				appendSpecs(t, memory, "first", 2) // 0 and 1
				memory.Skip("log", 0, 1)           // 2
				appendSpecs(t, memory, "first", after)
				f := follow(t, memory)
				rebuilds, told, reason := f.last(time.Hour)
				var missing *modellog.HoleError
				if !errors.As(reason, &missing) || missing.Next != 2 || !errors.Is(reason, fold.ErrHole) || !strings.Contains(reason.Error(), "lacks the record at offset 2") {
					t.Errorf("halted for %v, want that offset 2 is missing", reason)
				}
				if rebuilds != 1 || told < 60 || told > 70 {
					t.Errorf("%d rebuilds and %d looks at the hole in an hour, want one, and one a minute", rebuilds, told)
				}
				if next := f.next(); next != 2 {
					t.Errorf("the state is at offset %d, want what comes before the hole: 2", next)
				}
				memory.CreateTopic("log", 1)
				appendSpecs(t, memory, "second", 1)
				if rebuilds, _, reason := f.last(2 * time.Minute); reason != nil || rebuilds != 2 || f.next() != 1 {
					t.Errorf("the new log is folded up to %d after %d rebuilds, halted: %v", f.next(), rebuilds, reason)
				}
			})
		})
	}
}

// beforeFetch calls f once, before the next fetch is answered.
func beforeFetch(memory *kafkatest.Memory, f func()) {
	var done atomic.Bool
	memory.Intercept(func(r kafkatest.MemoryRequest) error {
		if r.Kind == "fetch" && !done.Swap(true) {
			f()
		}
		return nil
	})
}

// TestLogIsCreatedAgainBetweenFetches replaces the log by a longer one just before a fetch: nothing
// fails, and the leader epoch stays. The replica starts over with the new log.
func TestLogIsCreatedAgainBetweenFetches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, f := followSpecs(t, "first", "first")
		f.last(time.Second)
		beforeFetch(memory, func() {
			memory.CreateTopic("log", 1)
			appendSpecs(t, memory, "second", 5)
		})
		rebuilds, _, reason := f.last(time.Second)
		name := ""
		f.Read(func(s *fold.State) { name = s.Spec().Name })
		if rebuilds != 1 || reason != nil || f.next() != 5 || name != "second" {
			t.Errorf("%d rebuilds, halted: %v, folded up to %d with the spec %q, want the new log alone", rebuilds, reason, f.next(), name)
		}
	})
}

// TestAppendComesToAnotherLog: the log is created again, and the last record of the old one, an append
// that comes twice, is at the same offset in the new one. Nothing but the id of the log tells them
// apart.
func TestAppendComesToAnotherLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := kafkatest.NewMemory()
		create := func(name string, id fold.LogID) {
			t.Helper()
			memory.CreateTopic("log", 1)
			value, err := codec.EncodeSpec(modeltest.Spec(t, "name: "+name), id)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range [][]byte{value, []byte("late")} {
				if _, err := memory.Produce(t.Context(), "log", 0, []stream.Record{{Value: v}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		create("first", fold.LogID{1})
		f := follow(t, memory)
		f.last(time.Second)
		beforeFetch(memory, func() {
			create("second", fold.LogID{2})
			appendSpecs(t, memory, "third", 1)
		})
		rebuilds, _, reason := f.last(2 * time.Minute)
		var id fold.LogID
		f.Read(func(s *fold.State) { id = s.Log() })
		if rebuilds != 1 || reason != nil || f.next() != 3 || id != (fold.LogID{2}) {
			t.Errorf("%d rebuilds, halted: %v, folded up to %d of the log %x, want the new log alone", rebuilds, reason, f.next(), id[:1])
		}
	})
}

// TestEpoch: an epoch holds as long as the log is the same one, whatever happens to the connection,
// and ends with the log.
func TestEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, f := followSpecs(t, "first", "first")
		first, err := f.CatchUp(t.Context())
		if err != nil || !first.Holds() || (modellog.Epoch{}).Holds() {
			t.Fatalf("after CatchUp the epoch holds: %v, %v; want that, and that the zero one has ended", first.Holds(), err)
		}
		memory.Intercept(func(kafkatest.MemoryRequest) error { return stream.ErrRetriable })
		time.Sleep(time.Minute)
		memory.Intercept(nil)
		appendSpecs(t, memory, "first", 1)
		if holds, err := first.Wait(t.Context(), func(s *fold.State) bool { return s.Next() == 3 }); !holds || err != nil {
			t.Errorf("after an outage the epoch holds: %v, %v", holds, err)
		}

		type waited struct {
			holds bool
			err   error
		}
		never := make(chan waited)
		go func() {
			holds, err := first.Wait(t.Context(), func(*fold.State) bool { return false })
			never <- waited{holds, err}
		}()
		synctest.Wait()
		memory.CreateTopic("log", 1)
		appendSpecs(t, memory, "second", 5)
		if w := <-never; w.holds || w.err != nil {
			t.Errorf("Wait returns %+v, want that the epoch has ended", w)
		}
		if first.Holds() || first.Read(func(*fold.State) { t.Error("the state of another log was read") }) {
			t.Error("the epoch of a log that was deleted holds")
		}
		second, err := f.CatchUp(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		if !second.Read(func(s *fold.State) { name = s.Spec().Name }) || name != "second" {
			t.Errorf("after CatchUp the spec is %q, want that of the second log", name)
		}
	})
}

// TestReplacedWhileAsleep: the process sleeps while the log is created again and gets as many
// records as it had. No fetch tells the one from the other.
func TestReplacedWhileAsleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, f := followSpecs(t, "first", "first")
		memory.Intercept(func(kafkatest.MemoryRequest) error {
			time.Sleep(10 * time.Second)
			return nil
		})
		time.Sleep(5 * time.Second)
		memory.Intercept(nil)
		memory.CreateTopic("log", 1)
		appendSpecs(t, memory, "second", 2)
		rebuilds, _, _ := f.last(2 * time.Minute)
		f.Read(func(s *fold.State) {
			if name := s.Spec().Name; name != "second" || rebuilds != 1 {
				t.Errorf("the model is %q after %d rebuilds, want that of the second log after one", name, rebuilds)
			}
		})
	})
}

// TestLostAndAppendedAgain: a leader without the last records is elected, and one of them is
// appended again at the same offset, behind another one. The record is the same; what it follows is
// not.
func TestLostAndAppendedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, f := followSpecs(t, "first", "second")
		memory.Intercept(func(kafkatest.MemoryRequest) error { // the process sleeps
			time.Sleep(10 * time.Second)
			return nil
		})
		time.Sleep(5 * time.Second)
		memory.Intercept(nil)
		memory.Elect("log", 0, 0)
		appendSpecs(t, memory, "third", 1)
		appendSpecs(t, memory, "second", 2)
		if rebuilds, _, _ := f.last(time.Minute); rebuilds != 1 || f.next() != 3 {
			t.Errorf("%d rebuilds, the state is at offset %d; want one, and all of the log", rebuilds, f.next())
		}
	})
}

// TestCatchUpWithALogThatLost: a leader is elected that has not the last records, which the replica
// has not yet read. What waits for them waits for the end that the log has now.
func TestCatchUpWithALogThatLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, f := followSpecs(t, "first")
		once := false
		memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "fetch" && !once {
				once = true
				time.Sleep(5 * time.Second)
				memory.Elect("log", 0, 1)
			}
			return nil
		})
		time.Sleep(time.Second)
		appendSpecs(t, memory, "second", 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := f.CatchUp(ctx); err != nil || !once {
			t.Errorf("CatchUp: %v; want that it returns with what is left", err)
		}
	})
}

// TestReplacedWhileCompared: the log is created again between the two requests of a comparison.
// That is no reason to end.
func TestReplacedWhileCompared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, f := followSpecs(t, "first", "first")
		once := false
		memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Single && !once {
				once = true
				memory.CreateTopic("log", 1)
			}
			return nil
		})
		if rebuilds, _, _ := f.last(3 * time.Minute); !once || rebuilds != 1 || f.next() != 0 {
			t.Errorf("replaced while the anchor was compared: %v; %d rebuilds, the state is at offset %d; want one, and an empty state", once, rebuilds, f.next())
		}
	})
}

// TestCatchUpWaitsForComparison: a state that is further than the log looks as if it had caught up
// with it. It may not be used before it was compared with the log, which here shows that it is of
// another one.
func TestCatchUpWaitsForComparison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := fold.New(false)
		value := specRecord(t, "old")
		for offset := range int64(3) {
			if _, _, err := storetest.FoldRecord(old, &stream.Record{Offset: offset, Value: value}, 0); err != nil {
				t.Fatal(err)
			}
		}
		memory := kafkatest.NewMemory()
		memory.CreateTopic("log", 1)
		rebuilds := 0
		observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { rebuilds++; swap() }}
		r := modellog.New(memory, "log", old, observe, slog.New(slog.DiscardHandler))
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := r.CatchUp(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("CatchUp before anything was compared: %v, want it to wait", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			if err := r.Follow(ctx); err != nil {
				t.Errorf("Follow: %v", err)
			}
		}()
		epoch, err := r.CatchUp(ctx)
		if err != nil {
			t.Fatal(err)
		}
		epoch.Read(func(s *fold.State) {
			if s.Model() != nil || s.Next() != 0 || rebuilds != 1 {
				t.Errorf("the state has a model: %v, is at offset %d, was rebuilt %d times; want the empty one of the new log, rebuilt once", s.Model() != nil, s.Next(), rebuilds)
			}
		})
		stop()
		synctest.Wait()
	})
}

func specRecord(t *testing.T, name string) []byte {
	t.Helper()
	s := modeltest.Spec(t, "name: "+name)
	value, err := codec.EncodeSpec(s, fold.LogID{})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// appendSpecs appends n equal specs of a name to the topic "log".
func appendSpecs(t *testing.T, broker modellog.Broker, name string, n int) {
	t.Helper()
	value := specRecord(t, name)
	for range n {
		if _, err := broker.Produce(t.Context(), "log", 0, []stream.Record{{Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRightIsTakenAway: a right that is missing when the log is first read ends Follow. One that is
// taken away later is waited for: it is told, and what comes meanwhile is folded when it is given
// back.
func TestRightIsTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, f := followSpecs(t, "first")
		denied := &stream.RightError{Operation: "Read", Resource: "Topic", Name: "log"}
		f.last(time.Minute)
		memory.Intercept(func(m kafkatest.MemoryRequest) error {
			if m.Kind == "produce" {
				return nil
			}
			return denied
		})
		appendSpecs(t, memory, "second", 1)
		if _, _, reason := f.last(time.Hour); !errors.Is(reason, denied) {
			t.Errorf("halted for %v, want the right that is missing", reason)
		}
		none := modellog.New(memory, "log", fold.New(false), modellog.Observer{Folded: func(fold.Outcome) {}}, slog.New(slog.DiscardHandler))
		if err := none.Follow(t.Context()); !errors.Is(err, denied) {
			t.Errorf("a replica that has not read anything ended with %v, want the right that is missing", err)
		}
		caughtUp := make(chan error, 1)
		go func() {
			_, err := f.CatchUp(t.Context())
			caughtUp <- err
		}()
		synctest.Wait()
		memory.Intercept(nil)
		if rebuilds, _, reason := f.last(2 * time.Second); reason != nil || rebuilds != 0 || f.next() != 2 {
			t.Errorf("given back: at offset %d after %d rebuilds, halted: %v", f.next(), rebuilds, reason)
		}
		if err := <-caughtUp; err != nil {
			t.Errorf("CatchUp: %v", err)
		}
	})
}
