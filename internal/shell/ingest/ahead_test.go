package ingest

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
	"bayestream/internal/testing/kafkatest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shelf is a broker that has the records of each topic from an offset on, and keeps to the size
// that is asked for.
type shelf struct {
	records  map[string][]stream.Record // by topic
	first    int64
	refused  string // a topic that it lets nobody read
	requests int
}

func (s *shelf) Fetch(_ context.Context, r stream.FetchRequest) (stream.Fetched, error) {
	s.requests++
	all := s.records[r.Topic]
	end := int64(len(all))
	switch {
	case r.Topic == s.refused:
		return stream.Fetched{}, &stream.RightError{Operation: "Read", Resource: "Topic", Name: r.Topic}
	case r.Partition > 1:
		return stream.Fetched{}, stream.ErrUnknownPartition
	case r.Offset < s.first, r.Offset > end:
		return stream.Fetched{}, &stream.OffsetError{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, LogStart: s.first, End: end}
	}
	next := r.Offset
	for size := 0; next < end && (next == r.Offset || size < r.MaxBytes); next++ {
		size += all[next].Size()
	}
	return stream.Fetched{Records: all[r.Offset:next], Next: next, LogStart: s.first, HighWatermark: end, LastStable: end, LeaderEpoch: -1}, nil
}

// shelve returns a broker with n records in partition 1 of the topic t and in partition 0 of the
// topic texts.
func shelve(n, size int) *shelf {
	s := &shelf{records: map[string][]stream.Record{}}
	filling := bytes.Repeat([]byte("."), size)
	for partition, topic := range []string{"texts", "t"} {
		for i := range n {
			value := fmt.Appendf(make([]byte, 0, size), "%s %d ", topic, i)
			value = append(value, filling[len(value):]...)
			s.records[topic] = append(s.records[topic], stream.Record{Topic: topic, Partition: partition, Offset: int64(i), Value: value})
		}
	}
	return s
}

// readAll reads the places as records would that need one each. No time passes in between, since a
// slow machine reads ahead for fewer records.
func readAll(t *testing.T, s *shelf, places []place) (all texts) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { all = readEach(t, s, places) })
	return all
}

func readEach(t *testing.T, s *shelf, places []place) texts {
	t.Helper()
	r := &recent{broker: s, source: fold.Source{Topic: "t", Partition: 1}}
	all := texts{}
	for i, at := range places {
		next := func(n int) []place { return places[i+1 : min(i+1+n, len(places))] }
		read, err := r.read(t.Context(), []place{at}, next)
		if err != nil {
			t.Fatal(err)
		}
		all[at] = read[at]
		if r.bytes > aheadBytes+aheadFetch+s.records["t"][0].Size() {
			t.Fatalf("%d bytes are kept, want at most %d and a fetch", r.bytes, aheadBytes)
		}
	}
	return all
}

// TestTextsAreReadTogether needs texts in any order that lie apart in two topics, the first of
// which were deleted.
func TestTextsAreReadTogether(t *testing.T) {
	const n = 30_000
	for name, c := range map[string]struct{ size, step, requests int }{
		"small":       {150, 15, 30},
		"large":       {20_000, 61, 98},
		"far between": {150, 1000, 60},
	} {
		t.Run(name, func(t *testing.T) {
			total := n
			if c.size > 1000 {
				total = n / 10
			}
			s := shelve(total, c.size)
			s.first = int64(total / 5)
			var places []place
			for i := range total / c.step {
				offset := int64(i * 7919 % (total / c.step) * c.step)
				places = append(places, place{"t", 1, offset}, place{"texts", 0, offset})
			}
			for at, rec := range readAll(t, s, places) {
				want := &s.records[at.topic][at.offset]
				if at.offset < s.first {
					want = nil
				}
				if !reflect.DeepEqual(want, rec) {
					t.Fatalf("%s: want -, got +:\n%s", at, cmp.Diff(want, rec))
				}
			}
			t.Logf("%d texts in %d requests", len(places), s.requests)
			if s.requests > c.requests {
				t.Errorf("%d texts took %d requests, want at most %d", len(places), s.requests, c.requests)
			}
		})
	}
}

// TestNoSuchPartition: brokers are asked once for a partition that does not exist, and not for each
// record that names it.
func TestNoSuchPartition(t *testing.T) {
	s := shelve(10, 100)
	var places []place
	for i := range int64(10) {
		places = append(places, place{"texts", 99, i})
	}
	if read := readAll(t, s, places); s.requests != 1 || read[places[9]] != nil {
		t.Errorf("%d requests read %v", s.requests, read)
	}
}

// TestRefusedTextsAreReadAlone: a topic that nobody may read fails the records that need it, and no
// other.
func TestRefusedTextsAreReadAlone(t *testing.T) {
	s := shelve(10, 100)
	s.refused = "texts"
	r := &recent{broker: s, source: fold.Source{Topic: "t", Partition: 1}}
	next := func(int) []place { return []place{{"texts", 0, 4}} }
	if read, err := r.read(t.Context(), []place{{"t", 1, 3}}, next); err != nil || len(read) != 1 {
		t.Errorf("a record that needs another topic: %v, %v", read, err)
	}
	if _, err := r.read(t.Context(), []place{{"texts", 0, 4}}, next); err == nil {
		t.Error("a record that needs the refused topic is not refused")
	}
}

// TestReplacingTakesFewRequests replaces all documents that a worker before has learned.
func TestReplacingTakesFewRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		const n = 2000
		var first, second []string
		for i := range n {
			first = append(first, document(i, "a"))
			second = append(second, document(i*7%n, "b"))
		}
		l.train(first...)
		l.learn()
		l.wantCounted(n, n)
		l.end()
		again := startAgain(l)
		requests := 0
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Topic == "training" && r.Kind == "fetch" && r.Offset < n {
				requests++
			}
			return nil
		})
		l.train(second...)
		again.learn()
		again.wantCounted(2*n, n)
		again.end()
		if requests == 0 || requests > 30 {
			t.Errorf("%d requests for %d texts, want at most 30", requests, n)
		}
	})
}

// built returns the delta and the dead letters of a batch of the records, whose texts read returns.
func built(t *rapid.T, v view, from int64, records []stream.Record, read func(b *batch, o *opened, i int) (texts, error)) (delta string, dead []deadLetter) {
	b := newBatch(t, "limits: {window: {records: 12}}", v)
	b.begin(from, v, &worker.Fetched{})
	for i := range records {
		o := b.open(&records[i])
		needed, err := read(b, o, i)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.add(o, needed); err != nil {
			t.Fatal(err)
		}
	}
	value, err := codec.EncodeDelta(b.delta(spec.Fingerprint{}, false))
	if err != nil {
		t.Fatal(err)
	}
	return string(value), b.dead
}

// TestReadingAheadChangesNothing builds each delta twice: with texts that were read ahead, and one
// by one.
func TestReadingAheadChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &shelf{records: map[string][]stream.Record{}}
		for offset := range int64(rapid.IntRange(2, 60).Draw(t, "records")) {
			training, text := drawTimed(t).record(offset)
			if text == nil {
				text = &stream.Record{Topic: "texts", Offset: offset}
			}
			s.records["t"] = append(s.records["t"], *training)
			s.records["texts"] = append(s.records["texts"], *text)
		}
		half := len(s.records["t"]) / 2
		ledger := mapView{}
		single := func(o *opened) (texts, error) {
			read := texts{}
			for _, at := range o.needs {
				rec, err := worker.ReadAt(context.Background(), s, at.topic, int(at.partition), at.offset)
				if err != nil {
					return nil, err
				}
				read[at] = rec
			}
			return read, nil
		}
		before := s.records["t"][:half]
		built(t, ledger, 0, before, func(b *batch, o *opened, i int) (texts, error) {
			if i == len(before)-1 {
				for _, c := range b.changes {
					delete(ledger, c.ID)
					if entry, known := b.pending.Entry(c.ID); known {
						ledger[c.ID] = *entry.Put
					}
				}
			}
			return single(o)
		})
		s.first = rapid.Int64Range(0, int64(half)).Draw(t, "first")
		now := s.records["t"][half:]
		want, wantDead := built(t, ledger, int64(half), now, func(_ *batch, o *opened, _ int) (texts, error) { return single(o) })
		r := &recent{broker: s, source: fold.Source{Topic: "t", Partition: 1}}
		got, dead := built(t, ledger, int64(half), now, func(b *batch, o *opened, i int) (texts, error) {
			return r.read(context.Background(), o.needs, func(n int) []place { return b.soon(o, now[i+1:min(i+1+n, len(now))]) })
		})
		if got != want {
			t.Fatalf("the delta differs:\n%q\n%q", got, want)
		}
		if diff := cmp.Diff(wantDead, dead, cmp.AllowUnexported(deadLetter{})); diff != "" {
			t.Fatalf("the dead letters differ: want -, got +:\n%s", diff)
		}
	})
}
