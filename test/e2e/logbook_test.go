package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// logbook keeps what a worker in this process logs: for tests that look at a sentence, and for the
// report of one that failed.
type logbook struct {
	mu    sync.Mutex
	lines []string
	http  string // the address that HTTP listens on
}

// logger returns a logger that writes into the book.
func (b *logbook) logger() *slog.Logger { return slog.New(page{book: b}) }

// address returns what HTTP listens on, "" before it does.
func (b *logbook) address() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.http
}

// text returns all lines.
func (b *logbook) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.lines, "\n")
}

// page is a slog.Handler with what With added to it.
type page struct {
	book  *logbook
	attrs []slog.Attr
}

// Enabled leaves out what is for debugging.
func (p page) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs implements slog.Handler.
func (p page) WithAttrs(attrs []slog.Attr) slog.Handler {
	return page{book: p.book, attrs: append(p.attrs[:len(p.attrs):len(p.attrs)], attrs...)}
}

// WithGroup implements slog.Handler; nothing here logs groups.
func (p page) WithGroup(string) slog.Handler { return p }

// Handle writes one line.
func (p page) Handle(_ context.Context, r slog.Record) error {
	line := fmt.Sprintf("%s %s %s", r.Time.Format("15:04:05.000"), r.Level, r.Message)
	add := func(a slog.Attr) bool {
		line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	}
	for _, a := range p.attrs {
		add(a)
	}
	r.Attrs(add)
	p.book.mu.Lock()
	defer p.book.mu.Unlock()
	p.book.lines = append(p.book.lines, line)
	if r.Message == "HTTP is served" {
		r.Attrs(func(a slog.Attr) bool {
			p.book.http = a.Value.String()
			return false
		})
	}
	return nil
}
