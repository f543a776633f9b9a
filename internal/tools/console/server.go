package console

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
)

// maxBody is the size limit of a body in bytes.
const maxBody = 1 << 20

// ErrOpen says that an address beyond loopback needs TLS and a token.
var ErrOpen = errors.New("the console shows messages and takes corrections: beyond loopback it needs a certificate " +
	"(--addr-cert and --addr-key) and a token (--token-file)")

// opened returns what answers on a listener, once it has told the address to whom it is of use.
func (c *Console) opened(l net.Listener) (*http.Server, error) {
	server, err := c.server(l)
	if err == nil && c.options.Serving != nil {
		scheme := "http"
		if c.options.Cert != "" {
			scheme = "https"
		}
		err = c.options.Serving(scheme + "://" + openable(l.Addr()))
	}
	return server, err
}

// openable returns an address that a browser on this machine can open: not that of all interfaces.
func openable(a net.Addr) string {
	if tcp, is := a.(*net.TCPAddr); is && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return a.String()
}

// server returns what answers on a listener.
func (c *Console) server(l net.Listener) (*http.Server, error) {
	c.guard.Loopback = httpapi.OnLoopback(l.Addr())
	if !c.guard.Loopback && (c.options.Cert == "" || c.options.Token == nil) {
		return nil, ErrOpen
	}
	security := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.options.Cert != "" {
		pair, err := tls.LoadX509KeyPair(c.options.Cert, c.options.CertKey)
		if err != nil {
			return nil, fmt.Errorf("the console cannot use --addr-cert %s with --addr-key %s: %w", c.options.Cert,
				c.options.CertKey, err)
		}
		security.Certificates = []tls.Certificate{pair}
	}
	server := httpapi.Bounded(c.Handler(), slog.NewLogLogger(c.log.Handler(), slog.LevelDebug))
	server.TLSConfig = security
	return server, nil
}

func serve(s *http.Server, l net.Listener) error {
	if len(s.TLSConfig.Certificates) == 0 {
		return s.Serve(l)
	}
	return s.ServeTLS(l, "", "") // the certificate is in the configuration
}

// Handler returns what answers the requests of pages.
func (c *Console) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", httpapi.Live)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		httpapi.AnswerReady(w, c.checks(r.Context()))
	})
	mux.HandleFunc("GET /v1/session", c.session)
	for pattern, handler := range c.options.Routes {
		mux.HandleFunc(pattern, c.reading(handler.ServeHTTP))
	}
	for pattern, handle := range c.reads() {
		mux.HandleFunc("GET "+pattern, c.reading(handle))
	}
	mux.HandleFunc("POST /v1/try", c.reading(posted(c, c.try)))
	mux.HandleFunc("POST /v1/corrections", c.writing(posted(c, c.correct)))
	calls := httpapi.Known(mux, ": docs/console.md names the list of the calls")
	return c.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		if pattern != "" || c.options.Page == nil || strings.HasPrefix(r.URL.Path, "/v1/") {
			calls.ServeHTTP(w, r)
			return
		}
		c.options.Page.ServeHTTP(w, r)
	}))
}

// checks returns the checks of GET /readyz.
func (c *Console) checks(ctx context.Context) httpapi.Readiness {
	if c.options.Checks != nil {
		return c.options.Checks(ctx)
	}
	ready := c.ready.Load()
	detail := "the topics of the labels and of training are read"
	if !ready {
		detail = "the console is still reading the topics"
	}
	return httpapi.Readiness{Ready: ready, Checks: []httpapi.Check{{Name: "topics", OK: ready, Detail: detail}}}
}

// reads are the calls that change nothing.
func (c *Console) reads() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/v1/events": c.events, "/v1/stats": c.plain(c.stats), "/v1/history": c.asked(c.history),
		"/v1/message": c.asked(c.message), "/v1/corrections": c.asked(c.listCorrections), "/v1/review": c.asked(c.review),
		"/v1/quality": c.asked(c.quality), "/v1/model": c.plain(c.model), "/v1/model/classes/{class}": c.asked(c.class),
		"/v1/model/terms/{term}": c.plain(c.term), "/v1/model/numbers": c.plain(c.numbers),
	}
}

// asked answers with what a call returns. The call reads its query, and checks it.
func (c *Console) asked(call func(r *http.Request, q *query) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := call(r, queryOf(r))
		c.answer(w, r, http.StatusOK, out, err)
	}
}

// plain is asked for a call without parameters.
func (c *Console) plain(call func(r *http.Request) (any, error)) http.HandlerFunc {
	return c.asked(func(r *http.Request, q *query) (any, error) {
		if err := q.check(); err != nil {
			return nil, err
		}
		return call(r)
	})
}

// guarded guards every request, and says what its page may do.
func (c *Console) guarded(next http.Handler) http.Handler {
	next = c.guard.Wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// reading lets a call through that changes nothing: on loopback, or with the token or its cookie.
func (c *Console) reading(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !httpapi.IsOwn(r) {
			httpapi.Fail(w, http.StatusForbidden, "cross_site", "a page of another site sent this request")
			return
		}
		if !c.guard.Loopback && !c.authorized(r) && !c.hasCookie(r) {
			c.refuseToken(w)
			return
		}
		next(w, r)
	}
}

// writing lets a call through that changes something: with the token, unless the console is
// read-only.
func (c *Console) writing(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case c.options.ReadOnly:
			httpapi.Fail(w, http.StatusForbidden, "read_only", "this console was started with --read-only")
		case c.options.Token == nil:
			httpapi.Fail(w, http.StatusForbidden, "no_token",
				"this console has no token, so it takes no corrections: start it with --token-file")
		case !c.authorized(r):
			c.refuseToken(w)
		default:
			next(w, r)
		}
	}
}

func (c *Console) refuseToken(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	httpapi.Fail(w, http.StatusUnauthorized, "bad_token",
		"the header Authorization must be Bearer and the token of this console")
}

// authorized reports whether a request says the token.
func (c *Console) authorized(r *http.Request) bool {
	token, ok := c.token()
	return ok && httpapi.HasToken(r, token)
}

func (c *Console) token() ([]byte, bool) {
	if c.options.Token == nil {
		return nil, false
	}
	token, err := c.options.Token()
	if err != nil {
		c.log.Error("the token cannot be read", "error", err)
		return nil, false
	}
	return token, true
}

// posted answers with what a call returns for a body of JSON, within a limit.
func posted[T any](c *Console, call func(r *http.Request, body *T) (status int, out any, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := new(T)
		var status int
		var out any
		err := readBody(w, r, body)
		if err == nil {
			status, out, err = call(r, body)
		}
		c.answer(w, r, status, out, err)
	}
}

// readBody reads a body of JSON, one value, and refuses fields that are not known.
func readBody(w http.ResponseWriter, r *http.Request, into any) error {
	if name, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || name != "application/json" {
		return httpapi.Refusef(http.StatusUnsupportedMediaType, "bad_type",
			"the header Content-Type must be application/json")
	}
	if err := queryOf(r).check(); err != nil {
		return err
	}
	body, err := httpapi.ReadBody(w, r, maxBody)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err = d.Decode(into)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something follows the JSON value")
		}
	}
	if err != nil {
		return badRequest("the body: %v", err)
	}
	return nil
}

// answer answers, or says why not.
func (c *Console) answer(w http.ResponseWriter, r *http.Request, status int, out any, err error) {
	if err != nil {
		c.trouble(w, r, err)
		return
	}
	httpapi.Answer(w, status, out)
}

// trouble answers with an error.
func (c *Console) trouble(w http.ResponseWriter, r *http.Request, err error) {
	switch refused := httpapi.RefusalIn(err); {
	case r.Context().Err() != nil:
		panic(http.ErrAbortHandler) // the client is gone
	case refused != nil:
		httpapi.Fail(w, refused.Status, refused.Reason, refused.Message)
	case errors.Is(err, httpapi.ErrNotReady):
		w.Header().Set("Retry-After", "2")
		httpapi.Fail(w, http.StatusServiceUnavailable, "not_ready", err.Error())
	default:
		c.log.Error("a request failed", "path", r.URL.Path, "error", err)
		w.Header().Set("Retry-After", "5")
		httpapi.Fail(w, http.StatusServiceUnavailable, "trouble",
			"Kafka does not answer, or something else went wrong: the console's log says why")
	}
}

// sessionJSON is who asks and what that one may do.
type sessionJSON struct {
	Version       string            `json:"version"`
	Role          string            `json:"role"`
	TokenRequired bool              `json:"token_required"`
	Authorized    bool              `json:"authorized"`
	ReadOnly      bool              `json:"read_only"`
	Model         string            `json:"model"`
	Classes       []string          `json:"classes"`
	Hashed        bool              `json:"hashed"`
	Topics        sessionTopicsJSON `json:"topics"`
	Ready         bool              `json:"ready"`
	Detail        string            `json:"detail"`
	Keep          int               `json:"keep"`
}

// sessionTopicsJSON are the topics of the pipeline.
type sessionTopicsJSON struct {
	Model     string   `json:"model"`
	Training  []string `json:"training"`
	Documents []string `json:"documents"`
	Labels    []string `json:"labels"`
}

// session answers GET /v1/session. With the right token it sets the cookie by which a page reads
// beyond loopback. Beyond loopback it says nothing of the model without the token.
func (c *Console) session(w http.ResponseWriter, r *http.Request) {
	if err := queryOf(r).check(); err != nil {
		c.trouble(w, r, err)
		return
	}
	editor := !c.options.ReadOnly && c.options.Token != nil
	s := sessionJSON{
		Version: c.options.Version, Role: "reader", TokenRequired: true, Authorized: c.authorized(r), ReadOnly: !editor,
		Classes: []string{},
		Topics:  sessionTopicsJSON{Training: []string{}, Documents: []string{}, Labels: []string{}}, Ready: c.ready.Load(),
		Keep: c.options.Keep,
	}
	if editor {
		s.Role = "editor"
	}
	if !s.Ready {
		s.Detail = "the console is still reading the model log and the last decisions"
	}
	if token, ok := c.token(); ok && s.Authorized {
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: cookieOf(token), Path: "/v1/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode, Secure: !c.guard.Loopback})
	}
	if c.guard.Loopback || s.Authorized || c.hasCookie(r) {
		c.describeModel(&s)
	}
	httpapi.Answer(w, http.StatusOK, s)
}

// describeModel sets what a session says of the model and its topics.
func (c *Console) describeModel(s *sessionJSON) {
	t := c.options.Topics
	s.Topics = sessionTopicsJSON{Model: t.Model, Training: []string{t.Training}, Documents: []string{t.Documents},
		Labels: t.Labels}
	c.replica.Read(func(state *fold.State) {
		m := state.Model()
		if m == nil {
			return
		}
		s.Model = m.Spec().Name
		s.Classes = m.ClassNames()
	})
	if l, err := c.lens(); err == nil {
		s.Hashed = l.hashed
	}
}

const cookieName = "bayestream-console"

// cookieOf returns what the cookie says: it proves that the token was known, and does not tell it.
func cookieOf(token []byte) string {
	mac := hmac.New(sha256.New, token)
	_, _ = mac.Write([]byte(cookieName))
	return hex.EncodeToString(mac.Sum(nil))
}

// hasCookie reports whether a request has the cookie of the token.
func (c *Console) hasCookie(r *http.Request) bool {
	token, ok := c.token()
	if !ok {
		return false
	}
	cookie, err := r.Cookie(cookieName)
	return err == nil && hmac.Equal([]byte(cookie.Value), []byte(cookieOf(token)))
}
