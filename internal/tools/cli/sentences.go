package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
)

// Sentences returns a logger for a person who waits for a verb: each warning is one line, its
// message with the error behind it and the other attributes in parentheses. Less than warnings is
// left out.
func Sentences(w io.Writer) *slog.Logger { return slog.New(&sentences{mu: &sync.Mutex{}, w: w}) }

// sentences is the handler of Sentences.
type sentences struct {
	mu    *sync.Mutex // of all loggers that write to w
	w     io.Writer
	attrs []slog.Attr // of the logger
}

// Enabled reports whether a level is warning or above.
func (s *sentences) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// WithAttrs returns a handler that adds attributes.
func (s *sentences) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &sentences{mu: s.mu, w: s.w, attrs: slices.Concat(s.attrs, attrs)}
}

// WithGroup returns the handler: names of groups are for programs.
func (s *sentences) WithGroup(string) slog.Handler { return s }

func (s *sentences) Handle(_ context.Context, r slog.Record) error {
	reason := ""
	var others []string
	add := func(a slog.Attr) bool {
		if a.Key == "error" {
			reason = ": " + a.Value.String()
		} else {
			others = append(others, a.Key+": "+a.Value.String())
		}
		return true
	}
	for _, a := range s.attrs {
		add(a)
	}
	r.Attrs(add)
	beside := ""
	if len(others) > 0 {
		beside = " (" + strings.Join(others, ", ") + ")"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := fmt.Fprintf(s.w, "warning: %s\n", escape.Text(config.Redact(r.Message+beside+reason)))
	return err
}
