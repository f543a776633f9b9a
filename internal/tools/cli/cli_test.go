package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayestream/internal/shell/config"

	"go.uber.org/goleak"
)

// TestMain runs one of the programs below instead of the tests when it is asked to:
// signals and exit codes need a process.
func TestMain(m *testing.M) {
	if program, ok := programs[os.Getenv("BAYESTREAM_CLI_TEST")]; ok {
		os.Exit(Main("program", program))
	}
	goleak.VerifyTestMain(m)
}

// process returns a Process in memory.
func process(args ...string) (p Process, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	nothing := func(string) (string, bool) { return "", false }
	return Process{Args: args, LookupEnv: nothing, Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr}, stdout, stderr
}

func TestFinish(t *testing.T) {
	usage := &config.UsageError{Program: "bayestream x", Problems: []string{"--a: wrong", "--b: wrong"}}
	for _, test := range []struct {
		name           string
		err            error
		code           int
		stdout, stderr string
	}{
		{"done", nil, 0, "", ""},
		{"answer", config.Answer("page\n"), 0, "page\n", ""},
		{"failed", errors.New("read x: broken"), 1, "", "prog: read x: broken\n"},
		{"usage", usage, 2, "", "bayestream x: --a: wrong\nbayestream x: --b: wrong\nbayestream x: \"bayestream x --help\" explains what can be set\n"},
		{"usage, wrapped", fmt.Errorf("parse: %w", usage), 2, "", "bayestream x: --a: wrong\nbayestream x: --b: wrong\nbayestream x: \"bayestream x --help\" explains what can be set\n"},
		{"input", WrongInput(errors.New("x:3: no label")), 2, "", "prog: x:3: no label\n"},
		{"input, wrapped", fmt.Errorf("train: %w", WrongInput(errors.New("x:3: no label"))), 2, "", "prog: train: x:3: no label\n"},
		{"outcome", Outcome(3), 3, "", ""},
		{"code of its own", WithCode(usage, 3), 3, "", "bayestream x: --a: wrong\nbayestream x: --b: wrong\nbayestream x: \"bayestream x --help\" explains what can be set\n"},
		{"logged", logged{errors.New("broken")}, 1, "", ""},
		{"logged input", logged{WrongInput(errors.New("broken"))}, 2, "", ""},
		{"stopped", fmt.Errorf("train: %w", stopped{os.Interrupt}), 1, "", "prog: train: stopped by the signal interrupt\n"},
	} {
		p, stdout, stderr := process()
		if code := finish(p, "prog", test.err); code != test.code || stdout.String() != test.stdout || stderr.String() != test.stderr {
			t.Errorf("%s: got code %d, stdout %q, stderr %q; want %d, %q, %q", test.name, code, stdout, stderr, test.code, test.stdout, test.stderr)
		}
	}
}

// full is a writer on a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAnAnswerThatCannotBeWrittenIsAFailure(t *testing.T) {
	p, _, _ := process()
	p.Stdout = full{}
	if code := finish(p, "prog", config.Answer("page")); code != Failed {
		t.Errorf("got code %d, want %d", code, Failed)
	}
}

func TestWrongInputOfNothingIsNothing(t *testing.T) {
	if err := WrongInput(nil); err != nil {
		t.Errorf("got %v", err)
	}
	cause := errors.New("cause")
	if !errors.Is(WrongInput(cause), cause) {
		t.Error("the cause is lost")
	}
}

func TestStopped(t *testing.T) {
	running := t.Context()
	ended, cancel := context.WithCancelCause(running)
	cancel(stopped{os.Interrupt})
	broken := errors.New("broken")
	for _, test := range []struct {
		name      string
		ctx       context.Context
		err, want error
	}{
		{"done", running, nil, nil},
		{"failed", running, broken, broken},
		{"something of its own was canceled", running, context.Canceled, context.Canceled},
		{"stopped and done", ended, nil, nil},
		{"stopped", ended, fmt.Errorf("fetch: %w", context.Canceled), nil},
		{"stopped, with the cause", ended, fmt.Errorf("fetch: %w", context.Cause(ended)), nil},
		{"stopped, then failed", ended, broken, broken},
	} {
		if got := Stopped(test.ctx, test.err); !errors.Is(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestFirstSignalEndsTheContextSecondCalls(t *testing.T) {
	signals, called := make(chan os.Signal), make(chan os.Signal, 1)
	ctx, release := untilSignal(t.Context(), signals, 0, func(s os.Signal) { called <- s })
	defer release()
	if ctx.Err() != nil {
		t.Fatal("the context ends without a signal")
	}
	signals <- syscall.SIGTERM
	<-ctx.Done()
	if got, want := context.Cause(ctx).Error(), "stopped by the signal terminated"; got != want {
		t.Errorf("the cause is %q, want %q", got, want)
	}
	select {
	case <-called:
		t.Error("one signal was taken for two")
	default:
	}
	signals <- os.Interrupt
	if got := <-called; got != os.Interrupt {
		t.Errorf("got %v", got)
	}
}

// Who sends a signal to a process and to its group sends one.
func TestASignalSentTwiceIsOne(t *testing.T) {
	signals := make(chan os.Signal)
	ctx, release := untilSignal(t.Context(), signals, time.Hour, func(os.Signal) { t.Error("one signal was taken for two") })
	for range 3 {
		signals <- syscall.SIGTERM
	}
	release()
	if ctx.Err() == nil {
		t.Error("the context lives on")
	}
}

func TestReleaseEndsTheWaiting(t *testing.T) {
	for _, sent := range []int{0, 1} {
		signals := make(chan os.Signal, 1)
		ctx, release := untilSignal(context.Background(), signals, 0, func(os.Signal) { t.Error("a second signal out of nowhere") })
		for range sent {
			signals <- os.Interrupt
			<-ctx.Done()
		}
		release()
		if ctx.Err() == nil {
			t.Error("the context lives on after its release")
		}
	}
}

func TestTerminal(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	if Terminal(write) || Terminal(new(bytes.Buffer)) {
		t.Error("a pipe or a buffer is taken for a terminal")
	}
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	log := logger(&out, slog.LevelWarn)
	log.Info("quiet")
	log.Warn("loud", "n", 1, "pause", 1500*time.Millisecond)
	if got := out.String(); !strings.HasPrefix(got, `{"time":`) || !strings.Contains(got, `"msg":"loud","n":1,"pause":"1.5s"}`) || strings.Contains(got, "quiet") {
		t.Errorf("got %s", got)
	}
}
