package httpapi

import (
	"crypto/subtle"
	"errors"
	"fmt"
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

// badRequest refuses a request that is wrong by itself.
func badRequest(format string, args ...any) error {
	return Refusef(http.StatusBadRequest, "bad_request", format, args...)
}

// Refusef returns a *RefusedError.
func Refusef(status int, reason, format string, args ...any) error {
	return &RefusedError{status, reason, fmt.Sprintf(format, args...)}
}

// RefusalIn returns what an error refuses, nil if it refuses nothing. A *wire.Reject does.
func RefusalIn(err error) *RefusedError {
	if reject, ok := errors.AsType[*wire.Reject](err); ok {
		return &RefusedError{http.StatusBadRequest, string(reject.Reason), reject.Error()}
	}
	refused, _ := errors.AsType[*RefusedError](err)
	return refused
}

// Waiting for what becomes of a correction.
const (
	usualWait = 10 * time.Second
	maxWait   = 30 * time.Second // less than writeTimeout
)

// correct answers POST /v1/labels.
func (s *Server) correct(w http.ResponseWriter, r *http.Request) error {
	if s.options.Correct == nil {
		return Refusef(http.StatusNotFound, "not_offered", "this worker takes no labels: send them to one that runs "+
			"ingest, or to the console (docs/formats.md#labels-over-http)")
	}
	if err := s.mayAsk(w, r); err != nil {
		return err
	}
	if _, ok := bodyType(r, "application/json"); !ok {
		w.Header().Set("Accept-Post", "application/json")
		return Refusef(http.StatusUnsupportedMediaType, "bad_type", "the header Content-Type must be application/json")
	}
	wait, isNew, err := askedOf(r.URL)
	if err != nil {
		return err
	}
	body, room, err := s.readBody(w, r)
	defer room.Release()
	if err != nil {
		return err
	}
	correction, err := wire.ReadCorrection(body)
	if err != nil {
		return err
	}
	correction.New = isNew
	done, err := s.options.Correct(r.Context(), correction, wait)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if wait > 0 && done.Outcome == OutcomeWritten { // the time to wait was too short
		status = http.StatusAccepted
	}
	Answer(w, status, done)
	return nil
}

// mayAsk returns why a request may not be about single documents of the topics: it comes neither on
// loopback nor with the token.
func (s *Server) mayAsk(w http.ResponseWriter, r *http.Request) error {
	if s.options.Token == nil {
		if s.guard.Loopback {
			return nil
		}
		return Refusef(http.StatusForbidden, "no_token", "this worker listens on other addresses than loopback, where "+
			"labels and decisions need a token: start it with --http-token-file")
	}
	want, err := s.options.Token()
	if err != nil {
		return fmt.Errorf("the token cannot be read: %w", err)
	}
	if !HasToken(r, want) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return Refusef(http.StatusUnauthorized, "bad_token",
			"the header Authorization must be Bearer and the token of this worker")
	}
	return nil
}

// HasToken reports whether a request says the token: as Bearer, or as the password of a URL, which
// other programs send as Basic.
func HasToken(r *http.Request, token []byte) bool {
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if _, password, isBasic := r.BasicAuth(); isBasic {
		got = password
	} else if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(strings.TrimSpace(got)), token) == 1
}

// askedOf returns how long a request waits, 0 without the parameter wait, and whether it says new.
func askedOf(u *url.URL) (wait time.Duration, isNew bool, err error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return 0, false, badRequest("the query of the address cannot be read: want wait=10s, new, or nothing")
	}
	for name := range query {
		if name != "wait" && name != "new" {
			return 0, false, badRequest("unknown query parameter %q: want wait=10s, new, or nothing", name)
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
		return 0, badRequest("wait=%q: want a time above zero, of at most %s, like 10s", query.Get("wait"), maxWait)
	}
	return wait, nil
}
