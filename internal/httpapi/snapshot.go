package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

// ledgerHeader is the header that says whether a snapshot holds the ledgers, which ingest needs to start from it.
const ledgerHeader = "Bayestream-Ledger"

// A reader of a snapshot must read chunk bytes in chunkTime, 35 kB a second, or is disconnected: others wait.
const (
	chunk     = 1 << 20
	chunkTime = 30 * time.Second
)

// sendSnapshot sends a copy of the model file, one at a time: each needs the size of the file on disk.
func (s *Server) sendSnapshot(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.options.Snapshot == nil:
		fail(w, http.StatusNotFound, "not_offered", "this worker has no model file to copy")
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		fail(w, http.StatusMethodNotAllowed, "bad_method", "a copy is only made to be sent: use GET")
		return
	case !s.copying.TryLock():
		w.Header().Set("Retry-After", "10")
		fail(w, http.StatusTooManyRequests, "busy", "another snapshot is being made or sent: try again later")
		return
	}
	defer s.copying.Unlock()
	control := http.NewResponseController(w)
	// Copying a large file takes long, and sending has a deadline for each chunk. The deadline for reading would end
	// the context of the request, although the request is read.
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
		s.trouble(w, r, "the snapshot could not be prepared", err)
		return
	}
	file, ledger, err := s.options.Snapshot(r.Context())
	if err != nil {
		s.trouble(w, r, "the snapshot could not be made", err)
		return
	}
	defer s.discard(file)
	info, err := file.Stat()
	if err != nil {
		s.trouble(w, r, "the snapshot could not be read", err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "bayestream-"+s.options.Role+".db"))
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set(ledgerHeader, strconv.FormatBool(ledger))
	if err := send(w, control, file, info.Size()); err != nil {
		s.log.Warn("a snapshot was not sent completely", "to", r.RemoteAddr, "error", err)
		panic(http.ErrAbortHandler) // the reader must see that the file is incomplete
	}
}

func send(w io.Writer, control *http.ResponseController, file io.Reader, size int64) error {
	for left := size; left > 0; left -= chunk {
		if err := control.SetWriteDeadline(time.Now().Add(chunkTime)); err != nil {
			return err
		}
		if _, err := io.CopyN(w, file, min(left, chunk)); err != nil {
			return err
		}
	}
	return nil
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
