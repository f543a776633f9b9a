package progress_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/cli/progress"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screen is a line drawn in memory, under a clock that the test moves.
type screen struct {
	*progress.Line
	out bytes.Buffer
	now time.Time
}

func show(columns int, color bool) *screen {
	s := &screen{now: time.Unix(0, 0)}
	s.Line = progress.New(&s.out, progress.Options{
		Columns: func() int { return columns }, Now: func() time.Time { return s.now }, Color: color, Delay: time.Second, Each: -1,
	})
	return s
}

// visible returns what a terminal shows of the bytes written so far: one row, and what was rewritten on it.
func (s *screen) visible(t *testing.T) []string {
	t.Helper()
	rows, at := [][]rune{nil}, 0
	for _, r := range s.out.String() {
		row := &rows[len(rows)-1]
		switch {
		case r == '\r':
			at = 0
		case r == '\n':
			rows, at = append(rows, nil), 0
		case r < ' ' || r == 0x7f:
			t.Fatalf("control character %q in %q", r, s.out.String())
		case at < len(*row):
			(*row)[at], at = r, at+1
		default:
			*row, at = append(*row, r), at+1
		}
	}
	var out []string
	for _, row := range rows {
		out = append(out, strings.TrimRight(string(row), " "))
	}
	return out
}

func (s *screen) want(t *testing.T, rows ...string) {
	t.Helper()
	if got := s.visible(t); strings.Join(got, "\n") != strings.Join(rows, "\n") {
		t.Errorf("the terminal shows %q, want %q", got, rows)
	}
}

func TestLine(t *testing.T) {
	s := show(100, false)
	reading := s.Begin("reading sms.jsonl.gz", progress.Bytes, 204_000)
	reading.Add(50_000)
	s.want(t, "") // too short to be worth a look
	s.now = s.now.Add(2 * time.Second)
	reading.Add(52_000)
	s.want(t, "reading sms.jsonl.gz      [##########..........]   50 %  102 of 204 kB  51.0 kB/s  2 s left")

	testing := s.Begin("fold 3 of 10", "docs", 6000)
	s.now = s.now.Add(4 * time.Second)
	testing.Add(100)
	s.want(t, "fold 3 of 10              [....................]    1 %  100 of 6000  25 docs/s  3 min 56 s left")
	testing.Rename("fold 4 of 10")
	testing.Add(5900)
	s.want(t, "fold 4 of 10              [####################]  100 %  6000 of 6000  1500 docs/s  0 s left")
	testing.End()
	reading.Add(0)
	s.want(t, "reading sms.jsonl.gz      [##########..........]   50 %  102 of 204 kB  17.0 kB/s  6 s left")
	s.Close()
	s.want(t, "")
}

// What is said meanwhile stands above the line and is whole; the line comes back below.
func TestWriter(t *testing.T) {
	s := show(100, false)
	task := s.Begin("reading", progress.Bytes, progress.Unknown)
	s.now = s.now.Add(90 * time.Second)
	task.Add(18_000_000)
	if _, err := io.WriteString(s.Writer(&s.out), "skipped: a.jsonl:3\n"); err != nil {
		t.Fatal(err)
	}
	s.want(t, "skipped: a.jsonl:3", "")
	task.Add(0)
	s.want(t, "skipped: a.jsonl:3", "reading                   18.0 MB  200 kB/s  1 min 30 s")
	task.End()
	s.want(t, "skipped: a.jsonl:3", "")
	s.Close()
}

// No row of a terminal is ever too short: what matters least is left out first, the time left last.
func TestNarrow(t *testing.T) {
	for columns, want := range map[int]string{
		90: "a                         [##########..........]   50 %  1 of 2  1 things/s  1 s left",
		80: "a                         [#######.......]   50 %  1 of 2  1 things/s  1 s left",
		64: "a                          50 %  1 of 2  1 things/s  1 s left",
		60: "a                          50 %  1 things/s  1 s left",
		45: "a                          50 %  1 s left",
		40: "a                         1 s left",
		20: "a",
		0:  "",
	} {
		s := show(columns, false)
		task := s.Begin("a", "things", 2)
		s.now = s.now.Add(time.Second)
		task.Add(1)
		s.want(t, want)
		if longest := len(strings.TrimPrefix(s.out.String(), "\r")); longest > max(0, columns-1) {
			t.Errorf("%d columns: a line of %d", columns, longest)
		}
		s.Close()
	}
}

func TestColor(t *testing.T) {
	s := show(100, true)
	task := s.Begin("a\x1b[31mb\u009b", "things", 2)
	s.now = s.now.Add(time.Second)
	task.Add(1)
	if want := "\ra?[31mb?                  [\x1b[32m##########\x1b[0m..........]   50 %  1 of 2  1 things/s  1 s left"; s.out.String() != want {
		t.Errorf("got %q, want %q", s.out.String(), want)
	}
	s.Close()
}

// Without a line nothing is shown, and nothing has to be asked.
func TestNothing(t *testing.T) {
	line := progress.From(t.Context())
	task := line.Begin("reading", progress.Bytes, 10)
	task.Add(1)
	task.Rename("more")
	in := strings.NewReader("text")
	if task.Reader(in) != io.Reader(in) || line.Writer(io.Discard) != io.Discard {
		t.Error("something stands between")
	}
	task.End()
	line.Close()
}

func TestContextAndReader(t *testing.T) {
	s := show(100, false)
	task := progress.From(progress.With(context.Background(), s.Line)).Begin("reading", progress.Bytes, 8)
	s.now = s.now.Add(time.Second)
	if text, err := io.ReadAll(task.Reader(strings.NewReader("text"))); err != nil || string(text) != "text" {
		t.Fatal(string(text), err)
	}
	s.want(t, "reading                   [##########..........]   50 %  4 of 8 B  4 B/s  1 s left")
	s.Close()
}

func TestSize(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("with 60 of 100 read: %d", got)
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

// The time goes on while nothing happens.
func TestTicks(t *testing.T) {
	drawn := make(chan struct{}, 100)
	line := progress.New(writer(func(p []byte) { drawn <- struct{}{} }), progress.Options{Delay: -1, Each: time.Millisecond})
	line.Begin("waiting", "things", 1)
	for range 3 {
		select {
		case <-drawn:
		case <-time.After(10 * time.Second):
			t.Fatal("nothing is drawn")
		}
	}
	line.Close()
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
