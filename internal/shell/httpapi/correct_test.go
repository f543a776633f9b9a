package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
)

const spamOne = `{"id":"m-1","label":"spam"}`

// TestLabelsOutcomes: the answer says where the record stands and what became of it.
func TestLabelsOutcomes(t *testing.T) {
	var asked time.Duration
	var got wire.Correction
	done := httpapi.Corrected{ID: "m-1", Topic: "training", Partition: 1, Offset: 17, Outcome: httpapi.OutcomeWritten}
	url := serve(t, httpapi.Options{Correct: func(_ context.Context, c *wire.Correction, wait time.Duration) (httpapi.Corrected, error) {
		asked = wait
		got = *c
		return done, nil
	}}) + "/v1/labels"
	for _, c := range []struct {
		query, outcome, reason string
		wait                   time.Duration
		status                 int
	}{
		{"", httpapi.OutcomeWritten, "", 0, http.StatusOK},
		{"?wait", httpapi.OutcomeWritten, "", 10 * time.Second, http.StatusAccepted},
		{"?wait=3s", httpapi.OutcomeCounted, "", 3 * time.Second, http.StatusOK},
		{"?wait=3s", httpapi.OutcomeSkipped, "unknown_id", 3 * time.Second, http.StatusOK},
		{"?new&wait=3s", httpapi.OutcomeCounted, "", 3 * time.Second, http.StatusOK},
	} {
		done.Outcome = c.outcome
		done.Reason = c.reason
		r := ask(t, http.MethodPost, url+c.query, strings.NewReader(spamOne))
		want := `{"id":"m-1","topic":"training","partition":1,"offset":17,"outcome":"` + c.outcome + `"`
		if r.StatusCode != c.status || !strings.HasPrefix(r.body, want) || asked != c.wait || got.ID != "m-1" || got.Label != "spam" || got.New != strings.Contains(c.query, "new") {
			t.Errorf("%q: got %d %s after %v for %+v, want %d %s", c.query, r.StatusCode, r.body, asked, got, c.status, want)
		}
	}
}

// TestLabelsRefuses: what is wrong with a request is said before anything is written.
func TestLabelsRefuses(t *testing.T) {
	written := 0
	var problem error
	url := serve(t, httpapi.Options{Correct: func(context.Context, *wire.Correction, time.Duration) (httpapi.Corrected, error) {
		written++
		return httpapi.Corrected{}, problem
	}}) + "/v1/labels"
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, c := range map[string]struct {
		query, body string
		change      func(*http.Request)
		status      int
		reason      string
	}{
		"another type":   {body: spamOne, change: header("Content-Type", "text/plain"), status: 415, reason: "bad_type"},
		"a form":         {body: spamOne, change: header("Content-Type", "application/x-www-form-urlencoded"), status: 415, reason: "bad_type"},
		"another site":   {body: spamOne, change: header("Sec-Fetch-Site", "cross-site"), status: 403, reason: "cross_site"},
		"another origin": {body: spamOne, change: header("Origin", "https://evil.example"), status: 403, reason: "cross_site"},
		"another host":   {body: spamOne, change: func(r *http.Request) { r.Host = "evil.example" }, status: 403, reason: "unknown_host"},
		"a long wait":    {query: "?wait=1h", body: spamOne, status: 400, reason: "bad_request"},
		"no time":        {query: "?wait=soon", body: spamOne, status: 400, reason: "bad_request"},
		"a parameter":    {query: "?force", body: spamOne, status: 400, reason: "bad_request"},
		"no JSON":        {body: "spam", status: 400, reason: "not_json"},
		"no label":       {body: `{"id":"m-1"}`, status: 400, reason: "no_label"},
		"no document":    {body: `{"label":"spam"}`, status: 400, reason: "bad_id"},
		"a number":       {body: `{"id":"m-1","label":7}`, status: 400, reason: "bad_label"},
		"no place":       {body: `{"source":"training","label":"spam"}`, status: 400, reason: "bad_ref"},
	} {
		r := ask(t, http.MethodPost, url+c.query, strings.NewReader(c.body), func(r *http.Request) {
			if c.change != nil {
				c.change(r)
			}
		})
		if got := r.reason(t); r.StatusCode != c.status || got != c.reason {
			t.Errorf("%s: got %d %s, want %d %s", name, r.StatusCode, got, c.status, c.reason)
		}
	}
	if written != 0 {
		t.Errorf("%d were written", written)
	}
	problem = &httpapi.RefusedError{Status: http.StatusConflict, Reason: "no_id", Message: "it has no id"}
	ask(t, http.MethodPost, url, strings.NewReader(spamOne)).wantFailure(t, http.StatusConflict, "no_id")
	problem = errors.New("a secret of the worker")
	if r := ask(t, http.MethodPost, url, strings.NewReader(spamOne)); r.StatusCode != http.StatusInternalServerError || strings.Contains(r.body, "secret") {
		t.Errorf("got %d %s", r.StatusCode, r.body)
	}
	ask(t, http.MethodPost, serve(t, httpapi.Options{})+"/v1/labels", strings.NewReader(spamOne)).wantFailure(t, http.StatusNotFound, "not_offered")
}

// TestLabelsNeedAToken: beyond loopback nothing is written without a token, and nowhere with
// another one.
func TestLabelsNeedAToken(t *testing.T) {
	const token = "0123456789abcdef0123"
	correct := func(context.Context, *wire.Correction, time.Duration) (httpapi.Corrected, error) {
		return httpapi.Corrected{}, nil
	}
	reads := func() ([]byte, error) { return []byte(token), nil }
	bearer := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", value) }
	}
	everywhere := func(o httpapi.Options) string {
		o.Addr = "0.0.0.0:0"
		address := serve(t, o)
		return "http://127.0.0.1" + address[strings.LastIndex(address, ":"):] + "/v1/labels"
	}
	ask(t, http.MethodPost, everywhere(httpapi.Options{Correct: correct}), strings.NewReader(spamOne), bearer("Bearer "+token)).wantFailure(t, http.StatusForbidden, "no_token")
	for _, url := range []string{everywhere(httpapi.Options{Correct: correct, Token: reads}), serve(t, httpapi.Options{Correct: correct, Token: reads}) + "/v1/labels"} {
		for _, wrong := range []string{"", "Bearer", "Bearer " + token[1:], "Bearer " + token + "0", "Basic " + token} {
			ask(t, http.MethodPost, url, strings.NewReader(spamOne), bearer(wrong)).wantFailure(t, http.StatusUnauthorized, "bad_token")
		}
		if r := ask(t, http.MethodPost, url, strings.NewReader(spamOne), bearer("bearer "+token)); r.StatusCode != http.StatusOK {
			t.Errorf("with the token: %d %s", r.StatusCode, r.body)
		}
	}
	unread := func() ([]byte, error) { return nil, errors.New("no such file") }
	if r := ask(t, http.MethodPost, everywhere(httpapi.Options{Correct: correct, Token: unread}), strings.NewReader(spamOne), bearer("Bearer ")); r.StatusCode != http.StatusInternalServerError {
		t.Errorf("without the file of the token: %d", r.StatusCode)
	}
}

// TestDecisions: a decision is found by an id, whatever is in it, and by a place. It is asked for
// with the token of labels.
func TestDecisions(t *testing.T) {
	var asked string
	decision := func(id string) ([]byte, bool) {
		asked = id
		return []byte(`{"id":"m-1"}`), id != "unknown"
	}
	url := serve(t, httpapi.Options{Decision: decision}) + "/v1/decisions/"
	for path, id := range map[string]string{"m-1": "m-1", "documents/0/42": "documents/0/42", "documents%2F0%2F42": "documents/0/42", "%3C1%3F@x.example%3E": "<1?@x.example>", "a%20b": "a b"} {
		if r := ask(t, http.MethodGet, url+path, nil); r.StatusCode != http.StatusOK || r.body != `{"id":"m-1"}`+"\n" || asked != id || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %q for %q", path, r.StatusCode, r.body, asked)
		}
	}
	ask(t, http.MethodGet, url+"unknown", nil).wantFailure(t, http.StatusNotFound, "unknown_id")
	ask(t, http.MethodGet, url+"m-1?full=1", nil).wantFailure(t, http.StatusBadRequest, "bad_request")
	ask(t, http.MethodGet, url+"m-1", nil, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }).wantFailure(t, http.StatusForbidden, "cross_site")
	ask(t, http.MethodGet, serve(t, httpapi.Options{})+"/v1/decisions/m-1", nil).wantFailure(t, http.StatusNotFound, "not_offered")

	const token = "0123456789abcdef0123"
	reads := func() ([]byte, error) { return []byte(token), nil }
	secret := serve(t, httpapi.Options{Decision: decision, Token: reads}) + "/v1/decisions/m-1"
	ask(t, http.MethodGet, secret, nil).wantFailure(t, http.StatusUnauthorized, "bad_token")
	if r := ask(t, http.MethodGet, secret, nil, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }); r.StatusCode != http.StatusOK {
		t.Errorf("with the token: %d %s", r.StatusCode, r.body)
	}
	address := serve(t, httpapi.Options{Decision: decision, Addr: "0.0.0.0:0"})
	ask(t, http.MethodGet, "http://127.0.0.1"+address[strings.LastIndex(address, ":"):]+"/v1/decisions/m-1", nil).wantFailure(t, http.StatusForbidden, "no_token")
}
