package httpapi

import "time"

// Hurry shortens the time that a request may take, before Start.
func (s *Server) Hurry(d time.Duration) { s.http.ReadTimeout, s.http.WriteTimeout = d, d }
