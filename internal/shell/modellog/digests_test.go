package modellog_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// A digestWriter writes deltas of documents with ids to the topic "log", each with the digest of
// its state.
type digestWriter struct {
	t       *testing.T
	memory  *kafkatest.Memory
	state   *fold.State
	writer  *storetest.Writer
	records []storetest.Record
	values  [][]byte // of the log
}

func newDigestWriter(t *testing.T) *digestWriter {
	t.Helper()
	w := &digestWriter{t: t, memory: kafkatest.NewMemory(), state: fold.New(true)}
	w.memory.CreateTopic("log", 1)
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	w.writer = storetest.NewWriter(t, sp)
	value, err := codec.EncodeSpec(sp, fold.LogID{})
	w.append(value, err)
	return w
}

func (w *digestWriter) append(value []byte, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	offset, err := w.memory.Produce(w.t.Context(), "log", 0, []stream.Record{{Value: value}})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, _, err := storetest.FoldRecord(w.state, &stream.Record{Offset: offset, Value: value}, 0); err != nil {
		w.t.Fatal(err)
	}
	w.state.Settle()
	w.values = append(w.values, value)
}

// write writes a delta of one document. change, if not nil, changes the digest.
func (w *digestWriter) write(change func(*fold.Delta)) {
	w.t.Helper()
	n := int64(len(w.records))
	w.records = append(w.records, storetest.Document("id"+string(rune('a'+n%26)), rand.New(rand.NewPCG(uint64(n), 0)).IntN))
	d := w.writer.Delta(w.t, w.state, storetest.Training, w.records, n, n+1)
	d.Digest = w.state.Digest()
	d.Ranges[0].Digest = w.state.LedgerDigest(storetest.Training)
	if change != nil {
		change(d)
	}
	w.append(codec.EncodeDelta(d))
}

// mustEqual waits, and compares a follower with the state of the writer.
func (w *digestWriter) mustEqual(f *follower) {
	w.t.Helper()
	time.Sleep(time.Minute)
	synctest.Wait()
	f.Read(func(s *fold.State) {
		got, _ := s.Digests()
		want, _ := w.state.Digests()
		if s.Next() != w.state.Next() || got != want {
			w.t.Errorf("the replica is at offset %d with the digest %s, want %d with %s", s.Next(), got, w.state.Next(), want)
		}
		if counts, want := modeltest.Dump(s.Model()), modeltest.Dump(w.state.Model()); counts != want {
			w.t.Errorf("the replica has\n%s\nwant\n%s", counts, want)
		}
	})
}

// mustHave compares how often a follower was rebuilt, and how often it found a wrong writer.
func (f *follower) mustHave(t *testing.T, rebuilds, differed int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rebuilds != rebuilds || f.differed != differed {
		t.Errorf("%d rebuilds, %d wrong writers; want %d and %d", f.rebuilds, f.differed, rebuilds, differed)
	}
}

// A replica with another count than the log says is rebuilt once, and is right again.
func TestDifferentReplicaIsRebuilt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDigestWriter(t)
		w.write(nil)
		f := follow(t, w.memory)
		w.mustEqual(f)
		f.Copy(func(*fold.State) {}, func(s *fold.State) {
			b := model.NewBuilder(s.Spec())
			b.AddDocuments("by hand", 1)
			if err := s.Model().Apply(b.Delta()); err != nil {
				t.Fatal(err)
			}
		})
		for range 5 {
			w.write(nil)
			time.Sleep(time.Second)
		}
		w.mustEqual(f)
		f.mustHave(t, 1, 0)
	})
}

// A writer that had counted something else than the log says is reported each time; the replica is
// rebuilt once and goes on with what the log says.
func TestWrongWriterIsReported(t *testing.T) {
	for name, change := range map[string]func(*fold.Delta){
		"counts": func(d *fold.Delta) { d.Digest.Counts ^= 1 },
		"ledger": func(d *fold.Delta) { d.Ranges[0].Digest ^= 1 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newDigestWriter(t)
				w.write(nil)
				f := followWith(t, w.memory, fold.New(true))
				wrong := 0
				for i := range 40 {
					if i%3 == 2 {
						w.write(change)
						wrong++
					} else {
						w.write(nil)
					}
					time.Sleep(time.Second)
				}
				w.mustEqual(f)
				f.mustHave(t, 1, wrong)
			})
		})
	}
}

// Without its start the log cannot rebuild a replica: the writer is reported.
func TestDifferenceWithoutTheStartOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDigestWriter(t)
		for range 5 {
			w.write(nil)
		}
		f := follow(t, w.memory)
		w.mustEqual(f)
		w.memory.Truncate("log", 0, 3)
		w.write(func(d *fold.Delta) { d.Digest.Counts ^= 1 })
		w.mustEqual(f)
		f.mustHave(t, 0, 1)
	})
}

// A digest at an offset that is not known, or not reached, says nothing.
func TestUnknownDigests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDigestWriter(t)
		w.write(nil)
		f := followWith(t, w.memory, fold.New(true))
		w.write(func(d *fold.Delta) { *d.Digest = fold.Digest{Next: 0, Counts: 7} })
		w.write(func(d *fold.Delta) { *d.Digest = fold.Digest{Next: 1 << 40, Counts: 7} })
		w.mustEqual(f)
		f.mustHave(t, 0, 0)
	})
}

// A snapshot whose counts somebody has changed, checksums and digests included, passes every check
// of its own. The first delta that another worker has built behind it contradicts it, and the log
// is folded from its start. If the log has lost that, nothing tells which of the two is wrong: the
// difference is reported.
func TestForgedSnapshot(t *testing.T) {
	for name, c := range map[string]struct {
		behind, cut        int // deltas behind the snapshot when it is taken, records that the log has lost
		rebuilds, differed int
	}{
		"the log goes on behind it":                {1, 0, 1, 0},
		"the log ends with it, and goes on later":  {0, 0, 1, 0},
		"the log goes on, and has lost its start":  {1, 2, 0, 1},
		"the log goes on, and has lost all before": {1, 3, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newDigestWriter(t)
				w.write(nil)
				w.write(nil)
				state := forged(t, w)
				for range c.behind {
					w.write(nil)
				}
				w.memory.Truncate("log", 0, int64(c.cut))
				f := followWith(t, w.memory, state)
				time.Sleep(time.Minute)
				if c.behind == 0 {
					f.mustHave(t, 0, 0) // the last record is the one that it names: nothing contradicts it yet
					w.write(nil)
					time.Sleep(time.Minute)
				}
				synctest.Wait()
				f.mustHave(t, c.rebuilds, c.differed)
				if c.rebuilds > 0 {
					w.mustEqual(f)
				}
			})
		})
	}
}

// forged returns the state of a model file that has the writer's position and anchor, and one count
// more.
func forged(t *testing.T, w *digestWriter) *fold.State {
	t.Helper()
	state := fold.New(true)
	for i, value := range w.values {
		if _, _, err := storetest.FoldRecord(state, &stream.Record{Offset: int64(i), Value: value}, 0); err != nil {
			t.Fatal(err)
		}
		state.Settle()
	}
	b := model.NewBuilder(state.Spec())
	b.AddDocuments("by hand", 1)
	if err := state.Model().Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	state.Settle()
	file := storetest.New(t)
	storetest.Checkpoint(t, file, state)
	if err := file.Check(); err != nil {
		t.Fatalf("the forged file is refused: %v", err)
	}
	return storetest.Load(t, file)
}
