package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// putSnapshot puts a snapshot of the log with an id, as if next records of it were folded, and
// returns its path.
func putSnapshot(t *testing.T, shelf store.Shelf, id fold.LogID, next int64, keep int) (string, error) {
	t.Helper()
	s := modeltest.Spec(t, "text: {}")
	state := fold.New(true)
	storetest.Fold(t, state, fold.Entry{Spec: s, Log: id}, fold.Respecified)
	file := storetest.New(t)
	storetest.Checkpoint(t, file, state)
	incoming := filepath.Join(string(shelf), "incoming")
	b := filetest.Read(t, file.Path())
	filetest.Write(t, incoming, b)
	return shelf.Put(incoming, next, keep)
}

// TestShelfKeepsWhatIsPut: the snapshot that was put last stays, though others of its log have
// higher offsets, and so do the newest of these.
func TestShelfKeepsWhatIsPut(t *testing.T) {
	shelf := store.Shelf(t.TempDir())
	var paths []string
	for _, next := range []int64{10, 20, 30, 5} {
		path, err := putSnapshot(t, shelf, fold.LogID{1}, next, 2)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for i, stays := range []bool{false, false, true, true} {
		if _, err := os.Stat(paths[i]); (err == nil) != stays {
			t.Errorf("%s: %v, want that it stays: %v", paths[i], err, stays)
		}
	}
}

// TestShelfOfAnotherLog: a folder whose snapshots of another log would be taken for newer ones is
// refused, and left as it is. Snapshots of another log with lower offsets are no reason.
func TestShelfOfAnotherLog(t *testing.T) {
	shelf := store.Shelf(t.TempDir())
	first, err := putSnapshot(t, shelf, fold.LogID{1}, 10, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []int64{9, 10} {
		_, err := putSnapshot(t, shelf, fold.LogID{2}, next, 3)
		var other *store.OtherLogError
		if !errors.As(err, &other) || other.Path != first || other.Next != next {
			t.Errorf("offset %d: %v, want that %s is of another log", next, err, first)
		}
	}
	if _, err := putSnapshot(t, shelf, fold.LogID{2}, 11, 3); err != nil {
		t.Fatal(err)
	}
	if newest, err := store.Peek(t.Context(), string(shelf)); err != nil || newest.Log() != (fold.LogID{2}) {
		t.Errorf("%v: the newest is not that of offset 11", err)
	}
}
