package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// handler routes requests. Other methods on a known path get 405 from ServeMux.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics())
	mux.HandleFunc("GET /livez", s.livez)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /version", s.version)
	mux.HandleFunc("GET /v1/snapshot", s.sendSnapshot)
	mux.HandleFunc("GET /v1/digest", s.digest)
	mux.HandleFunc("GET /v1/model", s.model)
	mux.HandleFunc("GET /v1/worker", s.worker)
	mux.HandleFunc("POST /v1/classify", s.classify)
	mux.HandleFunc("POST /v1/labels", s.correct)
	mux.HandleFunc("GET /v1/decisions/{id...}", s.decision)
	mux.HandleFunc("GET /{$}", s.index)
	return s.guard(mux)
}

// metrics answers with the metrics that can be collected if others fail.
func (s *Server) metrics() http.Handler {
	if s.options.Metrics == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			Fail(w, http.StatusNotFound, "not_offered", "this worker keeps no metrics")
		})
	}
	return promhttp.HandlerFor(s.options.Metrics.Gatherer(), promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelError),
		EnableOpenMetrics: true, MaxRequestsInFlight: 4, Timeout: 10 * time.Second,
	})
}

func (s *Server) livez(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // fails only if the client is gone
}

func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	r := Readiness{Ready: true}
	if s.options.Ready != nil {
		r = s.options.Ready()
	}
	if r.Checks == nil {
		r.Checks = []Check{} // a list in JSON, not null
	}
	status := http.StatusOK
	if !r.Ready {
		status = http.StatusServiceUnavailable
	}
	Answer(w, status, r)
}

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	Answer(w, http.StatusOK, readVersion(s.options.Role, s.options.Version))
}

// Answer writes v in JSON, one line.
func Answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // fails only if the client is gone
}

// failure is the body of every error.
type failure struct {
	Error struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"error"`
}

// Fail answers with an error: its reason in one word, for programs, and a sentence.
func Fail(w http.ResponseWriter, status int, reason, message string) {
	var f failure
	f.Error.Reason = reason
	f.Error.Message = message
	Answer(w, status, f)
}

// trouble answers with an error of the worker. Only the text of ErrNotReady is sent: other errors
// may name files and hosts, and are logged.
func (s *Server) trouble(w http.ResponseWriter, r *http.Request, what string, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone, or the worker is stopping
	}
	if errors.Is(err, ErrNotReady) {
		w.Header().Set("Retry-After", "5")
		Fail(w, http.StatusServiceUnavailable, "not_ready", err.Error())
		return
	}
	s.log.Error(what, "error", err)
	Fail(w, http.StatusInternalServerError, "internal", what+"; the worker's log says why")
}
