package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
)

// chunkBytes is how much is read of standard input at once.
const chunkBytes = 1 << 16

// untilStopped returns standard input as a reader that ends with ctx: a read from a pipe or a
// terminal would not end with a signal. A regular file does not block and is returned as it is, so
// that its size can be asked. If input is typed on a terminal, stderr says so before the first
// read.
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

// stoppable reads in the background, into a buffer of its own: what comes after ctx has ended is
// discarded.
type stoppable struct {
	ctx      context.Context
	from     io.Reader
	announce func() // called before the first byte; may be nil
	buffer   []byte
	unread   bytes.Reader // of the buffer
	err      error        // comes after unread
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
	for s.unread.Len() == 0 && s.err == nil {
		if s.coming == nil {
			coming := make(chan chunk, 1) // buffered: the reader may have stopped
			s.coming = coming
			go func() {
				n, err := s.from.Read(s.buffer)
				coming <- chunk{n, err}
			}()
		}
		select {
		case c := <-s.coming:
			s.unread.Reset(s.buffer[:c.n])
			s.err = c.err
			s.coming = nil
		case <-s.ctx.Done():
			return 0, context.Cause(s.ctx)
		}
	}
	if s.unread.Len() == 0 {
		return 0, s.err
	}
	return s.unread.Read(p)
}
