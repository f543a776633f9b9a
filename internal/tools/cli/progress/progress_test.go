package progress_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/cli/progress"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screen is a terminal in memory.
type screen struct {
	*progress.Line
	out bytes.Buffer
}

func show(columns int, delay time.Duration) *screen {
	s := &screen{}
	s.Line = progress.New(&s.out, func() int { return columns }, delay)
	return s
}

// want compares the rows of the screen, of which only the last is ever rewritten.
func (s *screen) want(t *testing.T, rows ...string) {
	t.Helper()
	got := strings.Split(s.out.String(), "\n")
	for i, row := range got {
		row = row[strings.LastIndex(row, "\r")+1:]
		got[i] = strings.ReplaceAll(row, "\x1b[K", "")
	}
	if strings.Join(got, "\n") != strings.Join(rows, "\n") {
		t.Errorf("the terminal shows %q, want %q", got, rows)
	}
}

func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := show(100, time.Second)
		reading := s.Begin("reading sms.jsonl.gz", progress.Bytes, 204_000)
		reading.Add(50_000)
		s.want(t, "") // too early
		time.Sleep(2 * time.Second)
		reading.Add(52_000)
		s.want(t, "reading sms.jsonl.gz      50% [=========>..........] (102/204 kB, 51 kB/s) [2s:2s]")

		testing := s.Begin("split 3 of 10", "docs", 6000)
		time.Sleep(4 * time.Second)
		testing.Add(100)
		s.want(t, "split 3 of 10              1% [....................] (100/6000, 25 docs/s) [4s:3m56s]")
		testing.Rename("split 4 of 10")
		testing.Add(5900)
		s.want(t, "split 4 of 10            100% [====================] (6000/6000, 1500 docs/s)")
		testing.End()
		s.want(t, "")

		time.Sleep(time.Second)
		reading.Add(200_000) // more than the file had
		s.want(t, "reading sms.jsonl.gz     100% [====================] (204/204 kB, 29 kB/s)")
		s.Close()
		s.want(t, "")
	})
}

// Other output stands above the line and is whole. The line comes back below it.
func TestWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := show(100, 0)
		task := s.Begin("reading", progress.Bytes, progress.Unknown)
		time.Sleep(90 * time.Second)
		task.Add(18_000_000)
		if _, err := io.WriteString(s.Writer(&s.out), "skipped: a.jsonl:3\n"); err != nil {
			t.Fatal(err)
		}
		s.want(t, "skipped: a.jsonl:3", "")
		time.Sleep(time.Second)
		task.Add(0)
		s.want(t, "skipped: a.jsonl:3", "/ reading                  (18 MB, 100 kB/s) [1m31s]")
		task.End()
		s.want(t, "skipped: a.jsonl:3", "")
	})
}

// The line takes one row, whatever the width of the terminal and the name.
func TestNarrow(t *testing.T) {
	for _, columns := range []int{100, 40, 20, 1, 0} {
		s := show(columns, 0)
		task := s.Begin("a\x1b[31m\u009b"+strings.Repeat("long", 20)+".jsonl", "things", 2)
		task.Add(1)
		row := strings.TrimSuffix(strings.TrimPrefix(s.out.String(), "\r"), "\x1b[K")
		if len(row) > max(0, columns-1) || strings.ContainsAny(row, "\x1b\u009b") {
			t.Errorf("%d columns: got %q", columns, row)
		}
	}
}

// Without a terminal there is no line, and all methods may be called.
func TestNil(t *testing.T) {
	line := progress.From(t.Context())
	task := line.Begin("reading", progress.Bytes, 10)
	task.Add(1)
	task.Rename("more")
	in := strings.NewReader("text")
	if task.Reader(in) != io.Reader(in) || line.Writer(io.Discard) != io.Discard {
		t.Error("want the reader and the writer themselves")
	}
	task.End()
	line.Close()
}

func TestContextAndReader(t *testing.T) {
	s := show(100, 0)
	task := progress.From(progress.With(t.Context(), s.Line)).Begin("reading", progress.Bytes, 8)
	if text, err := io.ReadAll(task.Reader(strings.NewReader("text"))); err != nil || string(text) != "text" {
		t.Fatal(string(text), err)
	}
	if got := s.out.String(); !strings.Contains(got, "50% [=========>..........]") {
		t.Errorf("got %q", got)
	}
}

func TestSize(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	filetest.Write(t, name, make([]byte, 100))
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if got := progress.Size(f); got != 100 {
		t.Errorf("a file of 100 bytes: %d", got)
	}
	if _, err := f.Seek(60, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got := progress.Size(f); got != 40 {
		t.Errorf("with 60 of 100 bytes read: %d", got)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	for _, in := range []io.Reader{r, strings.NewReader("text")} {
		if got := progress.Size(in); got != progress.Unknown {
			t.Errorf("%T: %d", in, got)
		}
	}
}
