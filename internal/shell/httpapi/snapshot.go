package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// ledgerHeader is the header that says whether a snapshot holds the ledgers, which ingest needs to
// start from it.
const ledgerHeader = "Bayestream-Ledger"

// pace is how fast a reader must read, or is disconnected: others wait. A deadline moves with each
// piece of progress, so that one who stops reading is noticed however much the buffers between
// still take, and the whole has a time as well, so that one who reads a little now and then does
// not hold the slot.
type pace struct {
	piece  int64         // bytes that must be taken within stall
	stall  time.Duration // how long nothing may go on
	excess time.Duration // beyond the time that the bytes so far take at rate
	rate   int64         // bytes a second, on the average
}

// usualPace is half a MiB a second, which is a file of 66 MB in two and a half minutes, and never
// less than 85 KiB.
var usualPace = pace{piece: 256 << 10, stall: 3 * time.Second, excess: 15 * time.Second, rate: 512 << 10}

// deadline returns until when the piece behind the first n bytes must be taken.
func (p pace) deadline(start, now time.Time, n int64) time.Time {
	whole := start.Add(p.excess + time.Duration(float64(n+p.piece)/float64(p.rate)*float64(time.Second)))
	next := now.Add(p.stall)
	if whole.Before(next) {
		return whole
	}
	return next
}

// sendSnapshot sends a copy of the model file, one at a time: each needs the size of the file on
// disk.
func (s *Server) sendSnapshot(w http.ResponseWriter, r *http.Request) error {
	switch {
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		return Refusef(http.StatusMethodNotAllowed, "bad_method", "a copy is only made to be sent: use GET")
	case !IsOwn(r):
		return Refusef(http.StatusForbidden, "cross_site", "a page of another site asks for a snapshot, which is a copy of "+
			"the whole model: open its address directly")
	case !s.copying.TryLock():
		w.Header().Set("Retry-After", "10")
		return Refusef(http.StatusTooManyRequests, "busy", "another snapshot is being made or sent: try again later")
	}
	unlock := sync.OnceFunc(s.copying.Unlock)
	defer unlock()
	control := http.NewResponseController(w)
	// Copying a large file takes long, and sending has a deadline for each chunk. The deadline for
	// reading would end the context of the request, although the request is read.
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
		return err
	}
	file, ledger, err := s.options.Snapshot(r.Context())
	if err != nil {
		return err
	}
	release := sync.OnceFunc(func() {
		s.discard(file)
		unlock()
	})
	defer release()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "bayestream-"+s.options.Role+".db"))
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set(ledgerHeader, strconv.FormatBool(ledger))
	if err := send(w, control, file, info.Size(), s.pace, release); err != nil {
		s.log.Warn("a snapshot was not sent completely", "to", r.RemoteAddr, "error", err)
		panic(http.ErrAbortHandler) // the reader must see that the file is incomplete
	}
	return nil
}

// send sends a file of a size. It calls release before the last piece goes: whoever has the whole
// file can ask for the next one, and finds nothing left of this one.
func send(w io.Writer, control *http.ResponseController, file io.Reader, size int64, p pace, release func()) error {
	start := time.Now()
	sent := int64(0)
	for ; size-sent > p.piece; sent += p.piece {
		if err := control.SetWriteDeadline(p.deadline(start, time.Now(), sent)); err != nil {
			return err
		}
		if _, err := io.CopyN(w, file, p.piece); err != nil {
			return err
		}
	}
	last := make([]byte, size-sent)
	if _, err := io.ReadFull(file, last); err != nil {
		return err
	}
	release()
	if err := control.SetWriteDeadline(p.deadline(start, time.Now(), sent)); err != nil {
		return err
	}
	if _, err := w.Write(last); err != nil {
		return err
	}
	return control.SetWriteDeadline(p.deadline(start, time.Now(), size)) // for what is still in the buffer
}

// discard removes the copy, sent or not.
func (s *Server) discard(file *os.File) {
	if err := file.Close(); err != nil {
		s.log.Warn("the copy of a snapshot did not close", "error", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		s.log.Warn("the copy of a snapshot stays on disk", "error", err)
	}
}
