package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"bayestream/internal/shell/wire"
)

// Log is a file of finished points, as JSON lines. A nil Log is empty and ignores additions.
type Log struct {
	mutex sync.Mutex
	file  *os.File
	found map[string]entry
}

// entry is a line of the log.
type entry struct {
	Documents string `json:"documents"` // fingerprint of the counted documents and their division
	Scoring   string `json:"scoring"`   // both fingerprints of the spec
	Result
}

// OpenLog opens or creates a log. It removes an incomplete last line, as a crash may leave.
func OpenLog(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of tune: %w", err)
	}
	l := &Log{file: f, found: map[string]entry{}}
	if err := l.read(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *Log) read(path string) error {
	text, err := io.ReadAll(l.file)
	if err != nil {
		return fmt.Errorf("read the log of tune: %w", err)
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	for i, line := range bytes.Split(text[:whole], []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil || e.Documents == "" {
			return &wire.LineError{File: path, Line: int64(i) + 1,
				Err: errors.New("want a finished point of a grid as JSON: this is no log of eval --grid, or it is damaged")}
		}
		l.found[e.Documents+e.Scoring] = e
	}
	if err := l.file.Truncate(int64(whole)); err != nil {
		return fmt.Errorf("repair the log of tune: %w", err)
	}
	_, err = l.file.Seek(int64(whole), io.SeekStart)
	return err
}

// find sets the scores of r if the log has them.
func (l *Log) find(documents string, r *Result) bool {
	if l == nil {
		return false
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	e, ok := l.found[documents+scoring(r)]
	ok = ok && (!r.fit || r.takeTemper(e.Point))
	if ok {
		r.Accuracy = e.Accuracy
		r.MacroF1 = e.MacroF1
		r.LogLoss = e.LogLoss
		r.Spread = e.Spread
		r.Problem = e.Problem
		r.Logged = true
	}
	return ok
}

// add adds the scores of r, which is known by what scoring returned before it was evaluated.
func (l *Log) add(documents, scoring string, r *Result) error {
	if l == nil {
		return nil
	}
	line, err := json.Marshal(entry{Documents: documents, Scoring: scoring, Result: *r})
	if err != nil {
		return fmt.Errorf("log of tune: %w", err)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the log of tune: %w", err)
	}
	return nil
}

// scoring returns both fingerprints of the spec of a result, and that its temper is to be found.
func scoring(r *Result) string {
	counting, scoring := r.spec.Counting(), r.spec.Scoring()
	if r.fit {
		return fmt.Sprintf("%x%x %s=%s", counting[:], scoring[:], temperPath, auto)
	}
	return fmt.Sprintf("%x%x", counting[:], scoring[:])
}

// Close closes the file.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
