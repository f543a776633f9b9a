package dataset

import (
	"bytes"
	"io"
)

// aheadBytes is how much of an announced input is read ahead.
const aheadBytes = 64 << 10

// announced is input that is read ahead, in the background, so that it is known whether there is
// more. It calls waiting before it waits.
type announced struct {
	in      io.Reader
	waiting func()

	coming chan piece // nil: nothing is read
	unread bytes.Reader
	err    error     // comes after unread
	spare  [2][]byte // one is read into while the other is unread
}

// piece is what one read has returned.
type piece struct {
	bytes []byte
	err   error
}

// Read returns what has been read ahead, and begins to read what follows it.
func (a *announced) Read(p []byte) (int, error) {
	for a.unread.Len() == 0 && a.err == nil {
		if a.coming == nil {
			a.begin()
		}
		got := a.await()
		a.unread.Reset(got.bytes)
		a.coming, a.err = nil, got.err
		if a.err == nil {
			a.begin()
		}
	}
	if a.unread.Len() == 0 {
		return 0, a.err
	}
	return a.unread.Read(p)
}

// begin reads into the buffer that is not in use.
func (a *announced) begin() {
	a.spare[0], a.spare[1] = a.spare[1], a.spare[0]
	if a.spare[0] == nil {
		a.spare[0] = make([]byte, aheadBytes)
	}
	coming, buffer := make(chan piece, 1), a.spare[0] // buffered: who reads may have stopped
	a.coming = coming
	go func() {
		n, err := a.in.Read(buffer)
		coming <- piece{buffer[:n], err}
	}()
}

// await returns what is read, and announces it if that is not there yet.
func (a *announced) await() piece {
	select {
	case got := <-a.coming:
		return got
	default:
	}
	a.waiting()
	return <-a.coming
}
