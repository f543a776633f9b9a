package proxy

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// echo is a broker that answers each frame with the same frame, and counts them.
func echo(t *testing.T) (address string, frames *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	frames = &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				var frame []byte
				for {
					var err error
					if frame, err = read(c, frame); err != nil {
						return
					}
					frames.Add(1)
					if _, err := c.Write(frame); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String(), frames
}

// network is a proxy before an echo and a connection through it.
func network(t *testing.T) (p *Proxy, c net.Conn, frames *atomic.Int64) {
	t.Helper()
	p, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	address, frames := echo(t)
	p.Forward(address)
	return p, connect(t, p), frames
}

func connect(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	ask(t, c)
	return c
}

var frame = []byte("\x00\x00\x00\x08question")

// ask sends a frame and expects it back.
func ask(t *testing.T, c net.Conn) {
	t.Helper()
	if got, err := tryAsk(c, time.Minute); err != nil || !bytes.Equal(got, frame) {
		t.Fatalf("asked %q, got %q, %v", frame, got, err)
	}
}

func tryAsk(c net.Conn, patience time.Duration) ([]byte, error) {
	if _, err := c.Write(frame); err != nil {
		return nil, err
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	got, err := io.ReadAll(io.LimitReader(c, int64(len(frame))))
	return got, err
}

// hangs asks, and expects no answer in time.
func hangs(t *testing.T, c net.Conn) {
	t.Helper()
	if got, err := tryAsk(c, 50*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) || len(got) != 0 {
		t.Fatalf("got %q, %v", got, err)
	}
}

// Of what is dropped the broker has seen the question or not. The connection is closed with the
// fault.
func TestDrop(t *testing.T) {
	for fault, want := range map[Fault]int64{DropAnswers: 2, DropRequests: 1} {
		p, c, frames := network(t)
		p.Begin(fault, 0)
		hangs(t, c)
		if frames.Load() != want {
			t.Fatalf("%v: the broker has seen %d frames", fault, frames.Load())
		}
		p.End()
		if _, err := tryAsk(c, time.Minute); err == nil {
			t.Fatalf("%v: the connection lives on", fault)
		}
		ask(t, connect(t, p))
	}
}

// TestHalfOpen: nothing arrives, nothing is closed, and it stays so for this connection.
func TestHalfOpen(t *testing.T) {
	p, c, frames := network(t)
	p.Begin(HalfOpen, 0)
	for range 2 {
		hangs(t, c)
		p.End()
	}
	if frames.Load() != 1 {
		t.Fatalf("the broker has seen %d frames", frames.Load())
	}
	ask(t, connect(t, p))
}

// TestCut: half a frame arrives.
func TestCut(t *testing.T) {
	p, c, _ := network(t)
	p.Begin(Cut, 0)
	if got, err := tryAsk(c, time.Minute); err != nil && len(got) == len(frame) {
		t.Fatalf("got %q, %v", got, err)
	}
	p.End()
	ask(t, connect(t, p))
	if p.Hit() == 0 {
		t.Fatal("no frame was cut")
	}
}

// TestDelay: a frame comes late, and whole.
func TestDelay(t *testing.T) {
	p, c, _ := network(t)
	p.Begin(Delay, 20*time.Millisecond)
	begun := time.Now()
	ask(t, c)
	if took := time.Since(begun); took < 40*time.Millisecond {
		t.Fatalf("both directions took %v", took)
	}
	p.End()
	ask(t, c)
}

// TestStall: nothing arrives while it lasts, and all of it afterwards.
func TestStall(t *testing.T) {
	p, c, frames := network(t)
	p.Begin(Stall, 0)
	hangs(t, c)
	if frames.Load() != 1 {
		t.Fatalf("the broker has seen %d frames", frames.Load())
	}
	p.End()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if got, err := io.ReadAll(io.LimitReader(c, int64(len(frame)))); err != nil || !bytes.Equal(got, frame) {
		t.Fatalf("got %q, %v", got, err)
	}
	ask(t, c)
}
