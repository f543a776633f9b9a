package e2e

import (
	"bytes"
	"log/slog"
	"regexp"
	"sync"
)

// logbook keeps what a worker in this process logs: for tests that look at a sentence, and for the
// report of one that failed.
type logbook struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

// logger returns a logger that writes into the book.
func (b *logbook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

func (b *logbook) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.Write(line)
}

// text returns all lines.
func (b *logbook) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.String()
}

// served matches the line that says what HTTP listens on, of a worker in this process or of one of
// its own.
var served = regexp.MustCompile(`"?msg"?[=:]"HTTP is served"[ ,]"?address"?[=:]"?([^" \n]+)`)

// addressIn returns what HTTP listens on by a log, "" before it does. A port that is looked for before
// the start may be taken by then.
func addressIn(log string) string {
	if found := served.FindStringSubmatch(log); found != nil {
		return found[1]
	}
	return ""
}

// address returns what HTTP listens on, "" before it does.
func (b *logbook) address() string { return addressIn(b.text()) }
