package store_test

import (
	"errors"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"bayestream/internal/core/digest"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/storetest"

	"go.etcd.io/bbolt"
)

// learned returns the digests of the files that a model file remembers, in order.
func learned(t *testing.T, s *store.Store) []digest.Sum {
	t.Helper()
	known, err := s.Learned()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(known))
}

// Digests of files come with a checkpoint, stay through others, and are bounded.
func TestRemember(t *testing.T) {
	state := small(t)
	s := storetest.New(t)
	s.Remember([]digest.Sum{7, 3})
	if got := learned(t, s); len(got) != 0 {
		t.Errorf("before the checkpoint: %v", got)
	}
	storetest.Checkpoint(t, s, state)
	s = storetest.Reopen(t, s)
	storetest.Checkpoint(t, s, state)
	s.Remember([]digest.Sum{3, 5})
	storetest.Checkpoint(t, s, state)
	if got := learned(t, s); !slices.Equal(got, []digest.Sum{3, 5, 7}) {
		t.Errorf("got %v, want 3, 5 and 7", got)
	}
	var many []digest.Sum
	for i := range digest.Sum(5000) {
		many = append(many, 100+i)
	}
	s.Remember(many)
	storetest.Checkpoint(t, s, state)
	if got := learned(t, s); len(got) != 4096 || got[0] != 3 || got[4095] != 100+4092 {
		t.Errorf("%d digests from %d to %d, want the first 4096", len(got), got[0], got[len(got)-1])
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A digest of a file that was changed on the disk is damage.
func TestDamagedDigest(t *testing.T) {
	state := small(t)
	s := storetest.New(t)
	s.Remember([]digest.Sum{7})
	storetest.Checkpoint(t, s, state)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	edit(t, s.Path(), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("learned")).Put([]byte("\x00\x00\x00\x00\x00\x00\x00\x08"), []byte{1, 2, 3, 4})
	})
	s, err := store.OpenReadOnly(s.Path(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Learned(); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Learned: %v, want ErrDamaged", err)
	}
	if err := s.Check(); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Check: %v, want ErrDamaged", err)
	}
	if err := errors.Join(s.Close(), os.Remove(s.Path())); err != nil { // or the end of the test finds the damage
		t.Fatal(err)
	}
}
