package processtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Process is a program that can be ended and started again.
type Process struct {
	Log string // a file; what the program says goes to its end

	mu      sync.Mutex
	process *os.Process
	exited  chan struct{}
	err     error // of the last exit
	started time.Time
	logged  int64 // bytes of the log before this start
}

// Start starts the program.
func (p *Process) Start(command ...string) error {
	f, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = f, f
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return errors.Join(err, f.Close())
	}
	exited := make(chan struct{})
	p.process, p.exited, p.err = cmd.Process, exited, nil
	p.started = time.Now()
	p.logged = info.Size()
	go func() {
		err := errors.Join(cmd.Wait(), f.Close())
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		close(exited)
	}()
	return nil
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.process.Pid }

// Exited returns a channel that is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Running reports whether the process lives, and why it ended.
func (p *Process) Running() (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.exited:
		return false, p.err
	default:
		return true, nil
	}
}

// Age is how long ago the process was started.
func (p *Process) Age() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.started)
}

// Said returns what the program has said since it was started.
func (p *Process) Said() string {
	text, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(text[p.logged:])
}

// Signal sends a signal.
func (p *Process) Signal(s syscall.Signal) error { return p.process.Signal(s) }

// End sends a signal and waits for the exit, whose error it returns. A process that hangs writes
// what it does to its log.
func (p *Process) End(s syscall.Signal, patience time.Duration) error {
	if p.process == nil {
		return nil
	}
	_ = p.Signal(s) // it may have ended by itself, which the caller sees by the error of the exit
	select {
	case <-p.exited:
		_, err := p.Running()
		return err
	case <-time.After(patience):
		_ = p.Signal(syscall.SIGQUIT)
		<-p.exited
		return fmt.Errorf("it runs on %v after %v: its goroutines are in %s", patience, s, p.Log)
	}
}
