package e2e

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/processtest"
)

var build struct {
	sync.Once
	dir string
	err error
}

// TestMain lets more tests run at once than there are cores, unless told otherwise: most of their
// time they wait for a group to settle or a topic to be made. It removes the binaries that they
// built.
func TestMain(m *testing.M) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if !told {
		_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // a number is always valid
	}
	code := m.Run()
	if build.dir != "" {
		_ = os.RemoveAll(build.dir)
	}
	os.Exit(code)
}

// binary returns the path of a built command.
func binary(t *testing.T, name string) string {
	t.Helper()
	build.Do(func() {
		if build.dir, build.err = os.MkdirTemp("", "bayestream-e2e-"); build.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", build.dir, "./cmd/...")
		cmd.Dir = modeltest.Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			build.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return filepath.Join(build.dir, name)
}

// process is a worker that can be killed and started again with the same arguments.
type process struct {
	t    *testing.T
	path string
	args []string
	processtest.Process
}

// worker prepares a worker; it does not start it.
func worker(t *testing.T, name, role string, args ...string) *process {
	t.Helper()
	dir := t.TempDir()
	p := &process{t: t, path: binary(t, role)}
	p.Log = filepath.Join(dir, name+".log")
	p.args = append([]string{"--state", filepath.Join(dir, name+".db"), "--http", "127.0.0.1:0", "--checkpoint-each", "300ms", "--client-id", name}, args...)
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			text, _ := os.ReadFile(p.Log)
			t.Logf("%s:\n%s", name, tail(string(text), 4000))
		}
	})
	return p
}

// process prepares a classify in a process of its own.
func (p *pipeline) process(name string) *process {
	p.t.Helper()
	return worker(p.t, name, "classify", p.classifyFlags()...)
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

func (p *process) start() {
	p.t.Helper()
	if err := p.Start(append([]string{p.path}, p.args...)...); err != nil {
		p.t.Fatal(err)
	}
}

// address returns what HTTP listens on, "" before it does.
func (p *process) address() string { return addressIn(p.Said()) }

// kill ends the process with SIGKILL.
func (p *process) kill() { _ = p.End(syscall.SIGKILL, patience) }

// flag returns the value of a flag of the process.
func (p *process) flag(name string) string {
	p.t.Helper()
	at := slices.Index(p.args, name)
	if at < 0 || at+1 == len(p.args) {
		p.t.Fatalf("the process has no flag %s: %q", name, p.args)
	}
	return p.args[at+1]
}

// stop ends the process with SIGTERM and expects a clean exit.
func (p *process) stop(patience time.Duration) {
	p.t.Helper()
	if err := p.End(syscall.SIGTERM, patience); err != nil {
		p.t.Fatalf("after SIGTERM: %v", err)
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// ready waits until /readyz says yes.
func (p *process) ready(patience time.Duration) {
	p.t.Helper()
	eventually(p.t, patience, "ready", func() (bool, string) {
		status, body := send(http.MethodGet, "http://"+p.address()+"/readyz", nil)
		return status == http.StatusOK, string(body)
	})
}

// state returns the state of the worker as its snapshot has it.
func (p *process) state() (*fold.State, error) { return snapshot(p.t, p.address()) }

// eventually waits for a condition that says what it still waits for.
func eventually(t *testing.T, patience time.Duration, what string, cond func() (bool, string)) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		ok, still := cond()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not %s after %v: %s", what, patience, strings.TrimSpace(still))
		}
		time.Sleep(100 * time.Millisecond)
	}
}
