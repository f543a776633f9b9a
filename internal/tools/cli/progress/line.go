// Package progress shows on one line of a terminal how far long work is, how fast it goes, and how
// long it will take:
//
//	sms.jsonl.gz               47% [========>...........] (96/204 kB, 51 kB/s) [2s:2s]
//
// The text is that of github.com/schollz/progressbar; this package adds nesting and erasing. A Line
// exists only where standard error is a terminal. Elsewhere it is nil, and so are its tasks; all
// their methods may be called and do nothing.
//
// The line never takes more than one row of the terminal. It is rewritten in place and erased at
// the end. Other output to the terminal must go through Line.Writer, which erases the line first.
package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"bayestream/internal/shell/escape"

	"github.com/schollz/progressbar/v3"
)

// Line is the line of a terminal on which tasks show their progress. Many goroutines may use it.
type Line struct {
	out     io.Writer
	columns func() int
	start   time.Time // nothing is drawn before

	mu      sync.Mutex
	tasks   []*Task // the last one is shown
	drawn   time.Time
	isShown bool
}

const (
	// Delay is how long work takes before a program shows its progress.
	Delay = 300 * time.Millisecond

	interval  = 100 * time.Millisecond // between two drawings
	eraseLine = "\r\x1b[K"
)

// New returns a line that is drawn on a terminal with that many columns, after delay.
func New(out io.Writer, columns func() int, delay time.Duration) *Line {
	return &Line{out: out, columns: columns, start: time.Now().Add(delay)}
}

// Begin starts a task, which is shown until it ends or another one begins. Its unit is Bytes or a
// plural such as "docs"; total is in that unit, or Unknown.
func (l *Line) Begin(name, unit string, total int64) *Task {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	bar := progressbar.NewOptions64(total,
		progressbar.OptionSetDescription(label(name)),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetItsString(unit),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine
		progressbar.OptionSetTheme(progressbar.ThemeASCII),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetWriter(io.Discard), // draw writes its text
		progressbar.OptionShowCount(),
		showRate(unit),
	)
	bar.StartWithoutRender()
	t := &Task{line: l, bar: bar, total: total}
	l.tasks = append(l.tasks, t)
	return t
}

// showRate adds the rate of a unit that is not Bytes, which has one already.
func showRate(unit string) progressbar.Option {
	if unit == Bytes {
		return progressbar.OptionShowBytes(true)
	}
	return progressbar.OptionShowIts()
}

// Close erases the line.
func (l *Line) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks = nil
	l.erase()
}

// Writer returns w, which writes to the same terminal, with the line erased before each write.
func (l *Line) Writer(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return &writer{line: l, to: w}
}

type writer struct {
	line *Line
	to   io.Writer
}

func (w *writer) Write(p []byte) (int, error) {
	w.line.mu.Lock()
	defer w.line.mu.Unlock()
	w.line.erase()
	return w.to.Write(p)
}

// draw shows a task if it is the last one that began and it is time to draw. Errors are ignored:
// work does not fail because its progress cannot be shown.
func (l *Line) draw(t *Task) {
	if len(l.tasks) == 0 || l.tasks[len(l.tasks)-1] != t {
		return
	}
	now := time.Now()
	if now.Before(l.start) || now.Sub(l.drawn) < interval && t.done != t.total {
		return
	}
	done := t.done
	if t.total > 0 {
		done = min(done, t.total) // a file may grow while it is read
	}
	_ = t.bar.Set64(done) // it refuses a total of 0
	text := []rune(strings.TrimSpace(t.bar.String()))
	columns := max(0, l.columns()-1) // a full row would wrap
	_, _ = fmt.Fprint(l.out, "\r", string(text[:min(len(text), columns)]), "\x1b[K")
	l.drawn = now
	l.isShown = true
}

func (l *Line) erase() {
	if l.isShown {
		_, _ = io.WriteString(l.out, eraseLine)
		l.isShown = false
	}
}

type key struct{}

// With returns a context that carries the line.
func With(ctx context.Context, l *Line) context.Context { return context.WithValue(ctx, key{}, l) }

// From returns the line of the context, or nil.
func From(ctx context.Context) *Line {
	l, _ := ctx.Value(key{}).(*Line)
	return l
}

// Bytes is the unit of tasks that read or write.
const Bytes = "bytes"

// Unknown is the total of a task of unknown length.
const Unknown = -1

// Task is a piece of work of a Line.
type Task struct {
	line  *Line
	bar   *progressbar.ProgressBar
	total int64
	done  int64
}

// Add adds n units to what is done.
func (t *Task) Add(n int64) {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.done += n
	t.line.draw(t)
}

// Rename sets the name of a task.
func (t *Task) Rename(name string) {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.bar.Describe(label(name))
}

// End ends a task; the task that began before it is shown again.
func (t *Task) End() {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.line.tasks = slices.DeleteFunc(t.line.tasks, func(other *Task) bool { return other == t })
	t.line.erase()
}

// Reader returns r with the bytes that are read from it added to the task.
func (t *Task) Reader(r io.Reader) io.Reader {
	if t == nil {
		return r
	}
	return &reader{from: r, task: t}
}

type reader struct {
	from io.Reader
	task *Task
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.task.Add(int64(n))
	return n, err
}

// Size returns how many bytes are left in r if it is a regular file, else Unknown.
func Size(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return Unknown
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return Unknown
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return Unknown
	}
	return max(0, info.Size()-at)
}

// label returns a name as 24 characters, none of them a control character: padded, or the end of a
// longer name.
func label(name string) string {
	const width = 24
	runes := []rune(escape.Text(name))
	if len(runes) > width {
		runes = append([]rune("..."), runes[len(runes)-width+3:]...)
	}
	return fmt.Sprintf("%-*s", width, string(runes))
}
