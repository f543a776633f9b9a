package httpapi

import "time"

// Start returns a server that listens.
func Start(o Options) (*Server, error) {
	o.Metrics = NewMetrics(Ingest)
	s := New(o)
	_, err := s.Start()
	return s, err
}

// Pace sets how long a reader of a snapshot may stop reading, before Start.
func (s *Server) Pace(stall time.Duration) { s.pace.stall = stall }

// RoomTime sets how long a request waits for room for its body, before Start.
func (s *Server) RoomTime(d time.Duration) { s.roomTime = d }

// Deadline returns how long after the start a reader must have taken the piece behind the first n
// bytes, if it took them in the time passed.
func Deadline(passed time.Duration, n int64) time.Duration {
	start := time.Unix(0, 0)
	return usualPace.deadline(start, start.Add(passed), n).Sub(start)
}

// Addr returns the address that the server listens on, or "".
func (s *Server) Addr() string { return s.addr }

// Hurry sets the time limit of a request, before Start.
func (s *Server) Hurry(d time.Duration) {
	s.http.ReadTimeout = d
	s.http.WriteTimeout = d
}
