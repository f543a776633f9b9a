package httpapi

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bayestream/internal/shell/wire"
)

// The outcomes of a correction.
const (
	OutcomeWritten = "written" // it is durable, and nothing more is known yet
	OutcomeCounted = "counted"
	OutcomeSkipped = "skipped"
)

// Corrected says where a correction was written, and what became of it.
type Corrected struct {
	ID        string `json:"id"`
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`
	Outcome   string `json:"outcome"`
	Reason    string `json:"reason,omitempty"` // for which it was skipped
}

// RefusedError is what a client must change, or send elsewhere.
type RefusedError struct {
	Status  int
	Reason  string // in one word
	Message string
}

// Error returns the message.
func (e *RefusedError) Error() string { return e.Message }

// Waiting for what becomes of a correction.
const (
	usualWait = 10 * time.Second
	maxWait   = 30 * time.Second // less than writeTimeout
)

// correct answers POST /v1/labels.
func (s *Server) correct(w http.ResponseWriter, r *http.Request) {
	if s.options.Correct == nil {
		Fail(w, http.StatusNotFound, "not_offered", "this worker takes no labels: send them to one that runs ingest, or to "+
			"the console (docs/formats.md#labels-over-http)")
		return
	}
	if !s.mayAsk(w, r) {
		return
	}
	if name, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || name != "application/json" {
		w.Header().Set("Accept-Post", "application/json")
		Fail(w, http.StatusUnsupportedMediaType, "bad_type", "the header Content-Type must be application/json")
		return
	}
	wait, isNew, err := askedOf(r.URL)
	if err != nil {
		Fail(w, http.StatusBadRequest, "bad_request", err.Error())
		return
	}
	body, room, ok := s.readBody(w, r)
	defer room.Release()
	if !ok {
		return
	}
	correction, err := wire.ReadCorrection(body)
	var done Corrected
	if err == nil {
		correction.New = isNew
		done, err = s.options.Correct(r.Context(), correction, wait)
	}
	s.answerCorrection(w, r, done, wait, err)
}

// answerCorrection answers with what became of a correction: 202 if the time to wait was too short.
func (s *Server) answerCorrection(w http.ResponseWriter, r *http.Request, done Corrected, wait time.Duration,
	err error) {
	var reject *wire.Reject
	var refused *RefusedError
	switch {
	case errors.As(err, &reject):
		Fail(w, http.StatusBadRequest, string(reject.Reason), reject.Error())
	case errors.As(err, &refused):
		Fail(w, refused.Status, refused.Reason, refused.Message)
	case err != nil:
		s.trouble(w, r, "the label could not be written", err)
	case wait > 0 && done.Outcome == OutcomeWritten:
		Answer(w, http.StatusAccepted, done)
	default:
		Answer(w, http.StatusOK, done)
	}
}

// mayAsk reports whether a request may be about single documents of the topics: on loopback, or
// with the token. It answers one that may not.
func (s *Server) mayAsk(w http.ResponseWriter, r *http.Request) bool {
	if s.options.Token == nil {
		if s.loopback {
			return true
		}
		Fail(w, http.StatusForbidden, "no_token", "this worker listens on other addresses than loopback, where labels and "+
			"decisions need a token: start it with --http-token-file")
		return false
	}
	want, err := s.options.Token()
	if err != nil {
		s.trouble(w, r, "the token cannot be read", err)
		return false
	}
	if !HasToken(r, want) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		Fail(w, http.StatusUnauthorized, "bad_token", "the header Authorization must be Bearer and the token of this worker")
		return false
	}
	return true
}

// HasToken reports whether a request says a token in its header Authorization. It takes as long for
// a wrong one.
func HasToken(r *http.Request, token []byte) bool {
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(got)), token) == 1
}

// askedOf returns how long a request waits, 0 without the parameter wait, and whether it says new.
func askedOf(u *url.URL) (wait time.Duration, isNew bool, err error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return 0, false, errors.New("the query of the address cannot be read: want wait=10s, new, or nothing")
	}
	for name := range query {
		if name != "wait" && name != "new" {
			return 0, false, fmt.Errorf("unknown query parameter %q: want wait=10s, new, or nothing", name)
		}
	}
	if query.Has("wait") {
		wait, err = waitOf(query)
	}
	return wait, query.Has("new"), err
}

func waitOf(query url.Values) (time.Duration, error) {
	if query.Get("wait") == "" {
		return usualWait, nil
	}
	wait, err := time.ParseDuration(query.Get("wait"))
	if err != nil || wait <= 0 || wait > maxWait {
		return 0, fmt.Errorf("wait=%q: want a time above zero, of at most %s, like 10s", query.Get("wait"), maxWait)
	}
	return wait, nil
}
