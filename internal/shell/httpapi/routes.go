package httpapi

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/config/version"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// handler routes requests.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.options.Metrics.Gatherer(), promhttp.HandlerOpts{
		// the metrics that can be collected if others fail
		ErrorHandling: promhttp.ContinueOnError, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelError),
		EnableOpenMetrics: true, MaxRequestsInFlight: 4, Timeout: 10 * time.Second,
	}))
	mux.HandleFunc("GET /livez", Live)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { AnswerReady(w, s.options.Ready()) })
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		Answer(w, http.StatusOK, Version{version.Read(), s.options.Role})
	})
	mux.HandleFunc("GET /v1/snapshot", s.asked("the snapshot could not be made", s.sendSnapshot))
	mux.HandleFunc("GET /v1/digest", func(w http.ResponseWriter, _ *http.Request) {
		var d Digest
		s.options.State(func(state *fold.State) { d = NewDigest(state) })
		Answer(w, http.StatusOK, d)
	})
	mux.HandleFunc("GET /v1/model", s.model)
	mux.HandleFunc("GET /v1/worker", func(w http.ResponseWriter, _ *http.Request) {
		Answer(w, http.StatusOK, s.options.Worker())
	})
	mux.HandleFunc("POST /v1/classify", s.asked("the document could not be classified", s.classify))
	mux.HandleFunc("POST /v1/labels", s.asked("the label could not be written", s.correct))
	mux.HandleFunc("GET /v1/decisions/{id...}", s.asked("the decision could not be looked up", s.decision))
	mux.HandleFunc("GET /{$}", s.index)
	return s.guard.Wrap(s.awaited(Known(mux, ": GET / lists the calls")))
}

// asked answers with the error of a call. Only a refusal and the text of ErrNotReady are sent: other
// errors may name files and hosts, and are logged, with what has failed.
func (s *Server) asked(failed string, call func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := call(w, r)
		switch refused := RefusalIn(err); {
		case err == nil:
		case refused != nil:
			Fail(w, refused.Status, refused.Reason, refused.Message)
		case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
			panic(http.ErrAbortHandler) // the client is gone, or the worker is stopping
		case errors.Is(err, ErrNotReady):
			w.Header().Set("Retry-After", "5")
			Fail(w, http.StatusServiceUnavailable, "not_ready", err.Error())
		default:
			s.log.Error(failed, "error", err)
			Fail(w, http.StatusInternalServerError, "internal", failed+"; the worker's log says why")
		}
	}
}

// Known refuses other paths and methods, of which ServeMux says so in plain text, as errors are said.
// hint is what to do about a path that is not known.
func Known(mux *http.ServeMux, hint string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r) // which also sets the values of the path
			return
		}
		found := &refusal{ResponseWriter: w}
		answer.ServeHTTP(found, r)
		if found.status == http.StatusMethodNotAllowed {
			Fail(w, found.status, "bad_method", r.URL.Path+" takes "+w.Header().Get("Allow")+", not "+r.Method)
			return
		}
		Fail(w, http.StatusNotFound, "no_such_call", "there is no "+r.Method+" "+r.URL.Path+hint)
	})
}

// refusal keeps the status of an answer, and drops its text.
type refusal struct {
	http.ResponseWriter
	status int
}

// WriteHeader keeps the status.
func (f *refusal) WriteHeader(status int) { f.status = status }

// Write drops the text.
func (f *refusal) Write(b []byte) (int, error) { return len(b), nil }

// Live answers GET /livez.
func Live(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // fails only if the client is gone
}

// AnswerReady answers GET /readyz: with 503 unless all checks hold.
func AnswerReady(w http.ResponseWriter, r Readiness) {
	if r.Checks == nil {
		r.Checks = []Check{} // a list in JSON, not null
	}
	status := http.StatusOK
	if !r.Ready {
		status = http.StatusServiceUnavailable
	}
	Answer(w, status, r)
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

// Digest is the answer of GET /v1/digest. Workers that are at the same offset of the model log have
// the same digests, or one of them is wrong.
type Digest struct {
	Offset int64   `json:"offset"`           // of the last record that was folded; -1: none
	Counts string  `json:"counts"`           // 16 hexadecimal digits
	Ledger *string `json:"ledger,omitempty"` // of all ledgers; absent: the worker keeps none
}

// NewDigest returns the digest of a state.
func NewDigest(s *fold.State) Digest {
	counts, ledgers := s.Digests()
	d := Digest{Offset: s.Next() - 1, Counts: counts.String()}
	if s.KeepsLedger() {
		d.Ledger = new(ledgers.String())
	}
	return d
}

// decision answers GET /v1/decisions/{id}. What it says of a document is as private as a label: who
// may write labels may read it.
func (s *Server) decision(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if s.options.Decision == nil {
		return Refusef(http.StatusNotFound, "not_offered", "this worker makes no decisions: ask one that runs classify")
	}
	if !IsOwn(r) {
		return Refusef(http.StatusForbidden, "cross_site", "a page of another site asks for this decision: ask from a "+
			"program, or from a page of this worker's own address")
	}
	if err := s.mayAsk(w, r); err != nil {
		return err
	}
	if r.URL.RawQuery != "" {
		return badRequest("there are no query parameters: leave them out, the id is the end of the path")
	}
	decision, found := s.options.Decision(id)
	if !found {
		return Refusef(http.StatusNotFound, "unknown_id", "no recent decision of this worker is on a document %q: read the "+
			"labels topic, or ask the worker that decided", id)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(decision, '\n')) // fails only if the client is gone
	return nil
}

//go:embed index.html
var indexText string

var indexPage = template.Must(template.New("index").Parse(indexText))

// index answers with a page of all endpoints.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	var page bytes.Buffer
	err := indexPage.Execute(&page, struct {
		Version
		Classify, Correct, Decision bool
	}{
		Version{version.Read(), s.options.Role}, s.options.Classify != nil, s.options.Correct != nil,
		s.options.Decision != nil,
	})
	if err != nil {
		panic(err) // template and data are our own
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; "+
		"base-uri 'none'; form-action 'none'")
	_, _ = w.Write(page.Bytes()) // fails only if the client is gone
}

// Version is the answer of GET /version.
type Version struct {
	version.Info

	Role string `json:"role"`
}

// buildInfo is a series that is always 1, labelled with the running build.
func buildInfo(role string) prometheus.Collector {
	v := version.Read()
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, labelled with what is running.",
		ConstLabels: prometheus.Labels{"version": v.Version, "revision": v.Revision, "goversion": v.Go, "role": role},
	})
	g.Set(1)
	return g
}

// Worker is the answer of GET /v1/worker: what a worker works on, where its model file is, and its
// settings. No secret is in it.
type Worker struct {
	Role       string           `json:"role"`
	Group      string           `json:"group"`      // the consumer group
	Topic      string           `json:"topic"`      // that it reads
	Partitions []int            `json:"partitions"` // those that the group gave to it
	File       string           `json:"file"`       // absolute path of the model file
	FileBytes  *int64           `json:"file_bytes"` // null: there is none yet
	Checkpoint *Checkpoint      `json:"checkpoint"` // the last one; null: none was written yet
	Settings   []config.Setting `json:"settings"`
}

// Checkpoint is one of the model file.
type Checkpoint struct {
	AgeSeconds float64 `json:"age_seconds"`
	Rows       int     `json:"rows"`    // that had changed
	Seconds    float64 `json:"seconds"` // that it took
}
