package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
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
	// stubborn never ends its drain.
	"stubborn": func(ctx context.Context, p Process) error {
		fmt.Fprintln(p.Stdout, "ready")
		<-ctx.Done()
		fmt.Fprintln(p.Stdout, "draining")
		time.Sleep(time.Minute)
		return nil
	},
}

// spawn starts a program as a process and waits until it is ready.
func spawn(t *testing.T, name string) (*exec.Cmd, *bufio.Reader, *strings.Builder) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable)
	cmd.Env = append(os.Environ(), "BAYESTREAM_CLI_TEST="+name)
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
		cmd, out, stderr := spawn(t, "polite")
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
	cmd, out, stderr := spawn(t, "stubborn")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	expect(t, out, "draining\n")
	started := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	code := exitCode(t, cmd, out)
	if want := "program: a second signal (interrupt): ended at once\n"; code != Failed || stderr.String() != want {
		t.Errorf("got code %d and %q, want %d and %q", code, stderr, Failed, want)
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}
