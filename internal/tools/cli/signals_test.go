package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayestream/internal/testing/filetest"
)

// programs are run in a process of their own by TestMain.
var programs = map[string]Program{
	// polite ends when it is asked to, and says what it has on hand until then.
	"polite": func(ctx context.Context, p Process) error {
		fmt.Fprintln(p.Stdout, "ready")
		<-ctx.Done()
		fmt.Fprintln(p.Stdout, "drained")
		return Stopped(ctx, ctx.Err())
	},
	// reader reads standard input to its end, and takes what goes wrong there for wrong input.
	"reader": func(_ context.Context, p Process) error {
		fmt.Fprintln(p.Stdout, "ready")
		all, err := io.ReadAll(p.Stdin)
		fmt.Fprintf(p.Stdout, "%d bytes\n", len(all))
		return WrongInput(err)
	},
	// worker says, as libraries do, that its context has ended.
	"worker": func(ctx context.Context, p Process) error {
		fmt.Fprintln(p.Stdout, "ready")
		<-ctx.Done()
		return fmt.Errorf("count words: %w", ctx.Err())
	},
	// stubborn never ends its drain.
	"stubborn": func(ctx context.Context, p Process) error {
		fmt.Fprintln(p.Stdout, "ready")
		<-ctx.Done()
		fmt.Fprintln(p.Stdout, "draining")
		time.Sleep(time.Minute)
		return nil
	},
	// filter is one whose code Failed is an answer.
	"filter": func(ctx context.Context, p Process) error {
		p.Failure.Is(3)
		fmt.Fprintln(p.Stdout, "ready")
		<-ctx.Done()
		fmt.Fprintln(p.Stdout, "draining")
		time.Sleep(time.Minute)
		return nil
	},
}

// spawn starts a program as a process and waits until it is ready. Its standard input is empty if
// it is nil.
func spawn(t *testing.T, name string, stdin *os.File) (*exec.Cmd, *bufio.Reader, *strings.Builder) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable)
	cmd.Env = append(os.Environ(), "BAYESTREAM_CLI_TEST="+name)
	if stdin != nil {
		cmd.Stdin = stdin
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	expect(t, out, "ready\n")
	return cmd, out, &stderr
}

func expect(t *testing.T, out *bufio.Reader, want string) {
	t.Helper()
	if got, err := out.ReadString('\n'); err != nil || got != want {
		t.Fatalf("got %q and %v, want %q", got, err, want)
	}
}

// exitCode reads what is left of the output and waits.
func exitCode(t *testing.T, cmd *exec.Cmd, out io.Reader) int {
	t.Helper()
	if _, err := io.ReadAll(out); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

func TestOneSignalEndsAProcessInGoodOrder(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		cmd, out, stderr := spawn(t, "polite", nil)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		expect(t, out, "drained\n")
		if code := exitCode(t, cmd, out); code != Done || stderr.Len() > 0 {
			t.Errorf("%s: got code %d and %q, want %d and nothing", signal, code, stderr, Done)
		}
	}
}

func TestASecondSignalEndsAProcessAtOnce(t *testing.T) {
	for name, want := range map[string]int{"stubborn": Failed, "filter": 3} {
		endsAtOnce(t, name, want)
	}
}

// endsAtOnce signals a program twice.
func endsAtOnce(t *testing.T, name string, want int) {
	t.Helper()
	cmd, out, stderr := spawn(t, name, nil)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	expect(t, out, "draining\n")
	started := time.Now()
	go func() { // the first of these come too soon
		for cmd.Process.Signal(os.Interrupt) == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}()
	code := exitCode(t, cmd, out)
	if says := "program: a second signal (interrupt): ended at once\n"; code != want || stderr.String() != says {
		t.Errorf("%s: got code %d and %q, want %d and %q", name, code, stderr, want, says)
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

// Who waits for standard input, or for a library, hears of a signal, and the error says which. It
// is nobody's wrong input.
func TestASignalEndsWaiting(t *testing.T) {
	waiting, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(waiting.Close(), writer.Close()) }()
	for name, want := range map[string]string{
		"reader": "program: stopped by the signal interrupt\n",
		"worker": "program: count words: stopped by the signal interrupt\n",
	} {
		cmd, out, stderr := spawn(t, name, waiting)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := exitCode(t, cmd, out); code != Failed || stderr.String() != want {
			t.Errorf("%s: got code %d and %q, want %d and %q", name, code, stderr, Failed, want)
		}
	}
}

// All of standard input comes through, from a pipe and from a file, and a file stays one.
func TestStandardInputIsReadToItsEnd(t *testing.T) {
	text := strings.Repeat("a line of words\n", 3*chunkBytes/16)
	path := filepath.Join(t.TempDir(), "in")
	filetest.Write(t, path, text)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if untilStopped(t.Context(), file, io.Discard) != io.Reader(file) {
		t.Error("a file is wrapped: its size cannot be told any more")
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	go func() {
		_, _ = io.WriteString(in, text) // what is missing shows below
		_ = in.Close()
	}()
	got, err := io.ReadAll(untilStopped(t.Context(), out, io.Discard))
	if err != nil || string(got) != text {
		t.Errorf("got %d bytes and %v, want %d", len(got), err, len(text))
	}
}
