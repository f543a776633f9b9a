//go:build browser

package browser

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A program is a running bayestream; lines are what it says but for the figures of the demo.
type program struct {
	t       testing.TB
	command *exec.Cmd
	lines   chan string

	mu   sync.Mutex
	said []string
}

func run(t testing.TB, args ...string) *program {
	t.Helper()
	p := &program{t: t, command: exec.CommandContext(t.Context(), needs(t, "BAYESTREAM_BINARY", "the built bayestream"), args...), lines: make(chan string, 100)}
	p.command.Cancel = func() error { return p.command.Process.Signal(syscall.SIGTERM) }
	p.command.WaitDelay = 20 * time.Second
	from, to := io.Pipe()
	p.command.Stdout, p.command.Stderr = to, to
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(from)
	}()
	t.Cleanup(func() {
		p.stop()
		_ = to.Close() // the writer of a pipe in memory
		<-read
		if t.Failed() {
			p.mu.Lock()
			defer p.mu.Unlock()
			t.Logf("bayestream %s said:\n%s", args[0], strings.Join(p.said, "\n"))
		}
	})
	return p
}

func (p *program) read(from io.Reader) {
	for s := bufio.NewScanner(from); s.Scan(); {
		if strings.HasPrefix(s.Text(), `{"learned"`) {
			continue // what the demo counts
		}
		p.mu.Lock()
		p.said = append(p.said, s.Text())
		p.mu.Unlock()
		select {
		case p.lines <- s.Text():
		default: // nobody waits for a line any more
		}
	}
	close(p.lines)
}

// address waits for a line with an address and returns it.
func (p *program) address() string {
	p.t.Helper()
	return strings.Trim(strings.Fields(p.after("http://"))[0], `"`)
}

// served waits until a worker says the address of its HTTP and returns it.
func (p *program) served() string {
	p.t.Helper()
	address, _, _ := strings.Cut(strings.TrimPrefix(p.after(`"HTTP is served","address":"`), `"HTTP is served","address":"`), `"`)
	return "http://" + address
}

// after waits for a line with a text and returns what stands there, the text included.
func (p *program) after(text string) string {
	p.t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case line, more := <-p.lines:
			if !more {
				p.t.Fatal("the program ended before it said " + text)
			}
			if at := strings.Index(line, text); at >= 0 {
				return line[at:]
			}
		case <-timeout:
			p.t.Fatal("not within a minute: " + text)
		}
	}
}

func (p *program) stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = p.command.Wait()
}
