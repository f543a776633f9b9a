package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/storetest"
)

// sector is what a disk writes whole, or not at all.
const sector = 512

// metaBytes is how much of a meta page bbolt uses.
const metaBytes = 80

// checkpointed is a model file on both sides of a checkpoint, and the dumps of its states.
type checkpointed struct {
	before, after         []byte
	dumpBefore, dumpAfter string
	goOn                  func(*testing.T, *fold.State) // does in memory what the checkpoint wrote
}

// newCheckpoints returns three checkpoints of a file: one into an empty file, one that makes it
// grow, and a small one.
func newCheckpoints(t *testing.T) []checkpointed {
	t.Helper()
	sp := storetest.Spec(t, spec.Multinomial, 100000, 100000)
	r := newRand(21)
	records := storetest.Records(200, r.IntN)
	for i := range records {
		for range 40 {
			records[i].Text += " " + randomWord(r.IntN)
		}
	}
	state := storetest.Start(t, sp, true)
	s := storetest.New(t)
	storetest.Checkpoint(t, s, state)
	var all []checkpointed
	for _, end := range []int64{20, 190, 200} {
		c := checkpointed{before: content(t, s), dumpBefore: storetest.Dump(t, state)}
		c.goOn = func(t *testing.T, state *fold.State) { storetest.Learn(t, state, records, end) }
		c.goOn(t, state)
		storetest.Checkpoint(t, s, state)
		c.after = content(t, s)
		c.dumpAfter = storetest.Dump(t, state)
		all = append(all, c)
	}
	return all
}

func content(t *testing.T, s *store.Store) []byte {
	t.Helper()
	b := filetest.Read(t, s.Path())
	return b
}

// writes returns the sectors of data that a checkpoint has written, in order, and the place of the
// meta page, which it writes when these are on the disk (TestSyncs).
func (c *checkpointed) writes(t *testing.T) (data []int, meta int) {
	t.Helper()
	page := os.Getpagesize()
	meta = -1
	for at := 0; at < len(c.after); at += sector {
		end := at + sector
		if end <= len(c.before) && bytes.Equal(c.before[at:end], c.after[at:end]) {
			continue
		}
		if at >= 2*page {
			data = append(data, at)
			continue
		}
		if meta >= 0 {
			t.Fatalf("a checkpoint has written both meta pages, or more than a sector of one")
		}
		meta = at
	}
	if meta < 0 || len(data) < 10 {
		t.Fatalf("a checkpoint has written %d sectors, and its meta page at %d", len(data), meta)
	}
	return data, meta
}

// image returns the file before the checkpoint, of the length that it has after it, with some of
// the sectors written.
func (c *checkpointed) image(sectors []int) []byte {
	b := bytes.Clone(c.before)
	b = append(b, make([]byte, len(c.after)-len(c.before))...)
	for _, at := range sectors {
		copy(b[at:at+sector], c.after[at:])
	}
	return b
}

// some returns each of the sectors with the same chance, which is drawn too.
func some(sectors []int, r *rand.Rand) (drawn []int) {
	chance := r.Float64()
	for _, at := range sectors {
		if r.Float64() < chance {
			drawn = append(drawn, at)
		}
	}
	return drawn
}

// TestPowerLoss cuts the power between any two writes of a checkpoint: what was not synced is on
// the disk in part, in any order. The file has the checkpoint before or the new one, whole, and the
// work goes on from there.
func TestPowerLoss(t *testing.T) {
	r := newRand(22)
	for i, c := range newCheckpoints(t) {
		data, meta := c.writes(t)
		for range 12 {
			c.mustGoOn(t, c.image(some(data, r)), c.dumpBefore, fmt.Sprintf("checkpoint %d, some data", i))
		}
		for n := range 10 {
			c.mustGoOn(t, c.image(data[:n*len(data)/10]), c.dumpBefore, fmt.Sprintf("checkpoint %d, the first data", i))
		}
		c.mustGoOn(t, c.before, c.dumpBefore, fmt.Sprintf("checkpoint %d, nothing, not even its length", i))
		whole := c.image(data)
		for cut := 0; cut <= metaBytes+16; cut += 16 { // also within a sector
			torn := bytes.Clone(whole)
			copy(torn[meta:meta+cut], c.after[meta:])
			want := c.dumpBefore
			if bytes.Equal(torn, c.after) {
				want = c.dumpAfter
			}
			c.mustGoOn(t, torn, want, fmt.Sprintf("checkpoint %d, %d bytes of the meta page", i, cut))
		}
	}
}

// mustGoOn opens a file, finds the state of want, and writes to it what follows.
func (c *checkpointed) mustGoOn(t *testing.T, file []byte, want, what string) {
	t.Helper()
	s, err := store.Open(writeFile(t, file), time.Second)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer s.Close()
	state := storetest.Load(t, s)
	if got := storetest.Dump(t, state); got != want {
		t.Fatalf("%s: the file has another state than one of its checkpoints", what)
	}
	if want == c.dumpBefore {
		c.goOn(t, state)
		storetest.Checkpoint(t, s, state)
	}
	if got := storetest.Dump(t, storetest.Load(t, s)); got != c.dumpAfter {
		t.Fatalf("%s: the work did not go on from the checkpoint", what)
	}
	if err := s.Check(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// TestLyingDisk: the disk says that it has what it has not, so that the meta page is there before
// the data. The file has one of the two checkpoints, or is damaged: never anything else.
func TestLyingDisk(t *testing.T) {
	r := newRand(23)
	damaged := 0
	for i, c := range newCheckpoints(t) {
		x := sample{last: c.dumpAfter, older: []string{c.dumpBefore}}
		data, meta := c.writes(t)
		for range 25 {
			if x.mustSee(t, writeFile(t, c.image(append(some(data, r), meta))), fmt.Sprintf("checkpoint %d", i)) {
				damaged++
			}
		}
	}
	if damaged < 25 {
		t.Errorf("%d of 75 files were damaged: too few to test anything", damaged)
	}
}

// TestPowerLossOfNewFile: a file that was not yet made is damaged or empty, and holds nothing.
func TestPowerLossOfNewFile(t *testing.T) {
	s := storetest.New(t)
	made := content(t, s)
	r := newRand(24)
	var sectors []int
	for at := 0; at < len(made); at += sector {
		sectors = append(sectors, at)
	}
	for range 50 {
		b := make([]byte, len(made))
		for _, at := range some(sectors, r) {
			copy(b[at:at+sector], made[at:])
		}
		path := writeFile(t, b[:r.IntN(len(b)/sector+1)*sector])
		s, err := store.Open(path, time.Second)
		if err != nil {
			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
			continue
		}
		if state, err := s.Load(); err != nil || state != nil {
			t.Errorf("got the state %v, %v", state, err)
		}
		s.Close()
	}
}
