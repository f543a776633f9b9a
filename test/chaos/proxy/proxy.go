// Package proxy stands between a worker and a broker and is a bad network. It knows of Kafka's
// protocol that a request and a response are frames: four bytes of size, big endian, and what
// follows.
package proxy

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Fault is a kind of trouble.
type Fault int32

// The kinds of trouble. While one lasts, it concerns all connections.
const (
	None Fault = iota
	// DropAnswers carries requests to the broker and loses the answers.
	DropAnswers
	// DropRequests loses requests; the answers to those before come through, and the connections stay
	// open.
	DropRequests
	// Stall carries nothing in both directions, and everything when it has ended.
	Stall
	// Delay holds every frame back, in both directions.
	Delay
	// HalfOpen loses all frames. The connections of that time never work again and are never closed
	// from this side.
	HalfOpen
	// Cut ends a connection in the middle of its next frame.
	Cut
)

// Proxy listens on an address of its own.
type Proxy struct {
	listener net.Listener
	target   atomic.Pointer[string]
	fault    atomic.Int32
	delay    atomic.Int64
	stalled  atomic.Pointer[chan struct{}] // closed when the stall ends
	hit      atomic.Int64                  // frames that a fault concerned

	mu    sync.Mutex
	conns map[*link]bool
	done  sync.WaitGroup
}

// link is a connection of a client and the one to the broker that belongs to it.
type link struct {
	client, broker net.Conn
	dead           atomic.Bool // half open for good
}

func (l *link) close() {
	for _, c := range []net.Conn{l.client, l.broker} {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset, so that nobody waits for what is under way
		}
		c.Close()
	}
}

// Listen starts a proxy. It refuses connections until Forward has named the broker.
func Listen() (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, conns: map[*link]bool{}}
	p.done.Go(p.accept)
	return p, nil
}

// Addr returns the address for clients.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Forward names the broker.
func (p *Proxy) Forward(address string) { p.target.Store(&address) }

// Begin begins a fault; d is how long Delay holds a frame.
func (p *Proxy) Begin(f Fault, d time.Duration) {
	p.delay.Store(int64(d))
	end := make(chan struct{})
	p.stalled.Store(&end)
	p.fault.Store(int32(f))
}

// End ends the fault, and the connections that it has spoiled, unless they are half open.
func (p *Proxy) End() {
	was := Fault(p.fault.Swap(int32(None)))
	if end := p.stalled.Swap(nil); end != nil {
		close(*end)
	}
	if was != DropAnswers && was != DropRequests {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.conns {
		l.close()
	}
}

// Hit returns how many frames the faults concerned so far.
func (p *Proxy) Hit() int64 { return p.hit.Load() }

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.End()
	p.mu.Lock()
	for l := range p.conns {
		l.close()
	}
	p.mu.Unlock()
	p.done.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		target := p.target.Load()
		if target == nil {
			client.Close()
			continue
		}
		broker, err := net.DialTimeout("tcp", *target, 5*time.Second)
		if err != nil {
			client.Close()
			continue
		}
		p.serve(&link{client: client, broker: broker})
	}
}

func (p *Proxy) serve(l *link) {
	p.mu.Lock()
	p.conns[l] = true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.pump(l, l.client, l.broker, false) })
	both.Go(func() { p.pump(l, l.broker, l.client, true) })
	p.done.Go(func() {
		both.Wait()
		p.mu.Lock()
		delete(p.conns, l)
		p.mu.Unlock()
	})
}

// pump carries frames in one direction until the connection ends.
func (p *Proxy) pump(l *link, from, to net.Conn, answers bool) {
	var frame []byte
	for {
		var err error
		if frame, err = read(from, frame); err != nil {
			l.ended(answers)
			return
		}
		pass, err := p.suffer(l, frame, to, answers)
		if err == nil && pass {
			_, err = to.Write(frame)
		}
		if err != nil {
			l.close()
			return
		}
	}
}

// ended closes both sides when one is gone; of a connection that is half open only the client can
// know the end.
func (l *link) ended(answers bool) {
	if l.dead.Load() && answers {
		return
	}
	l.close()
}

var errCut = errors.New("the connection was cut")

// suffer does to a frame what the fault of the moment does, and reports whether it may pass.
func (p *Proxy) suffer(l *link, frame []byte, to net.Conn, answers bool) (pass bool, err error) {
	fault := Fault(p.fault.Load())
	if l.dead.Load() {
		fault = HalfOpen
	}
	if fault == None || fault == DropAnswers && !answers || fault == DropRequests && answers {
		return true, nil
	}
	p.hit.Add(1)
	switch fault {
	case Stall:
		if end := p.stalled.Load(); end != nil {
			<-*end
		}
		return true, nil
	case Delay:
		time.Sleep(time.Duration(p.delay.Load()))
		return true, nil
	case HalfOpen:
		l.dead.Store(true)
	case Cut:
		_, _ = to.Write(frame[:len(frame)/2])
		return false, errCut
	}
	return false, nil
}

// read reads a frame into buf, which it may replace.
func read(from io.Reader, buf []byte) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return buf, err
	}
	n := int(binary.BigEndian.Uint32(size[:])) + len(size)
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	copy(buf, size[:])
	_, err := io.ReadFull(from, buf[len(size):])
	return buf, err
}
