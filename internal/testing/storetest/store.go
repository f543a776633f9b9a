package storetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/store"
)

// New returns an open model file in a folder of the test.
func New(tb testing.TB) *store.Store {
	tb.Helper()
	return Open(tb, filepath.Join(tb.TempDir(), "model.db"))
}

// Open opens the model file at path, or creates it. When the test ends, the file is closed and
// checked, unless it no longer exists.
func Open(tb testing.TB, path string) *store.Store {
	tb.Helper()
	s, err := store.Open(path, time.Second)
	if err != nil {
		tb.Fatalf("open store: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close store: %v", err)
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err := store.Verify(path); err != nil {
			tb.Errorf("the store after the test: %v", err)
		}
	})
	return s
}

// Checkpoint writes the changes of the state to the file.
func Checkpoint(tb Fataler, s *store.Store, state *fold.State) {
	tb.Helper()
	if err := s.Write(store.Collect(state)); err != nil {
		tb.Fatalf("write a checkpoint: %v", err)
	}
}

// Fataler is the part of testing.TB that rapid's *T has too.
type Fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Load returns the state in the file; a file without one fails the test.
func Load(tb Fataler, s *store.Store) *fold.State {
	tb.Helper()
	state, err := s.Load()
	if err != nil {
		tb.Fatalf("load: %v", err)
	}
	if state == nil {
		tb.Fatalf("load: the file has no state")
	}
	return state
}

// Reopen closes the file and opens it again, as a restart does.
func Reopen(tb Fataler, s *store.Store) *store.Store {
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Fatalf("close store: %v", err)
	}
	again, err := store.Open(s.Path(), time.Second)
	if err != nil {
		tb.Fatalf("open store again: %v", err)
	}
	return again
}

// Dump returns a state as text: position, anchor, sources, ledgers and every count. Two states are
// equal if and only if their dumps are.
func Dump(tb Fataler, s *fold.State) string {
	tb.Helper()
	var out strings.Builder
	out.WriteString(Counts(tb, s))
	fmt.Fprintf(&out, "ledgers %v, teachers %v\n", s.KeepsLedger(), s.Teachers())
	for _, src := range s.Sources() {
		l := s.Ledger(src)
		if l == nil {
			continue
		}
		for c := range l.All() {
			fmt.Fprintf(&out, "ledger %s/%d %d %q %+v\n", src.Topic, src.Partition, c.Offset, c.ID, *c.Put)
		}
	}
	return out.String()
}

// Counts is Dump without the ledgers, which a state for classifying does not have.
func Counts(tb Fataler, s *fold.State) string {
	tb.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "next %d anchor %+v\nlog %x\n", s.Next(), s.Anchor(), s.Log())
	fmt.Fprintf(&out, "era %d\n", s.Era())
	for _, v := range s.Voids() {
		if v.At >= s.Next() {
			break // known by reading ahead: others may meet it later
		}
		fmt.Fprintf(&out, "void %d %08x %+v\n", v.At, v.CRC, *v.Void)
	}
	for _, src := range s.Sources() {
		p, _ := s.Progress(src)
		fmt.Fprintf(&out, "source %s/%d %+v\n", src.Topic, src.Partition, p)
	}
	m := s.Model()
	if m == nil {
		return out.String()
	}
	fmt.Fprintf(&out, "spec %s %s\n", m.Spec().Counting(), m.Spec().Scoring())
	fmt.Fprintf(&out, "race %x leader %+v sums %+v\n", s.Race().List().Fingerprint(), s.Race().Leader(), *s.Race().Sums())
	fmt.Fprintf(&out, "decided %+v\n", *s.Prequential())
	d := *s.Drift()
	if d.Rise != nil {
		fmt.Fprintf(&out, "rise %+v\n", *d.Rise)
		d.Rise = nil
	}
	fmt.Fprintf(&out, "drift %+v\n", d)
	for i, t := range m.Tables() {
		fmt.Fprintf(&out, "table %d admitted %d frozen %v\n", i, t.Admitted(), t.Frozen())
	}
	if err := m.Dump(&out); err != nil {
		tb.Fatalf("dump: %v", err)
	}
	return out.String()
}
