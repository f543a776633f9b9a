package classify

import (
	"context"
	"sync/atomic"
	"unsafe"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/stream"
)

// expectation is how much larger an answer is than its document. It rises at once with an answer
// that is larger, and falls slowly. 0: no answer was made yet.
type expectation struct{ bytes atomic.Int64 }

// expect returns how many bytes the answer to a document of a size is expected to take. Before the
// first it is all that there are: the first answer of a process goes alone.
func (c *classifier) expect(document int) int {
	return c.expected.of(document, c.memory.Share(budget.Answers))
}

// of returns how many bytes the answer to a document of a size is expected to take; unknown before
// the first.
func (e *expectation) of(document, unknown int) int {
	above := e.bytes.Load()
	if above == 0 {
		return unknown
	}
	return document + int(above)
}

// note notes how large an answer is.
func (e *expectation) note(document, answer int) {
	const decay = 64
	above := max(1, int64(answer-document))
	if before := e.bytes.Load(); above < before {
		above = before - (before-above)/decay
	}
	e.bytes.Store(above)
}

// answerSize is about what an answer takes beside its bytes: itself, and its headers.
const answerSize = int(unsafe.Sizeof(answer{})) + 8*int(unsafe.Sizeof(stream.Header{}))

// place returns where the next answer of so many bytes is appended: what is full stays where it is,
// because answers point into it.
func place(buf []byte, bytes int) []byte {
	const usual = 256 << 10
	if cap(buf)-len(buf) >= min(bytes, usual) {
		return buf
	}
	return make([]byte, 0, max(min(atOnce*bytes, usual), min(bytes, 16*usual)))
}

// scratch is where the answers of a chunk are made. The garbage collector takes one that nobody
// needs.
type scratch struct {
	answers []answer
	buffers [][]byte // of the lanes; the answers point into them
	sorted  []routed // answers that are no dead letters, by topic
}

// makePlace makes place for n answers by so many lanes.
func (s *scratch) makePlace(n, lanes int) {
	for len(s.answers) < n {
		s.answers = append(s.answers, answer{})
	}
	for len(s.buffers) < lanes {
		s.buffers = append(s.buffers, nil)
	}
	for i := range s.buffers {
		s.buffers[i] = s.buffers[i][:0]
	}
}

// clear drops what n answers point to.
func (s *scratch) clear(n int) {
	for i := range s.answers[:min(n, len(s.answers))] {
		headers := s.answers[i].record.Headers
		clear(headers)
		s.answers[i] = answer{record: stream.Record{Headers: headers[:0]}}
	}
	for i := range s.sorted {
		clear(s.sorted[i].records)
	}
}

// lanes serve all partitions. Each has scratch as large as the model has classes and as the
// largest document, so there are as many as can work at the same time.
type lanes struct{ free chan *lane }

func newLanes(n int) lanes {
	l := lanes{make(chan *lane, n)}
	for range n {
		l.free <- nil // it is made for the first spec
	}
	return l
}

// take waits for a lane, and takes up to n if others are free.
func (l lanes) take(ctx context.Context, n int) (taken []*lane, err error) {
	select {
	case first := <-l.free:
		taken = append(taken, first)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	for len(taken) < n {
		select {
		case other := <-l.free:
			taken = append(taken, other)
		default:
			return taken, nil
		}
	}
	return taken, nil
}

func (l lanes) give(taken []*lane) {
	for _, lane := range taken {
		l.free <- lane
	}
}
