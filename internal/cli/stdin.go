package cli

import (
	"context"
	"fmt"
	"io"
	"os"
)

// chunkBytes is how much is read of standard input at once.
const chunkBytes = 1 << 16

// untilStopped returns standard input as a reader that ends with ctx: who waits for a pipe or for somebody
// who types would not see a signal. A file is always there, and stays a file, whose size can be told.
// Somebody who may not know what is waited for is told on stderr.
func untilStopped(ctx context.Context, stdin *os.File, stderr io.Writer) io.Reader {
	if info, err := stdin.Stat(); err != nil || info.Mode().IsRegular() {
		return stdin
	}
	r := &stoppable{ctx: ctx, from: stdin, buffer: make([]byte, chunkBytes)}
	if Terminal(stdin) && Terminal(stderr) {
		r.announce = func() { fmt.Fprintln(stderr, "reading what is typed here; Ctrl-D at the start of a line ends it") }
	}
	return r
}

// stoppable reads in the background, into a buffer of its own: what comes after it was given up reaches nobody.
type stoppable struct {
	ctx      context.Context
	from     io.Reader
	announce func() // before the first byte; nil: nobody needs it
	buffer   []byte
	unread   []byte // of the buffer
	err      error  // comes after unread
	coming   chan chunk
}

type chunk struct {
	n   int
	err error
}

// Read returns why the context has ended, if it has.
func (s *stoppable) Read(p []byte) (int, error) {
	if s.announce != nil {
		s.announce()
		s.announce = nil
	}
	for len(s.unread) == 0 && s.err == nil {
		if s.coming == nil {
			coming := make(chan chunk, 1) // nobody need be there to take it
			s.coming = coming
			go func() {
				n, err := s.from.Read(s.buffer)
				coming <- chunk{n, err}
			}()
		}
		select {
		case c := <-s.coming:
			s.unread, s.err, s.coming = s.buffer[:c.n], c.err, nil
		case <-s.ctx.Done():
			return 0, context.Cause(s.ctx)
		}
	}
	if len(s.unread) == 0 {
		return 0, s.err
	}
	n := copy(p, s.unread)
	s.unread = s.unread[n:]
	return n, nil
}
