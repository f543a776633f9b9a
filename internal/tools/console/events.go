package console

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
)

// Bounds on streams of events.
const (
	mostStreams = 2000
	streamEach  = 100 * time.Millisecond // between two writes
	aliveEach   = 10 * time.Second
	slowTime    = 20 * time.Second // for a reader to take what was written
	mostRate    = 100
)

// eventStream is what one reader of GET /v1/events is sent.
type eventStream struct {
	c       *Console
	filter  filter
	rate    float64 // events a second, at most
	next    int64   // number of the decision to look at next
	credit  float64 // events that may be sent now
	skipped int64   // matches passed over since the event before
	buffer  bytes.Buffer
}

// events answers GET /v1/events. A stream holds no queue: it remembers how far it has looked, and
// looks at the decisions that the console remembers anyway. So a slow reader costs nothing more and
// misses what it has no time for.
func (c *Console) events(w http.ResponseWriter, r *http.Request) {
	q := queryOf(r)
	s := &eventStream{c: c, filter: filterOf(q), rate: float64(q.integer("rate", 30, 1, mostRate))}
	last := q.integer("last", usualPage, 0, mostPage)
	if err := q.check(); err != nil {
		c.trouble(w, r, err)
		return
	}
	if c.streams.Add(1) > mostStreams {
		c.streams.Add(-1)
		w.Header().Set("Retry-After", "5")
		httpapi.Fail(w, http.StatusTooManyRequests, "too_many",
			"as many streams of events are open as the console serves: close other pages, or start another console")
		return
	}
	defer c.streams.Add(-1)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // as with the one to write
	first := s.begin(r.Header.Get("Last-Event-ID"), int(last))
	soon, cancel := context.WithTimeout(r.Context(), describeTime)
	c.describe(soon, first, describeAsks)
	cancel()
	s.run(w, r)
}

// begin sets where the stream begins, behind the event that the reader had last or before the last
// decisions that match, and returns these.
func (s *eventStream) begin(after string, last int) (first []*entry) {
	m := s.c.memory
	m.mu.RLock()
	defer m.mu.RUnlock()
	if number, err := strconv.ParseInt(after, 10, 64); err == nil && number >= m.oldest()-1 && number < m.next {
		s.next = number + 1
		s.credit = s.rate
		return nil
	}
	s.next = m.next
	s.credit = s.rate + float64(last)
	for number := m.next - 1; number >= m.oldest() && last > 0; number-- {
		if e := m.at(number); s.filter.matches(e) {
			s.next = number
			first = append(first, e)
			last--
		}
	}
	return first
}

// run sends events until the reader is gone, or too slow.
func (s *eventStream) run(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	alive := time.NewTicker(aliveEach)
	defer alive.Stop()
	s.buffer.WriteString(": alive\n\n")
	for {
		changed := s.collect()
		if s.buffer.Len() > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(slowTime)) // a writer without deadlines is one of a test
			if _, err := w.Write(s.buffer.Bytes()); err != nil {
				return
			}
			if err := control.Flush(); err != nil {
				return
			}
			s.buffer.Reset()
		}
		if !stream.Sleep(r.Context(), streamEach) {
			return
		}
		s.credit = min(max(s.credit, 0)+s.rate*streamEach.Seconds(), s.rate)
		select {
		case <-changed:
		case <-alive.C:
			s.buffer.WriteString(": alive\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// collect writes the events that may be sent now to the buffer, and returns what is closed when
// there are more decisions.
func (s *eventStream) collect() <-chan struct{} {
	m := s.c.memory
	m.mu.RLock()
	defer m.mu.RUnlock()
	if lost := m.oldest() - s.next; lost > 0 {
		s.skipped += lost
		s.next = m.oldest()
	}
	matching := make([]*entry, 0, 64)
	for ; s.next < m.next; s.next++ {
		if e := m.at(s.next); s.filter.matches(e) {
			matching = append(matching, e)
		}
	}
	send := min(len(matching), int(s.credit))
	if send < len(matching) {
		s.c.meter.thinned(time.Now())
	}
	done := 0
	for i := range send { // evenly, the newest among them
		at := (i+1)*len(matching)/send - 1
		s.skipped += int64(at - done)
		done = at + 1
		s.write(matching[at])
	}
	s.skipped += int64(len(matching) - done)
	s.credit -= float64(send)
	return m.changed
}

// write adds an event to the buffer.
func (s *eventStream) write(e *entry) {
	d := e.decisionJSON
	d.Skipped = s.skipped
	s.skipped = 0
	s.buffer.WriteString("id: " + strconv.FormatInt(e.Number, 10) + "\ndata: ")
	if err := json.NewEncoder(&s.buffer).Encode(d); err != nil {
		panic(err) // plain data
	}
	s.buffer.WriteByte('\n') // Encode ended the line
}
