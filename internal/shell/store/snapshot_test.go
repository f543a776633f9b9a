package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/storetest"
)

// Copies that are made while checkpoints are written are each the state of one of them, the later
// copy never the earlier state.
func TestCopyWhileWriting(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 10000, 10000)
	r := newRand(21)
	records := storetest.Records(300, r.IntN)
	for i := range records {
		if records[i].Label != "" {
			records[i].Text += " " + randomWord(r.IntN) + " " + randomWord(r.IntN)
		}
	}
	state := storetest.Start(t, sp, true)
	s := storetest.New(t)
	storetest.Checkpoint(t, s, state)
	dumps := map[int64]string{state.Next(): storetest.Dump(t, state)}
	written := make(chan struct{})
	var copies []string
	copied := make(chan error, 1)
	go func() {
		for {
			path, err := s.Copy()
			if err != nil {
				copied <- err
				return
			}
			copies = append(copies, path)
			select {
			case <-written:
				copied <- nil
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	for end := int64(5); end <= int64(len(records)); end += 5 {
		storetest.Learn(t, state, records, end)
		storetest.Checkpoint(t, s, state)
		time.Sleep(3 * time.Millisecond)
		dumps[state.Next()] = storetest.Dump(t, state)
	}
	close(written)
	if err := <-copied; err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	for _, path := range copies {
		if dir := filepath.Dir(path); dir != filepath.Dir(s.Path()) {
			t.Errorf("the copy is in %s, want it beside the file: it is renamed into place from there", dir)
		}
		c := storetest.Open(t, path)
		got := storetest.Load(t, c)
		if want, ok := dumps[got.Next()]; !ok || storetest.Dump(t, got) != want || got.Next() < last {
			t.Errorf("a copy at offset %d, after one at %d, holds\n%s\nwant\n%s", got.Next(), last, storetest.Dump(t, got), want)
		}
		last = got.Next()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d copies beside %d checkpoints", len(copies), len(dumps))
	if len(copies) < 10 {
		t.Errorf("%d copies are too few to test anything", len(copies))
	}
}

// snapshot returns the bytes of a model file.
func snapshot(t *testing.T) (b []byte, dump string) {
	t.Helper()
	state := small(t)
	path, err := storetest.Open(t, closed(t, state)).Copy()
	if err != nil {
		t.Fatal(err)
	}
	b, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b, storetest.Dump(t, state)
}

// install installs an upload.
func install(path string, upload io.Reader) error {
	return (&store.Incoming{From: "upload.db", Reader: upload}).Install(path)
}

func TestInstall(t *testing.T) {
	b, want := snapshot(t)
	path := filepath.Join(t.TempDir(), "new", "folder", "model.db")
	if err := install(path, iotest.OneByteReader(bytes.NewReader(b))); err != nil {
		t.Fatal(err)
	}
	if got := storetest.Dump(t, storetest.Load(t, storetest.Open(t, path))); got != want {
		t.Errorf("installed\n%s\nwant\n%s", got, want)
	}
	onlyFile(t, path)
}

// onlyFile fails if something else was left in the folder of path.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// A copy that was left behind goes when the file is opened for writing again, and nothing else
// does.
func TestOpenRemovesCopies(t *testing.T) {
	path := closed(t, small(t))
	dir := filepath.Dir(path)
	mine, other := path+".snapshot-123", filepath.Join(dir, "other.db.snapshot-123")
	incoming := path + ".incoming-123"
	for _, name := range []string{mine, incoming, other} {
		filetest.Write(t, name, "half a copy")
	}
	reader, err := store.OpenReadOnly(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("a reader removed it: %v", err)
	}
	storetest.Open(t, path)
	for _, name := range []string{mine, incoming} {
		if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	for _, name := range []string{path, other} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

func TestInstallRefusesWhatIsDamaged(t *testing.T) {
	b, _ := snapshot(t)
	broken := bytes.Clone(b)
	at := bytes.LastIndex(broken, []byte("très long"))
	if at < 0 {
		t.Fatal("no label in the file")
	}
	broken[at] ^= 1
	empty := storetest.New(t)
	if err := empty.Close(); err != nil {
		t.Fatal(err)
	}
	nothing := filetest.Read(t, empty.Path())
	lost := errors.New("connection lost")
	for name, c := range map[string]struct {
		upload io.Reader
		want   error
	}{
		"a flipped bit":          {bytes.NewReader(broken), store.ErrDamaged},
		"half of it":             {bytes.NewReader(b[:len(b)/2]), store.ErrDamaged},
		"nothing at all":         {strings.NewReader(""), store.ErrDamaged},
		"a page of HTML":         {strings.NewReader("<html><title>502 Bad Gateway</title></html>"), store.ErrDamaged},
		"an upload that breaks":  {io.MultiReader(bytes.NewReader(b[:5000]), iotest.ErrReader(lost)), lost},
		"a file without a model": {bytes.NewReader(nothing), store.ErrDamaged},
	} {
		path := filepath.Join(t.TempDir(), "model.db")
		err := install(path, c.upload)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err := fmt.Sprint(err); strings.Contains(err, "incoming") || errors.Is(c.want, store.ErrDamaged) && !strings.Contains(err, "upload.db") {
			t.Errorf("%s: %s, want the name that the upload has for who sent it", name, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: it was installed", name)
		}
		onlyFile(t, path)
	}
}

// endless repeats its bytes without end and counts what is read of it.
type endless struct {
	bytes []byte
	read  int64
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		copied := copy(p[n:], e.bytes[(e.read+int64(n))%int64(len(e.bytes)):])
		n += copied
	}
	e.read += int64(n)
	return n, nil
}

// What has no end is refused behind its first pages, and a model file with no end behind twice its
// size.
func TestInstallRefusesWhatHasNoEnd(t *testing.T) {
	b, _ := snapshot(t)
	size := int64(len(b))
	long := bytes.Clone(b)
	for page := range 2 { // both meta pages say another number of pages, with the right sum
		meta := long[page*os.Getpagesize()+16:]
		binary.NativeEndian.PutUint64(meta[40:], 1<<58)
		h := fnv.New64a()
		_, _ = h.Write(meta[:56])
		binary.NativeEndian.PutUint64(meta[56:], h.Sum64())
	}
	for name, c := range map[string]struct {
		body  []byte
		bytes int64
		most  int64
	}{
		"zeros":                        {make([]byte, 512), 0, 1 << 17},
		"text":                         {[]byte("no model file\n"), 0, 1 << 17},
		"a model file again and again": {b, 0, 2*size + 1<<20 + 1},
		"more pages than a file has":   {long, 0, 1 << 17},
		"less than the pages":          {b, size - 1, 1 << 17},
	} {
		path := filepath.Join(t.TempDir(), "model.db")
		body := &endless{bytes: c.body}
		in := store.Incoming{From: "upload.db", Reader: body, Bytes: c.bytes}
		if err := in.Install(path); !errors.Is(err, store.ErrDamaged) || !strings.HasPrefix(err.Error(), "upload.db") {
			t.Errorf("%s: %v, want it refused", name, err)
		}
		if body.read > c.most {
			t.Errorf("%s: %d bytes were read, want at most %d", name, body.read, c.most)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: it was installed", name)
		}
		onlyFile(t, path)
	}
}

// Of a file of a known size the spare space is not read; what is installed has only the pages. The
// watcher sees them come.
func TestInstallLeavesTheSpare(t *testing.T) {
	b, want := snapshot(t)
	path := filepath.Join(t.TempDir(), "model.db")
	body := &endless{bytes: b}
	size := int64(len(b))
	last := int64(0)
	in := store.Incoming{From: "upload.db", Reader: body, Bytes: 100 * size, Watch: func(done, of int64) {
		if done < last || of != size {
			t.Errorf("the watcher is told %d of %d behind %d, want a part of %d", done, of, last, size)
		}
		last = done
	}}
	if err := in.Install(path); err != nil {
		t.Fatal(err)
	}
	if got := storetest.Dump(t, storetest.Load(t, storetest.Open(t, path))); got != want || body.read != size || last == 0 {
		t.Errorf("%d bytes of %d were read, the watcher saw %d; installed\n%s\nwant\n%s", body.read, size, last, got, want)
	}
}

func TestInstallKeepsWhatIsThere(t *testing.T) {
	b, _ := snapshot(t)
	path := filepath.Join(t.TempDir(), "model.db")
	filetest.Write(t, path, "precious")
	if err := install(path, bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Install over a file: %v, want an error that names it", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "precious" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	onlyFile(t, path)
}

// While the upload comes, somebody else may have put a file there.
func TestInstallLosesTheRace(t *testing.T) {
	b, _ := snapshot(t)
	path := filepath.Join(t.TempDir(), "model.db")
	late := readFunc(func([]byte) (int, error) {
		if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
			return 0, err
		}
		return 0, io.EOF
	})
	err := install(path, io.MultiReader(bytes.NewReader(b), late))
	if got, readErr := os.ReadFile(path); err == nil || readErr != nil || string(got) != "precious" {
		t.Errorf("Install beside another: %v; the file holds %.20q, %v", err, got, readErr)
	}
	onlyFile(t, path)
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
