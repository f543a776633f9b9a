package console

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"bayestream/internal/core/fold"
)

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
	if !c.checked(w, queryOf(r)) {
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
			SameSite: http.SameSiteStrictMode, Secure: !c.local})
	}
	if c.local || s.Authorized || c.hasCookie(r) {
		c.describeModel(&s)
	}
	c.answer(w, s)
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

// strictJSON reads one JSON value, and refuses fields that are not known.
func strictJSON(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}
