package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
)

// The exit codes.
const (
	Done   = 0
	Failed = 1
	Wrong  = 2 // usage or input
)

// Main runs a program and returns its exit code.
func Main(name string, run Program) int {
	p := Process{Args: os.Args[1:], LookupEnv: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Failure: &Failure{}}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, release := untilSignal(context.Background(), signals, again, func(s os.Signal) {
		fmt.Fprintf(p.Stderr, "%s: a second signal (%s): ended at once\n", name, s)
		os.Exit(p.Failure.code())
	})
	defer release()
	p.Stdin = untilStopped(ctx, os.Stdin, p.Stderr)
	return finish(p, name, causeOf(ctx, run(ctx, p)))
}

// finish tells how a program ended, and returns its exit code: what an error says itself, or Failed.
func finish(p Process, name string, err error) int {
	var answer config.Answer
	var usage *config.UsageError
	var outcome Outcome
	switch {
	case err == nil:
		return Done
	case errors.As(err, &outcome):
		return int(outcome)
	case errors.As(err, &answer):
		if _, err := fmt.Fprint(p.Stdout, string(answer)); err != nil {
			return Failed
		}
		return Done
	case errors.As(err, &usage):
		for _, problem := range usage.Problems {
			fmt.Fprintf(p.Stderr, "%s: %s\n", usage.Program, told(problem))
		}
		fmt.Fprintf(p.Stderr, "%s: \"%s --help\" explains what can be set\n", usage.Program, usage.Program)
	case !errors.As(err, new(logged)):
		fmt.Fprintf(p.Stderr, "%s: %s\n", name, told(err.Error()))
	}
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return Failed
}

// told returns the text of an error as it may be shown: no verb has to keep the password of a URL
// out of its errors.
func told(text string) string { return escape.Lines(config.Redact(strings.TrimSpace(text))) }

// Outcome is the exit code of work that is done, whose result the code tells, as that of a filter.
type Outcome int

// Error says that it is none.
func (o Outcome) Error() string { return fmt.Sprintf("done, with exit code %d", int(o)) }

// Failure is the exit code of a program that is ended at once. The zero value is Failed.
type Failure struct{ other atomic.Int32 }

// Is says that another code means a failure, as in a filter whose other codes are answers.
func (f *Failure) Is(code int) {
	if f != nil {
		f.other.Store(int32(code))
	}
}

func (f *Failure) code() int { return cmp.Or(int(f.other.Load()), Failed) }

// WithCode marks an error, if it is one, as one with which the program ends with a code of its own.
func WithCode(err error, code int) error {
	if err == nil {
		return nil
	}
	return coded{err, code}
}

type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

func (c coded) ExitCode() int { return c.code }

// WrongInput marks an error as the fault of what was handed in: a file, a line of
// standard input, a name. The program ends with the code Wrong.
func WrongInput(err error) error { return WithCode(err, Wrong) }

// briefGCPercent lets the heap grow to three times what is in use before garbage is collected. With
// Go's default of 100 a program that reads a file of a megabyte or two spends a tenth of its time
// on garbage collection.
const briefGCPercent = 200

// Brief returns a program that collects garbage less often, for work that ends. GOGC has precedence
// if it is set.
func Brief(run Program) Program {
	return func(ctx context.Context, p Process) error {
		if _, set := p.LookupEnv("GOGC"); !set {
			defer debug.SetGCPercent(debug.SetGCPercent(briefGCPercent))
		}
		return run(ctx, p)
	}
}

// Process is what a program is given by the system, so that it can be run without
// one.
type Process struct {
	Args           []string // without the program's name
	LookupEnv      func(name string) (value string, set bool)
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	After func(time.Duration) <-chan time.Time // of a test; nil: the clock's

	Failure *Failure // with which the process ends if it is ended at once; nil: nobody asks
}

// Timer returns what tells that a while has passed.
func (p Process) Timer(d time.Duration) <-chan time.Time {
	if p.After != nil {
		return p.After(d)
	}
	return time.After(d)
}

// Program is what main does between the signals and the exit. It returns when its
// work is done or, after ctx has ended, left in good order.
type Program func(ctx context.Context, p Process) error
