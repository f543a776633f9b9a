package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/segmentio/kafka-go/sasl"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// checkTokenURL refuses an endpoint that would get the client's secret in plain text over a
// network.
func checkTokenURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return errors.New("the URL of the token endpoint is not valid: want https://HOST/PATH, without a user")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || IsExposed(u)) {
		return fmt.Errorf("the token endpoint at %s would get the secret of the client unencrypted: want https", u.Host)
	}
	return nil
}

// IsExposed reports whether what is sent to an address can be read on the way: it is plain HTTP, and
// not to this machine.
func IsExposed(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// tokens returns tokens of oauthbearer: those of a file, or of an endpoint or a command, which are
// kept while they are valid.
type tokens struct {
	config SASL
	mutex  sync.Mutex
	kept   *oauth2.Token
}

// tokenTimeout bounds a request to the token endpoint, and a run of the command.
const tokenTimeout = 10 * time.Second

func (t *tokens) get(ctx context.Context) (string, error) {
	if t.config.TokenFile != "" {
		return readSecret(t.config.TokenFile)
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.kept.Valid() {
		return t.kept.AccessToken, nil
	}
	var token *oauth2.Token
	var err error
	if t.config.TokenCommand != "" {
		token, err = runTokenCommand(ctx, t.config.TokenCommand)
	} else {
		token, err = t.request(ctx)
	}
	if err != nil {
		return "", err
	}
	t.kept = token
	return token.AccessToken, nil
}

func (t *tokens) request(ctx context.Context) (*oauth2.Token, error) {
	secret, err := t.config.password()
	if err != nil {
		return nil, err
	}
	request := clientcredentials.Config{ClientID: t.config.Username, ClientSecret: secret, TokenURL: t.config.TokenURL}
	if t.config.Scope != "" {
		request.Scopes = []string{t.config.Scope}
	}
	client := &http.Client{Timeout: tokenTimeout}
	token, err := request.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err != nil {
		return nil, explainToken(err)
	}
	return token, nil
}

// forget drops a token that a broker refuses, whatever its end: it was taken back, or the clock of
// this machine is wrong.
func (t *tokens) forget(token string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.kept != nil && t.kept.AccessToken == token {
		t.kept = nil
	}
}

// explainToken leaves out what the endpoint wrote, which is of any length and not for a log.
func explainToken(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil {
		return fmt.Errorf("the token endpoint answers %s %q", refused.Response.Status, refused.ErrorCode)
	}
	return err
}

// startBearer begins the exchange of oauthbearer (RFC 7628).
func (l *login) startBearer(ctx context.Context) (sasl.StateMachine, []byte, error) {
	token, err := l.tokens.get(ctx)
	if errors.As(err, new(net.Error)) || ctx.Err() != nil {
		return nil, nil, fmt.Errorf("get a token: %w", err)
	}
	if err != nil {
		return nil, nil, &AccessError{Err: fmt.Errorf("get a token: %w", err),
			Advice: "check the file of the token, its command, or the URL, user and password for the token endpoint"}
	}
	return bearer{l, token}, []byte("n,,\x01auth=Bearer " + token + "\x01\x01"), nil
}

// bearer is the state of one exchange of oauthbearer.
type bearer struct {
	login *login
	token string
}

// Next implements sasl.StateMachine. The broker answers a token that it takes with nothing, another
// one with a reason.
func (b bearer) Next(_ context.Context, reason []byte) (done bool, response []byte, err error) {
	if len(reason) == 0 {
		return true, nil, nil
	}
	b.login.tokens.forget(b.token)
	const longest = 200
	return false, nil, b.login.refused(fmt.Sprintf("%.*q", longest, reason))
}
