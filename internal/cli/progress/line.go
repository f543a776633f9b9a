package progress

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"
)

// Options say how a line looks. The zero value of a field stands for what is in its comment.
type Options struct {
	Columns func() int       // width of the terminal; nil: 80
	Now     func() time.Time // nil: time.Now
	Color   bool
	Delay   time.Duration // how long work may take unseen; below 0: none. 0: 300 ms
	Each    time.Duration // between two drawings; below 0: no clock draws, only what happens. 0: 150 ms
}

// Line is the line of a terminal on which tasks show how far they are. It may be used by many goroutines;
// a nil one shows nothing.
type Line struct {
	options Options
	out     io.Writer
	stop    chan struct{}
	stopped sync.WaitGroup

	mu    sync.Mutex
	tasks []*Task // the last one is shown
	begun time.Time
	drawn time.Time
	width int // of what stands on the line now
}

// New returns a line that is drawn on out. Close ends it.
func New(out io.Writer, o Options) *Line {
	if o.Columns == nil {
		o.Columns = func() int { return 80 }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Delay == 0 {
		o.Delay = 300 * time.Millisecond
	}
	if o.Each == 0 {
		o.Each = 150 * time.Millisecond
	}
	l := &Line{options: o, out: out, stop: make(chan struct{}), begun: o.Now()}
	if o.Each > 0 {
		l.stopped.Go(l.tick)
	}
	return l
}

// tick draws while nothing happens, so that the time goes on.
func (l *Line) tick() {
	ticker := time.NewTicker(l.options.Each)
	defer ticker.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-ticker.C:
			l.mu.Lock()
			l.draw()
			l.mu.Unlock()
		}
	}
}

// Close erases the line and ends it.
func (l *Line) Close() {
	if l == nil {
		return
	}
	close(l.stop)
	l.stopped.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks = nil
	l.erase()
}

// Writer returns a writer to w, the same terminal, that erases the line before anything is written. The
// line comes back below it.
func (l *Line) Writer(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return &above{l, w}
}

type above struct {
	line *Line
	to   io.Writer
}

func (a *above) Write(p []byte) (int, error) {
	a.line.mu.Lock()
	defer a.line.mu.Unlock()
	a.line.erase()
	return a.to.Write(p)
}

// erase takes the line off the terminal.
func (l *Line) erase() {
	if l.width > 0 {
		l.print("\r" + strings.Repeat(" ", l.width) + "\r")
		l.width = 0
	}
}

// draw shows the task that began last, if it is time for that.
func (l *Line) draw() {
	now := l.options.Now()
	if len(l.tasks) == 0 || now.Sub(l.begun) < l.options.Delay || now.Sub(l.drawn) < l.options.Each {
		return
	}
	l.drawn = now
	text := l.tasks[len(l.tasks)-1].text(now, l.options.Columns()-1) // a full row would break the line
	shown := "\r" + text + strings.Repeat(" ", max(0, l.width-len([]rune(text))))
	l.width = max(l.width, len([]rune(text)))
	if l.options.Color {
		shown = colored(shown)
	}
	l.print(shown)
}

// colored makes the done part of the bar green.
func colored(text string) string {
	begin := strings.Index(text, "[#")
	if begin < 0 {
		return text
	}
	begin++
	end := begin + len(text[begin:]) - len(strings.TrimLeft(text[begin:], "#"))
	return text[:begin] + "\x1b[32m" + text[begin:end] + "\x1b[0m" + text[end:]
}

// print writes to the terminal. Work does not fail because nobody can be shown how far it is.
func (l *Line) print(text string) { _, _ = io.WriteString(l.out, text) }

type key struct{}

// With returns a context that carries the line to where the work is done.
func With(ctx context.Context, l *Line) context.Context { return context.WithValue(ctx, key{}, l) }

// From returns the line of the context, nil without one.
func From(ctx context.Context) *Line {
	l, _ := ctx.Value(key{}).(*Line)
	return l
}
