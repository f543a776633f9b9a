package store_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/storetest"

	"go.etcd.io/bbolt"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// small returns a state of every kind of block.
func small(t storetest.Fataler) *fold.State {
	t.Helper()
	return storetest.Learned(t, storetest.Spec(t, spec.Multinomial, 1000, 1000), storetest.Records(30, newRand(1).IntN))
}

// closed writes a state to a file and closes it.
func closed(t testing.TB, state *fold.State) (path string) {
	t.Helper()
	s := storetest.New(t)
	storetest.Checkpoint(t, s, state)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Path()
}

// edited opens a file whose checkpoint was changed.
func edited(t *testing.T, change func(*checkpoint)) *store.Store {
	t.Helper()
	path := closed(t, small(t))
	edit(t, path, func(tx *bbolt.Tx) error { return putCheckpoint(tx, change) })
	s, err := store.Open(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(s.Close(), os.Remove(path)) }) // Verify would refuse it
	return s
}

func TestNewFileIsEmpty(t *testing.T) {
	s := storetest.New(t)
	if state, err := s.Load(); state != nil || err != nil {
		t.Errorf("Load of a new file: %v, %v, want nothing", state, err)
	}
	s = storetest.Reopen(t, s)
	defer s.Close()
	if state, err := s.Load(); state != nil || err != nil {
		t.Errorf("Load of a new file that was opened again: %v, %v, want nothing", state, err)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600: a model says what was learned", info.Mode(), err)
	}
}

func TestHeldByAnotherProcess(t *testing.T) {
	path := closed(t, small(t))
	writer := storetest.Open(t, path)
	const wait = 120 * time.Millisecond
	for name, open := range map[string]func(string, time.Duration) (*store.Store, error){"Open": store.Open, "OpenReadOnly": store.OpenReadOnly} {
		start := time.Now()
		_, err := open(path, wait)
		if took := time.Since(start); !errors.Is(err, store.ErrHeld) || took < wait/2 {
			t.Errorf("%s of a file that is open: %v after %v, want ErrHeld after %v", name, err, took, wait)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	reader, err := store.OpenReadOnly(path, wait)
	if err != nil {
		t.Fatalf("after the other closed it: %v", err)
	}
	defer reader.Close()
	if _, err := store.Open(path, wait); !errors.Is(err, store.ErrHeld) {
		t.Errorf("Open beside a reader: %v, want ErrHeld", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("a held file must stay where it is: %v", err)
	}
}

func TestHeldFileIsReleasedInTime(t *testing.T) {
	path := closed(t, small(t))
	writer := storetest.Open(t, path)
	released := make(chan error, 1)
	go func() {
		time.Sleep(200 * time.Millisecond)
		released <- writer.Close()
	}()
	s, err := store.Open(path, 10*time.Second)
	if err != nil {
		t.Fatalf("Open did not wait for the process that was about to end: %v", err)
	}
	defer s.Close()
	if err := <-released; err != nil {
		t.Error(err)
	}
}

func TestReadOnly(t *testing.T) {
	state := small(t)
	path := closed(t, state)
	var readers []*store.Store
	for range 2 { // several may read at once
		s, err := store.OpenReadOnly(path, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		readers = append(readers, s)
	}
	for _, s := range readers {
		if got, want := storetest.Dump(t, storetest.Load(t, s)), storetest.Dump(t, state); got != want {
			t.Errorf("read:\n%s\nwritten:\n%s", got, want)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if err := s.Write(store.Collect(state)); err == nil {
			t.Error("a file that is open for reading was written")
		}
	}
}

func TestOpenReadOnlyMakesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.db")
	if _, err := store.OpenReadOnly(path, time.Second); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrDamaged) {
		t.Errorf("error %v, want that it does not exist", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

// What the system refuses is not damage: the file must not be moved aside for it.
func TestRefusedBySystemIsNotDamage(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{"a folder": dir, "below a file": filepath.Join(closed(t, small(t)), "model.db")} {
		if _, err := store.Open(path, time.Second); err == nil || errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrHeld) {
			t.Errorf("%s: error %v, want one of the system", name, err)
		}
	}
}

func TestMoveAside(t *testing.T) {
	state := small(t)
	path := closed(t, state)
	at := time.Date(2026, 11, 20, 17, 4, 5, 678e6, time.FixedZone("", 3600))
	aside, err := store.MoveAside(path, "unusable", at)
	if want := path + ".unusable-20261120T160405.678"; err != nil || aside != want {
		t.Fatalf("MoveAside = %q, %v, want %q", aside, err, want)
	}
	if got := storetest.Dump(t, storetest.Load(t, storetest.Open(t, aside))); got != storetest.Dump(t, state) {
		t.Errorf("the file that was moved holds\n%s", got)
	}
	if state, err := storetest.Open(t, path).Load(); state != nil || err != nil {
		t.Errorf("in its place: %v, %v, want a new file", state, err)
	}
	if _, err := store.MoveAside(filepath.Join(t.TempDir(), "none"), "unusable", at); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("MoveAside of nothing: %v", err)
	}
}

// edit changes a closed file with bbolt itself, behind the back of the store.
func edit(t testing.TB, path string, f func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(f); err != nil {
		t.Fatal(err)
	}
}

// A file of an earlier version says so by name, and is not taken for damaged.
func TestEarlierFormat(t *testing.T) {
	s := edited(t, func(p *checkpoint) { p.Format-- })
	_, err := s.Load()
	var old *codec.FormatError
	if !errors.As(err, &old) || errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "the model file was written in format 5") {
		t.Errorf("Load: %v, want a FormatError", err)
	}
}

// A file of a later version is neither used nor taken for damaged.
func TestLaterFormat(t *testing.T) {
	s := edited(t, func(p *checkpoint) { p.Format++ })
	for name, err := range map[string]error{"Load": second(s.Load()), "Check": s.Check(), "Write": s.Write(store.Collect(small(t)))} {
		if err == nil || errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "format 7") || !strings.Contains(err.Error(), "upgrade") {
			t.Errorf("%s: %v, want a sentence that says to upgrade", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A file that was counted with another tokenizer says so.
func TestOtherTokenizer(t *testing.T) {
	s := edited(t, func(p *checkpoint) { p.Spec.TokenizerRevision += 41 })
	_, err := s.Load()
	var revision *codec.RevisionError
	if !errors.As(err, &revision) || errors.Is(err, store.ErrDamaged) || revision.Counts != revision.Program+41 {
		t.Errorf("Load: %v, want a RevisionError", err)
	}
}
