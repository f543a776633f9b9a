package main

import (
	"fmt"
	"io"
	"strings"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
)

// printer prints text for people and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

// f prints by a format. Each argument stays on its line, whatever characters it has: labels and
// terms come from anybody, and the output may be a terminal.
func (p *printer) f(format string, args ...any) {
	for i, a := range args {
		args[i] = shown(a)
	}
	if p.err == nil {
		_, p.err = io.WriteString(p.w, escape.Lines(fmt.Sprintf(format, args...)))
	}
}

// lines prints text that is several lines by itself.
func (p *printer) lines(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, escape.Lines(text))
	}
}

// shown returns an argument of a format as it may be printed.
func shown(arg any) any {
	switch a := arg.(type) {
	case string:
		return escape.Text(a)
	case config.FileOrURL:
		return escape.Text(a.String())
	case []string:
		out := make([]string, len(a))
		for i := range a {
			out[i] = escape.Text(a[i])
		}
		return out
	}
	return arg
}

// counted returns a number with what it counts: 1 class, 2 classes.
func counted[N int | int64](n N, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "s"):
		one += "e"
	}
	return fmt.Sprintf("%d %ss", n, one)
}
