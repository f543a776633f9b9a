package httpapi

import "time"

// Addr returns the address that the server listens on, or "".
func (s *Server) Addr() string { return s.addr }

// Hurry sets the time limit of a request, before Start.
func (s *Server) Hurry(d time.Duration) {
	s.http.ReadTimeout = d
	s.http.WriteTimeout = d
}
