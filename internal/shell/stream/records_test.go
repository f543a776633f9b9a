package stream

import (
	"errors"
	"slices"
	"testing"

	"bayestream/internal/testing/alloctest"
)

// testLimit is below what Config allows, to keep the tests quick.
const testLimit = 8 << 20

func newSet(t *testing.T, from int64, filter *txnFilter) *recordSet {
	t.Helper()
	d, err := newDecompressor(testLimit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	return &recordSet{from: from, filter: filter, unpack: d, enough: d.limit}
}

func offsets(records []Record) []int64 {
	var all []int64
	for _, r := range records {
		all = append(all, r.Offset)
	}
	return all
}

// plainBatch has n records from base on.
func plainBatch(base int64, n int) testBatch {
	b := testBatch{base: base, count: n, producer: -1}
	for i := range n {
		b.payload = appendRecord(b.payload, i, 0, nil, []byte("v"))
	}
	return b
}

func TestRecordSetGoesOnAfterTheLastOffset(t *testing.T) {
	compacted := plainBatch(10, 2) // 10 and 11 are left of 10 to 14
	compacted.lastDelta, compacted.epoch = 4, 3
	empty := testBatch{base: 15, lastDelta: 4, producer: -1, epoch: 5} // 15 to 19, all removed
	for _, c := range []struct {
		name string
		set  []byte
		from int64
		want []int64
		next int64
	}{
		{"compacted tail", compacted.encode(), 10, []int64{10, 11}, 15},
		{"inside the removed tail", compacted.encode(), 12, nil, 15},
		{"empty batch", empty.encode(), 15, nil, 20},
		{"several", slices.Concat(compacted.encode(), empty.encode(), plainBatch(20, 1).encode()), 11, []int64{11, 20}, 21},
		{"nothing", nil, 7, nil, 7},
		{"batch before the offset", plainBatch(1, 3).encode(), 7, nil, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSet(t, c.from, nil)
			missing, err := s.decode(c.set)
			if err != nil || missing != 0 {
				t.Fatalf("decode: %d missing, %v", missing, err)
			}
			if got := offsets(s.records); !slices.Equal(got, c.want) || s.next != c.next {
				t.Errorf("offsets %v and next %d, want %v and %d", got, s.next, c.want, c.next)
			}
		})
	}
}

func TestRecordSetEpochIsThatOfTheLastRecord(t *testing.T) {
	a, b, marker := plainBatch(0, 1), plainBatch(1, 1), testBatch{base: 2, attributes: control, count: 1, payload: appendRecord(nil, 0, 0, []byte{0, 0, 0, 1}, nil)}
	a.epoch, b.epoch, marker.epoch = 1, 2, 7
	s := newSet(t, 0, nil)
	if _, err := s.decode(slices.Concat(a.encode(), b.encode(), marker.encode())); err != nil || s.epoch != 2 || s.next != 3 {
		t.Errorf("epoch %d, next %d, %v, want 2, 3", s.epoch, s.next, err)
	}
	s = newSet(t, 2, nil)
	if _, err := s.decode(marker.encode()); err != nil || s.epoch != -1 {
		t.Errorf("without a record the epoch is %d, %v, want -1", s.epoch, err)
	}
}

func TestRecordSetCutOff(t *testing.T) {
	first, second := plainBatch(0, 3).encode(), plainBatch(3, 3).encode()
	s := newSet(t, 0, nil)
	if missing, err := s.decode(slices.Concat(first, second[:30])); err != nil || missing != 0 || s.next != 3 {
		t.Errorf("a cut second batch: %d missing, next %d, %v, want 0, 3", missing, s.next, err)
	}
	s = newSet(t, 0, nil)
	if missing, err := s.decode(first[:30]); err != nil || missing != len(first) || s.next != 0 {
		t.Errorf("a cut first batch: %d missing, next %d, %v, want %d, 0", missing, s.next, err, len(first))
	}
	s = newSet(t, 0, nil)
	if missing, err := s.decode(first[:5]); err != nil || missing < 12 {
		t.Errorf("a first batch without its length: %d missing, %v", missing, err)
	}
}

func TestRecordSetHoldsAnErrorBack(t *testing.T) {
	bad := plainBatch(3, 3)
	bad.breakCRC = true
	s := newSet(t, 0, nil)
	if _, err := s.decode(slices.Concat(plainBatch(0, 3).encode(), bad.encode())); err != nil || s.next != 3 || len(s.records) != 3 {
		t.Errorf("before a bad batch: %d records, next %d, %v, want 3, 3 and no error yet", len(s.records), s.next, err)
	}
	s = newSet(t, 3, nil)
	_, err := s.decode(bad.encode())
	var batchErr *BatchError
	if !errors.As(err, &batchErr) || !errors.Is(err, ErrBadBatch) || batchErr.Offset != 3 || batchErr.Next != 4 {
		t.Errorf("at a bad batch: %v, want a BatchError at 3 to go on at 4", err)
	}
	s = newSet(t, 5, nil)
	if _, err = s.decode(bad.encode()); !errors.As(err, &batchErr) || batchErr.Next != 6 {
		t.Errorf("inside a bad batch: %v, want to go on at 6", err)
	}
}

func TestRecordSetImpossibleLength(t *testing.T) {
	for _, size := range []int{-1, 0, 20, -1 << 31} {
		b := plainBatch(3, 1)
		raw := b.encode()
		b.size = size
		if size != 0 {
			raw = b.encode()
		} else {
			copy(raw[8:12], []byte{0, 0, 0, 0})
		}
		s := newSet(t, 3, nil)
		if _, err := s.decode(raw); !errors.Is(err, ErrBadBatch) {
			t.Errorf("a batch of length %d: %v, want ErrBadBatch", size, err)
		}
	}
}

// txn returns a batch of one record within a transaction of a producer.
func txn(base, producer int64) []byte {
	b := plainBatch(base, 1)
	b.attributes, b.producer = transactional, producer
	return b.encode()
}

// end returns the marker that ends a transaction.
func end(base, producer int64, commit bool) []byte {
	key := []byte{0, 0, 0, 0}
	if commit {
		key[3] = 1
	}
	return testBatch{base: base, attributes: transactional | control, producer: producer, count: 1, payload: appendRecord(nil, 0, 0, key, nil)}.encode()
}

func TestTxnFilter(t *testing.T) {
	// Two producers interleave; 1 aborts its first transaction and commits its
	// second, 2 commits, 3 aborts one that starts before the offset asked for.
	log := slices.Concat(
		txn(0, 1), txn(1, 2), plainBatch(2, 1).encode(), txn(3, 1), txn(4, 3),
		end(5, 1, false), txn(6, 1), end(7, 2, true), txn(8, 3), end(9, 1, true), end(10, 3, false), plainBatch(11, 1).encode(),
	)
	aborted := []abortedTxn{{ProducerID: 3, FirstOffset: 4}, {ProducerID: 1, FirstOffset: 0}}
	s := newSet(t, 0, newTxnFilter(aborted))
	if _, err := s.decode(log); err != nil {
		t.Fatal(err)
	}
	if got, want := offsets(s.records), []int64{1, 2, 6, 11}; !slices.Equal(got, want) || s.next != 12 {
		t.Errorf("committed: offsets %v, next %d, want %v, 12", got, s.next, want)
	}
	s = newSet(t, 0, nil)
	if _, err := s.decode(log); err != nil {
		t.Fatal(err)
	}
	if got, want := offsets(s.records), []int64{0, 1, 2, 3, 4, 6, 8, 11}; !slices.Equal(got, want) {
		t.Errorf("uncommitted: offsets %v, want %v (no markers)", got, want)
	}
	s = newSet(t, 6, newTxnFilter([]abortedTxn{{ProducerID: 3, FirstOffset: 4}}))
	if _, err := s.decode(slices.Concat(txn(6, 1), end(7, 2, true), txn(8, 3), end(9, 1, true), end(10, 3, false))); err != nil {
		t.Fatal(err)
	}
	if got, want := offsets(s.records), []int64{6}; !slices.Equal(got, want) || s.next != 11 {
		t.Errorf("from the middle: offsets %v, next %d, want %v, 11", got, s.next, want)
	}
	s = newSet(t, 3, newTxnFilter([]abortedTxn{{ProducerID: 1, FirstOffset: 0}}))
	if _, err := s.decode(slices.Concat(txn(3, 1), end(5, 1, false))); err != nil || len(s.records) != 0 || s.next != 6 {
		t.Errorf("nothing but aborted: %v, next %d, %v, want none, 6", offsets(s.records), s.next, err)
	}
}

// TestRecordSetStopsAtTheLimit: many small packed batches cannot add up to more
// than twice the limit.
func TestRecordSetStopsAtTheLimit(t *testing.T) {
	plain := appendRecord(nil, 0, 0, nil, make([]byte, testLimit*2/3))
	var log []byte
	for i := range int64(10) {
		b := testBatch{base: i, attributes: codecZstd, count: 1, producer: -1, payload: pack(t, "zstd", plain)}
		log = append(log, b.encode()...)
	}
	s := newSet(t, 0, nil)
	if _, err := s.decode(log); err != nil {
		t.Fatal(err)
	}
	if len(s.records) != 2 || s.next != 2 {
		t.Errorf("%d records up to %d, want 2 up to 2", len(s.records), s.next)
	}
}

func FuzzRecordSet(f *testing.F) {
	f.Add(slices.Concat(txn(0, 1), plainBatch(1, 3).encode(), end(4, 1, false)), int64(0), int64(1), int64(0))
	f.Add(plainBatch(5, 2).encode(), int64(6), int64(0), int64(0))
	d, err := newDecompressor(fuzzLimit)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, set []byte, from, producer, first int64) {
		if from < 0 || from > 1<<40 {
			return
		}
		var s recordSet
		var missing int
		var err error
		alloctest.Bound(t, len(set), func() {
			s = recordSet{from: from, unpack: d, enough: d.limit, filter: newTxnFilter([]abortedTxn{{ProducerID: producer, FirstOffset: first}})}
			missing, err = s.decode(set)
		})
		if s.next < from || missing < 0 && err == nil {
			t.Fatalf("next %d after %d, %d missing", s.next, from, missing)
		}
		var bad *BatchError
		if errors.As(err, &bad) && bad.Next <= from {
			t.Fatalf("%v leads nowhere from %d", bad, from)
		}
		if len(s.records) > 0 && s.records[len(s.records)-1].Offset >= s.next {
			t.Fatalf("record %d at or after next %d", s.records[len(s.records)-1].Offset, s.next)
		}
	})
}
