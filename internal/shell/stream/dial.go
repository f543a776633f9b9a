package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// dialTimeout bounds the time to open one connection, so that the next address of a
// broker list is tried within the time of the request.
const dialTimeout = 3 * time.Second

// connections opens connections, with TLS if it is on, and keeps a list of the open
// ones. Closing them all ends the requests that kafka-go still waits for. (kafka-go's
// own TLS has one configuration for all time, and says nothing about what it refuses.)
type connections struct {
	tls    TLS
	mutex  sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

// dial opens a connection. After close it returns ErrClosed.
func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, &unreachableError{address, err}
	}
	tracked := &trackedConn{Conn: conn, owner: c}
	if !c.track(tracked) {
		conn.Close()
		return nil, ErrClosed
	}
	opened, err := c.tls.open(ctx, tracked, address)
	if err != nil {
		_ = tracked.Close()
		return nil, err
	}
	return opened, nil
}

// unreachableError says that no connection to a broker can be opened.
type unreachableError struct {
	address string
	err     error // of the package net
}

// Error names the address, the cause without the calls that led to it, and what to do.
func (e *unreachableError) Error() string {
	cause := e.err
	if call, ok := errors.AsType[*net.OpError](cause); ok {
		cause = call.Err
	}
	if system, ok := errors.AsType[*os.SyscallError](cause); ok {
		cause = system.Err
	}
	return fmt.Sprintf("no broker is reached at %s: %v: check that Kafka runs there, and the address", e.address, cause)
}

// Unwrap returns the error of the package net, which says whether to try again.
func (e *unreachableError) Unwrap() error { return e.err }

func (c *connections) track(conn net.Conn) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.closed {
		return false
	}
	if c.open == nil {
		c.open = make(map[net.Conn]struct{})
	}
	c.open[conn] = struct{}{}
	return true
}

func (c *connections) close() {
	c.mutex.Lock()
	open := c.open
	c.open = nil
	c.closed = true
	c.mutex.Unlock()
	for conn := range open {
		conn.Close()
	}
}

func (c *connections) forget(conn net.Conn) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.open, conn)
}

// trackedConn removes itself from the list of its owner when it is closed.
type trackedConn struct {
	net.Conn
	owner *connections
}

// Close closes the connection.
func (c *trackedConn) Close() error {
	c.owner.forget(c)
	return c.Conn.Close()
}
