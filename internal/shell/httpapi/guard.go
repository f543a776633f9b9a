package httpapi

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
)

// Guard keeps pages of other sites away from a server, and a bug of a handler from its process.
type Guard struct {
	Who      string // serves, in errors: worker, or console
	Loopback bool   // only this machine can connect
	Host     string // as configured
	Log      *slog.Logger
	origins  http.CrossOriginProtection
}

// Wrap guards all requests: it refuses foreign hosts, and what may change something if a page of
// another site sends it (Sec-Fetch-Site, else Origin), and turns a panic into a 500.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tracked := &tracker{ResponseWriter: w}
		defer func() {
			if cause := recover(); cause != nil {
				g.failed(tracked, r, cause)
			}
		}()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case g.Loopback && !isOwnHost(r.Host, g.Host):
			Fail(tracked, http.StatusForbidden, "unknown_host",
				"this "+g.Who+" listens on loopback and answers to an IP address, localhost or its own host only")
		case g.origins.Check(r) != nil:
			Fail(tracked, http.StatusForbidden, "cross_site", "a page of another site sent this request: ask from a "+
				"program, or from a page of this "+g.Who+"'s own address")
		default:
			next.ServeHTTP(tracked, r)
		}
	})
}

// awaited keeps Shutdown waiting for requests.
func (s *Server) awaited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.working.RLock()
		defer s.working.RUnlock()
		if s.closed {
			Fail(w, http.StatusServiceUnavailable, "stopping", "the worker is stopping")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOwnHost reports whether the header Host of a request to a server on loopback names this
// machine: by an address, as localhost, or as own. That of a request from a page of a foreign site,
// whose name resolves to loopback, does not: a page can neither choose nor omit the header. A
// health check with HTTP/1.0 may omit it.
func isOwnHost(hostPort, own string) bool {
	host := hostPort
	if h, _, err := net.SplitHostPort(hostPort); err == nil {
		host = h
	}
	host = strings.TrimSuffix(host, ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	return host == "" || strings.EqualFold(host, "localhost") || strings.EqualFold(host, own)
}

// IsOwn reports whether a request that changes nothing, but costs, is not from a page of another
// site. Browsers say so; other programs do not send the header.
func IsOwn(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return false
}

// failed answers a request whose handler panicked.
func (g *Guard) failed(w *tracker, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { // as net/http compares it
		panic(cause)
	}
	g.Log.Error("a request failed by a bug, please report it", "method", r.Method, "path", r.URL.Path, "panic", cause,
		"stack", string(debug.Stack()))
	if w.begun {
		panic(http.ErrAbortHandler) // abort the connection, or half an answer looks complete
	}
	Fail(w, http.StatusInternalServerError, "internal", "the "+g.Who+" failed to answer; its log says why")
}

// tracker records whether an answer has begun.
type tracker struct {
	http.ResponseWriter
	begun bool
}

// WriteHeader begins the answer.
func (t *tracker) WriteHeader(status int) {
	t.begun = true
	t.ResponseWriter.WriteHeader(status)
}

// Write begins the answer.
func (t *tracker) Write(b []byte) (int, error) {
	t.begun = true
	return t.ResponseWriter.Write(b)
}

// ReadFrom begins the answer; a file is sent by the kernel.
func (t *tracker) ReadFrom(r io.Reader) (int64, error) {
	t.begun = true
	return io.Copy(t.ResponseWriter, r)
}

// Unwrap is for http.ResponseController.
func (t *tracker) Unwrap() http.ResponseWriter { return t.ResponseWriter }
