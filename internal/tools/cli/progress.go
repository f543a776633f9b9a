package cli

import (
	"context"
	"io"
	"os"

	"bayestream/internal/tools/cli/progress"

	"golang.org/x/term"
)

// Terminal reports whether w is a terminal.
func Terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) // a descriptor is a small number
}

// Plain reports whether the user wants no colours (https://no-color.org).
func Plain(p Process) bool {
	value, _ := p.LookupEnv("NO_COLOR")
	return value != ""
}

// Watched returns a program that shows how far long work is, on one line of standard error, if that
// is a terminal; otherwise it is the program itself. The work finds the line in its context.
func Watched(run Program) Program {
	return func(ctx context.Context, p Process) error {
		stderr := p.Stderr
		if !Terminal(stderr) {
			return run(ctx, p)
		}
		line := progress.New(stderr, func() int { width, _ := Size(stderr); return width }, progress.Delay)
		defer line.Close()
		p.Stderr = line.Writer(stderr)
		if Terminal(p.Stdout) {
			p.Stdout = line.Writer(p.Stdout)
		}
		return run(progress.With(ctx, line), p)
	}
}

// Size returns the columns and rows of a terminal, 80 and 24 if it does not say them.
func Size(w io.Writer) (columns, rows int) {
	if file, ok := w.(*os.File); ok {
		if columns, rows, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return 80, 24
}
