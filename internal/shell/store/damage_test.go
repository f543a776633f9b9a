package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/storetest"
)

// sample is a file of many pages, of every kind of block, after several checkpoints; and the dumps
// that may be read from it: that of the last checkpoint and that of the one before, which bbolt
// falls back to.
type sample struct {
	bytes      []byte
	last       string
	older      []string
	terms, ids int
}

func newSample(t *testing.T) sample {
	t.Helper()
	sp := storetest.Spec(t, storetest.Corrected, 100000, 100000)
	r := newRand(11)
	records := storetest.Records(200, r.IntN)
	for i := range records {
		if records[i].Label == "" {
			continue
		}
		records[i].ID += fmt.Sprint("-", r.IntN(150))
		for range 4 {
			records[i].Text += " " + randomWord(r.IntN)
		}
	}
	state := storetest.Start(t, sp, true)
	s := storetest.New(t)
	x := sample{older: []string{""}}
	for _, end := range []int64{120, 190, 200} {
		storetest.Learn(t, state, records, end)
		storetest.Checkpoint(t, s, state)
		x.older = append(x.older, x.last)
		x.last = storetest.Dump(t, state)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b := filetest.Read(t, s.Path())
	x.bytes, x.terms, x.ids = b, state.Model().Text().Admitted(), state.Ledger(storetest.Training).Len()
	if x.terms < 500 || x.ids < 60 {
		t.Fatalf("%d terms, %d ids: too few for a tree", x.terms, x.ids)
	}
	return x
}

func randomWord(draw storetest.Chance) string {
	b := make([]byte, 3+draw(8))
	for i := range b {
		b[i] = byte('a' + draw(26))
	}
	return string(b)
}

// mustSee opens, loads and checks a file that was changed: either someone says that it is damaged,
// or the change was where nothing is and the state is the right one. Nothing panics and nothing
// hangs.
func (x *sample) mustSee(t *testing.T, path, what string) (damaged bool) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- x.verdict(path) }()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		return err != nil
	case <-time.After(30 * time.Second):
		t.Fatalf("%s: no answer after 30 s", what)
	}
	return false
}

// verdict returns what the store says of a file; an error that is not ErrDamaged is a failure.
func (x *sample) verdict(path string) error {
	s, err := store.Open(path, time.Second)
	if err == nil {
		err = errors.Join(x.load(s), s.Close())
	}
	if read := store.Verify(path); errors.Is(read, store.ErrDamaged) != errors.Is(err, store.ErrDamaged) {
		return silent("Verify says %v, Open, Load and Check %v", read, err)
	}
	return err
}

func (x *sample) load(s *store.Store) error {
	state, err := s.Load()
	checked := s.Check()
	if err != nil {
		if !errors.Is(checked, store.ErrDamaged) {
			return silent("Load says %v and Check %v", err, checked)
		}
		return err
	}
	got := ""
	if state != nil {
		got = storetest.Dump(&fatal{}, state)
	}
	switch {
	case got == x.last:
		return checked
	case checked == nil:
		return silent("the state is not the one that was written")
	}
	for _, older := range x.older {
		if got == older {
			return checked
		}
	}
	return silent("Load gave a state that never was, though Check says %v", checked)
}

// silent is damage that was not seen. What was said of it is text here and no ErrDamaged.
func silent(format string, args ...any) error {
	return errors.New("damage that was not seen: " + fmt.Sprintf(format, args...))
}

// fatal panics where a test would fail in another goroutine.
type fatal struct{}

func (*fatal) Helper()                      {}
func (*fatal) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

// Flipped bits anywhere in the file: in the pages that say where the tree begins, in the heads of
// pages, in the tables of elements, in keys, values and what nothing uses.
func TestFlippedBits(t *testing.T) {
	x := newSample(t)
	page := os.Getpagesize()
	r := newRand(12)
	seen, all := 0, 0
	for _, at := range positions(x.bytes, page, r.IntN) {
		mask := byte(1) << r.IntN(8)
		b := bytes.Clone(x.bytes)
		b[at] ^= mask
		all++
		if x.mustSee(t, writeFile(t, b), fmt.Sprintf("bit %08b of byte %d of page %d", mask, at%page, at/page)) {
			seen++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d flips, %d of them in something that counts", all, seen)
	if seen < all/4 {
		t.Errorf("of %d flips %d were damage: too few to test anything", all, seen)
	}
}

// positions returns bytes to change: the two meta pages' first 80, and of every page that was ever
// used some of its head, of its elements and of the rest.
func positions(file []byte, page int, draw storetest.Chance) []int {
	var out []int
	for from := 0; from+page <= len(file); from += page {
		if from > page && allZero(file[from:from+page]) {
			continue
		}
		isMeta := from <= page
		for i := range page {
			switch {
			case isMeta && i < metaBytes:
			case i < 16 && draw(6) == 0:
			case i < 200 && draw(50) == 0:
			case draw(1500) == 0:
			default:
				continue
			}
			out = append(out, from+i)
		}
	}
	return out
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

func TestCutShort(t *testing.T) {
	x := newSample(t)
	page := os.Getpagesize()
	r := newRand(13)
	damaged := 0
	lengths := []int{1, 15, 16, 80, page - 1, page, page + 1, 2*page - 1, 2 * page, 3 * page, 4 * page, len(x.bytes) - 1}
	for range 40 {
		lengths = append(lengths, r.IntN(len(x.bytes)))
	}
	for _, n := range lengths {
		if x.mustSee(t, writeFile(t, x.bytes[:n]), fmt.Sprintf("cut to %d bytes of %d", n, len(x.bytes))) {
			damaged++
		}
	}
	if damaged < len(lengths)/2 {
		t.Errorf("%d of %d files that were cut short were found to be", damaged, len(lengths))
	}
}

// Pages that a disk lost, wrote to the wrong place or filled with something else.
func TestLostPages(t *testing.T) {
	x := newSample(t)
	page := os.Getpagesize()
	r := newRand(14)
	pages := len(x.bytes) / page
	for from := range pages {
		if from > 1 && allZero(x.bytes[from*page:(from+1)*page]) {
			continue
		}
		for name, fill := range map[string]func(dst []byte){
			"zeros":        func(dst []byte) { clear(dst) },
			"ones":         func(dst []byte) { copy(dst, bytes.Repeat([]byte{0xff}, len(dst))) },
			"another page": func(dst []byte) { copy(dst, x.bytes[r.IntN(pages)*page:]) },
			"half a page":  func(dst []byte) { clear(dst[len(dst)/2:]) },
		} {
			b := bytes.Clone(x.bytes)
			fill(b[from*page : (from+1)*page])
			x.mustSee(t, writeFile(t, b), fmt.Sprintf("%s as page %d", name, from))
			if t.Failed() {
				return
			}
		}
	}
}

// Where the page that begins the state is lost, bbolt finds the file as it was made. It is not one
// that nothing was written to.
func TestLostFirstState(t *testing.T) {
	state := storetest.Start(t, spec.Default(), false)
	s := storetest.New(t)
	storetest.Checkpoint(t, s, state)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b := filetest.Read(t, s.Path())
	clear(b[:os.Getpagesize()])
	path := writeFile(t, b)
	if state, err := store.ReadModel(path, time.Second); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("got the state %v and %v, want that the file is damaged", state, err)
	}
}

// In a file that was only made, and never written to, bbolt reads one page more. What it finds
// wrong there must not leave the file locked.
func TestDamagedNewFile(t *testing.T) {
	s := storetest.New(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b := filetest.Read(t, s.Path())
	damaged := 0
	for page := 2; page < 4; page++ {
		for i := range 32 {
			c := bytes.Clone(b)
			c[page*os.Getpagesize()+i] ^= 0x40
			path := writeFile(t, c)
			for try := range 2 {
				if s, err := store.Open(path, time.Second); err == nil {
					s.Close()
				} else if damaged++; !errors.Is(err, store.ErrDamaged) {
					t.Errorf("byte %d of page %d, try %d: %v", i, page, try, err)
				}
			}
		}
	}
	if damaged < 20 {
		t.Errorf("%d damages were seen: too few to test anything", damaged)
	}
}

// Circles of pages would be walked for ever.
func TestCircularPages(t *testing.T) {
	x := newSample(t)
	page := os.Getpagesize()
	circles := 0
	for from := 0; from+page <= len(x.bytes); from += page {
		const branch = 1
		if binary.NativeEndian.Uint16(x.bytes[from+8:]) != branch {
			continue
		}
		b := bytes.Clone(x.bytes)
		binary.NativeEndian.PutUint64(b[from+16+8:], uint64(from/page)) // the first page below it is itself
		if x.mustSee(t, writeFile(t, b), fmt.Sprintf("page %d below itself", from/page)) {
			circles++
		}
	}
	if circles == 0 {
		t.Error("no branch page was in use: the test tests nothing")
	}
}

// A file that never was a model file is told so, and one whose first page is lost is still a
// damaged one.
func TestNotAModelFile(t *testing.T) {
	x := newSample(t)
	lost := bytes.Clone(x.bytes)
	copy(lost[:os.Getpagesize()], bytes.Repeat([]byte("gone"), os.Getpagesize()/4))
	copy(lost[os.Getpagesize()+30:], "gone") // nor can the second be used
	for name, c := range map[string]struct {
		content string
		never   bool
	}{
		"text":              {strings.Repeat("this is not a model file\n", 1000), true},
		"short text":        {"hello", true},
		"other bytes":       {strings.Repeat("\xa5", 100000), true},
		"zeros":             {strings.Repeat("\x00", 100000), false},
		"first bytes":       {string(x.bytes[:17]), false},
		"cut":               {string(x.bytes[:os.Getpagesize()]), false},
		"first page lost":   {string(lost), false},
		"first number lost": {"gone" + string(x.bytes[4:os.Getpagesize()]), false},
	} {
		path := writeFile(t, []byte(c.content))
		if !x.mustSee(t, path, name) {
			t.Errorf("%s: nobody noticed", name)
		}
		err := fmt.Sprint(store.Verify(path))
		if never := err == path+" is not a model file"; never != c.never || !never && !strings.Contains(err, "damaged") {
			t.Errorf("%s: %s; want that it is not a model file: %v", name, err, c.never)
		}
	}
}

// The disk can fail under an open file as well.
func TestDamageWhileOpen(t *testing.T) {
	page := os.Getpagesize()
	for name, destroy := range map[string]func(path string, size int64) error{
		"cut short": func(path string, _ int64) error { return os.Truncate(path, int64(2*page)) },
		"overwritten": func(path string, size int64) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, int(size)-2*page), int64(2*page))
			return errors.Join(err, f.Close())
		},
	} {
		x := newSample(t)
		path := writeFile(t, x.bytes)
		s, err := store.Open(path, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		state := storetest.Load(t, s)
		storetest.Fold(t, state, foldable(t), "accepted")
		if err := destroy(path, int64(len(x.bytes))); err != nil {
			t.Fatal(err)
		}
		_, loaded := s.Load()
		_, copied := s.Copy()
		for what, err := range map[string]error{"Load": loaded, "Check": s.Check(), "Write": s.Write(store.Collect(state))} {
			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%s, %s: %v, want ErrDamaged", name, what, err)
			}
		}
		if name == "cut short" && copied == nil {
			t.Errorf("%s: Copy made a copy", name)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
		if left, _ := filepath.Glob(path + ".snapshot-*"); name == "cut short" && len(left) > 0 {
			t.Errorf("%s: Copy left %v", name, left)
		}
	}
}
