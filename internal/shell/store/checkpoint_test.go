package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/storetest"

	"pgregory.net/rapid"
)

// Checkpoints at any times, of random states with small and with frozen vocabularies, with ledgers
// that overflow and without: what is loaded is what was collected last, and a batch that is not
// written is as if it had never been.
func TestCheckpointsEqualState(t *testing.T) {
	dir, files := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
		likelihood := []string{spec.Multinomial, spec.Bernoulli, storetest.Corrected}[draw(3)]
		sp := storetest.Spec(t, likelihood, 3+draw(20), 1+draw(6))
		records := storetest.Records(40, draw)
		files++
		s, err := store.Open(filepath.Join(dir, strconv.Itoa(files)), time.Second)
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		defer func() {
			if err := errors.Join(s.Check(), s.Close()); err != nil {
				t.Fatalf("after the test: %v", err)
			}
		}()
		state := storetest.Start(t, sp, draw(4) > 0)
		storetest.Checkpoint(t, s, state)
		stored := storetest.Dump(t, state)
		for range draw(20) {
			p, _ := state.Progress(storetest.Training)
			if end := min(p.Watermark+1+int64(draw(4)), int64(len(records))); end > p.Watermark {
				learn(t, state, records, end)
			}
			switch draw(5) {
			case 0, 1:
				storetest.Checkpoint(t, s, state)
				stored = storetest.Dump(t, state)
			case 2: // a crash before the batch is written
				store.Collect(state)
				s = storetest.Reopen(t, s)
				state = storetest.Load(t, s)
			}
			if got := storetest.Dump(t, storetest.Load(t, s)); got != stored {
				t.Fatalf("the file holds\n%s\nthe last checkpoint was\n%s", got, stored)
			}
		}
	})
}

// learn is storetest.Learn for states without a ledger as well, which cannot replace.
func learn(t storetest.Fataler, s *fold.State, records []storetest.Record, end int64) {
	t.Helper()
	if s.KeepsLedger() {
		storetest.Learn(t, s, records, end)
		return
	}
	plain := make([]storetest.Record, len(records))
	for i, r := range records {
		if r.Label != "" {
			r.ID = ""
		}
		plain[i] = r
	}
	storetest.Learn(t, s, plain, end)
}

// A copy of the file at any moment is the state of the last checkpoint before it.
func TestFileBetweenCheckpoints(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	records := storetest.Records(60, newRand(5).IntN)
	state := storetest.Start(t, sp, true)
	s := storetest.New(t)
	var want []string
	var copies []string
	for end := int64(1); end <= int64(len(records)); end += 3 {
		storetest.Learn(t, state, records, end)
		storetest.Checkpoint(t, s, state)
		want = append(want, storetest.Dump(t, state))
		copies = append(copies, copyFile(t, s.Path()))
	}
	for i, path := range copies {
		if got := storetest.Dump(t, storetest.Load(t, storetest.Open(t, path))); got != want[i] {
			t.Errorf("copy %d holds\n%s\nwant\n%s", i, got, want[i])
		}
	}
}

func copyFile(t testing.TB, path string) string {
	t.Helper()
	b := filetest.Read(t, path)
	return writeFile(t, b)
}

func writeFile(t testing.TB, b []byte) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "copy-*.db")
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// A batch that was collected and not written, for want of space or because the caller went another
// way, must not be missing from the file in silence.
func TestLostBatchIsNoticed(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	records := storetest.Records(30, newRand(6).IntN)
	state := storetest.Start(t, sp, true)
	s := storetest.New(t)
	storetest.Learn(t, state, records, 10)
	storetest.Checkpoint(t, s, state)
	first := storetest.Dump(t, state)
	storetest.Learn(t, state, records, 20)
	store.Collect(state) // and not written
	storetest.Learn(t, state, records, 30)
	for range 2 {
		if err := s.Write(store.Collect(state)); !errors.Is(err, store.ErrApart) {
			t.Errorf("Write after a lost batch: %v, want ErrApart", err)
		}
	}
	if got := storetest.Dump(t, storetest.Load(t, s)); got != first {
		t.Errorf("the file holds\n%s\nwant the checkpoint before\n%s", got, first)
	}
	again := storetest.Load(t, s)
	storetest.Learn(t, again, records, 30)
	storetest.Checkpoint(t, s, again)
}

// The state of one file must not be written over that of another, whose rows would stay in between.
func TestOtherStateIsRefused(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	s := storetest.New(t)
	storetest.Checkpoint(t, s, small(t))
	before := storetest.Dump(t, storetest.Load(t, s))
	fresh := storetest.Start(t, sp, true) // as after a rebuild
	storetest.Learn(t, fresh, storetest.Records(5, newRand(7).IntN), 5)
	if err := s.Write(store.Collect(fresh)); !errors.Is(err, store.ErrApart) {
		t.Errorf("Write of a state that was not loaded from the file: %v, want ErrApart", err)
	}
	if got := storetest.Dump(t, storetest.Load(t, s)); got != before {
		t.Errorf("the file holds\n%s\nwant\n%s", got, before)
	}
	empty := storetest.New(t)
	loaded := storetest.Load(t, s)
	if err := empty.Write(store.Collect(loaded)); !errors.Is(err, store.ErrApart) {
		t.Errorf("Write of what changed into a new file: %v, want ErrApart", err)
	}
}

// A checkpoint of nothing new is cheap and moves the position.
func TestCheckpointOfSkippedRecords(t *testing.T) {
	state := small(t)
	s := storetest.New(t)
	storetest.Checkpoint(t, s, state)
	storetest.Fold(t, state, fold.Entry{}, fold.Invalid)
	b := store.Collect(state)
	if b.Rows() != 0 {
		t.Errorf("%d rows to write, want none", b.Rows())
	}
	if err := s.Write(b); err != nil {
		t.Fatal(err)
	}
	if got, want := storetest.Dump(t, storetest.Load(t, s)), storetest.Dump(t, state); got != want {
		t.Errorf("the file holds\n%s\nwant\n%s", got, want)
	}
}

// Before the first spec there is only a position.
func TestCheckpointBeforeSpec(t *testing.T) {
	state := fold.New(true)
	storetest.Fold(t, state, fold.Entry{}, fold.Invalid)
	s := storetest.New(t)
	storetest.Checkpoint(t, s, state)
	got := storetest.Load(t, s)
	if got.Model() != nil || got.Next() != 1 || !got.KeepsLedger() || got.Anchor() != state.Anchor() {
		t.Errorf("loaded %s", storetest.Dump(t, got))
	}
	storetest.Fold(t, got, fold.Entry{Spec: spec.Default()}, fold.Respecified)
	storetest.Checkpoint(t, s, got)
	if got, want := storetest.Dump(t, storetest.Load(t, s)), storetest.Dump(t, got); got != want {
		t.Errorf("the file holds\n%s\nwant\n%s", got, want)
	}
}

// A frozen vocabulary keeps its terms at zero, and stays frozen.
func TestFrozenRoundTrip(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 4, 1000)
	var records []storetest.Record
	for i := range 12 {
		records = append(records, storetest.Document(strconv.Itoa(i), newRand(uint64(i)).IntN))
	}
	for i := range 12 {
		records = append(records, storetest.Record{ID: strconv.Itoa(i)})
	}
	state := storetest.Start(t, sp, true)
	s := storetest.New(t)
	for end := int64(3); end <= int64(len(records)); end += 3 {
		storetest.Learn(t, state, records, end)
		storetest.Checkpoint(t, s, state)
		got := storetest.Load(t, s)
		if a, b := storetest.Dump(t, got), storetest.Dump(t, state); a != b {
			t.Fatalf("the file holds\n%s\nwant\n%s", a, b)
		}
	}
	text := storetest.Load(t, s).Model().Text()
	if !text.Frozen() || text.Admitted() != 4 || text.Vocabulary() != 0 {
		t.Errorf("frozen %v with %d terms, %d with counts; want true, 4, 0", text.Frozen(), text.Admitted(), text.Vocabulary())
	}
	storetest.Learn(t, state, append(records, storetest.Document("new", newRand(9).IntN)), int64(len(records)+1))
	if n := state.Model().Text().Admitted(); n != 4 {
		t.Errorf("%d terms are admitted, want the 4", n)
	}
}

// The store keeps the written form of a spec; a spec that replaces it is written all the same.
func TestCheckpointOfAnotherSpec(t *testing.T) {
	s := storetest.New(t)
	state := storetest.Start(t, storetest.Spec(t, spec.Multinomial, 4, 10), true)
	storetest.Checkpoint(t, s, state)
	other := storetest.Spec(t, spec.Multinomial, 4, 10)
	other.Text.Alpha = 0.5
	storetest.Fold(t, state, fold.Entry{Spec: other}, fold.Respecified)
	storetest.Checkpoint(t, s, state)
	if alpha := storetest.Load(t, s).Model().Spec().Text.Alpha; alpha != 0.5 {
		t.Errorf("the file has alpha %v, want 0.5", alpha)
	}
}
