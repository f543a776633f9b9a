package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// SASL authenticates the client to the brokers. The zero value does not. The files are read again
// for each connection, so that renewed ones need no restart.
type SASL struct {
	// Mechanism is plain, scram-sha-256, scram-sha-512 or oauthbearer in any
	// case; empty is no SASL.
	Mechanism string
	// Username is also the client's id at the token endpoint.
	Username string
	// Password, or the content of PasswordFile without the newline at its end;
	// one of them. It is also the client's secret at the token endpoint.
	Password     Secret
	PasswordFile string
	// TokenFile holds the token of oauthbearer, which another program renews.
	TokenFile string
	// TokenURL is the endpoint that returns tokens of oauthbearer for the
	// client's id and secret (OAuth 2 client credentials), in place of TokenFile.
	TokenURL string
	// TokenCommand prints a token of oauthbearer, in place of TokenFile. Its words are separated by
	// spaces; no shell reads them.
	TokenCommand string
	// Scope is the scope of the token to request; empty is the endpoint's default.
	Scope string
}

// Names of the SASL mechanisms, as Kafka spells them.
const (
	saslPlain    = "PLAIN"
	saslScram256 = "SCRAM-SHA-256"
	saslScram512 = "SCRAM-SHA-512"
	saslOAuth    = "OAUTHBEARER"
)

// Mechanisms lists the SASL mechanisms for messages.
const Mechanisms = "plain, scram-sha-256, scram-sha-512 or oauthbearer"

// Validate returns what is wrong with the configuration. It reads no files.
func (s SASL) Validate() error {
	switch strings.ToUpper(s.Mechanism) {
	case "":
		if s != (SASL{}) {
			return fmt.Errorf("SASL without a mechanism: set sasl to %s", Mechanisms)
		}
		return nil
	case saslPlain, saslScram256, saslScram512:
		if s.tokenSources() > 0 || s.Scope != "" {
			return fmt.Errorf("sasl %s has no token: the keys sasl-token-... and sasl-scope are for oauthbearer", s.Mechanism)
		}
		return s.validatePassword()
	case saslOAuth:
		return s.validateToken()
	}
	return fmt.Errorf("sasl: %q is not valid: want %s", s.Mechanism, Mechanisms)
}

// doubt says what may be wrong if a broker closes the connection.
func (s SASL) doubt() string {
	if s.Mechanism == "" {
		return "wants SASL (set sasl)"
	}
	return "refuses the SASL user"
}

func (s SASL) validatePassword() error {
	if s.Username == "" || s.Password == "" && s.PasswordFile == "" {
		return fmt.Errorf("sasl %s needs sasl-user, and sasl-password or sasl-password-file", s.Mechanism)
	}
	if s.Password != "" && s.PasswordFile != "" {
		return errors.New("sasl-password and sasl-password-file exclude each other: give one of them")
	}
	return nil
}

func (s SASL) tokenSources() (n int) {
	for _, source := range []string{s.TokenFile, s.TokenURL, s.TokenCommand} {
		if strings.TrimSpace(source) != "" {
			n++
		}
	}
	return n
}

func (s SASL) validateToken() error {
	switch {
	case s.tokenSources() != 1:
		return errors.New("sasl oauthbearer needs one of sasl-token-file, sasl-token-command and sasl-token-url")
	case s.TokenURL != "":
		return errors.Join(s.validatePassword(), checkTokenURL(s.TokenURL))
	case s.Username != "" || s.Password != "" || s.PasswordFile != "" || s.Scope != "":
		return errors.New("sasl-token-file and sasl-token-command go without sasl-user, a password and sasl-scope: " +
			"the token says who the client is")
	}
	return nil
}

// password returns the password, or what its file holds.
func (s SASL) password() (string, error) {
	if s.PasswordFile == "" {
		return s.Password.Reveal(), nil
	}
	return readSecret(s.PasswordFile)
}

// readSecret returns the content of a file without a newline at its end.
func readSecret(file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimRight(string(content), "\r\n")
	if secret == "" {
		return "", fmt.Errorf("read the secret: %s is empty", file)
	}
	return secret, nil
}

// refused returns the error of a user or token that the brokers refuse. reason is what they say
// about a token.
func (s SASL) refused(reason string) *AccessError {
	if strings.EqualFold(s.Mechanism, saslOAuth) {
		return &AccessError{
			Err:    fmt.Errorf("the brokers refuse the OAuth token (%s)", reason),
			Advice: "check that it has not expired, and that its issuer, audience and signature are what the brokers expect",
		}
	}
	return &AccessError{
		Err:    fmt.Errorf("the brokers refuse user %q with SASL %s", s.Username, strings.ToUpper(s.Mechanism)),
		Advice: "check sasl-user and its password, and that the brokers know this user for this mechanism",
	}
}

// login is the mechanism of kafka-go for a SASL configuration. It is safe for concurrent use.
type login struct {
	SASL
	tokens *tokens // of oauthbearer
}

func (s SASL) mechanism() sasl.Mechanism {
	if s.Mechanism == "" {
		return nil
	}
	return &login{SASL: s, tokens: &tokens{config: s}}
}

// Name implements sasl.Mechanism.
func (l *login) Name() string { return strings.ToUpper(l.Mechanism) }

// Start implements sasl.Mechanism.
func (l *login) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	if l.Name() == saslOAuth {
		return l.startBearer(ctx)
	}
	password, err := l.password()
	if err != nil {
		return nil, nil, &AccessError{Err: err, Advice: "name a file with the SASL password that this program can read"}
	}
	if l.Name() == saslPlain {
		return plain.Mechanism{Username: l.Username, Password: password}.Start(ctx)
	}
	algorithm := scram.SHA256
	if l.Name() == saslScram512 {
		algorithm = scram.SHA512
	}
	m, err := scram.Mechanism(algorithm, l.Username, password)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare SASL %s for user %q: %w", l.Name(), l.Username, err)
	}
	return m.Start(ctx)
}

// Secret is a string that fmt, loggers and encoders write as six asterisks, or as
// nothing if it is empty. Only Reveal returns it.
type Secret string

const asterisks = "******"

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns asterisks.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return asterisks
}

// Format writes asterisks for every verb, %x and %#v included.
func (s Secret) Format(f fmt.State, verb rune) {
	if verb == 'q' || verb == 'v' && f.Flag('#') {
		fmt.Fprintf(f, "%q", s.String())
		return
	}
	_, _ = io.WriteString(f, s.String())
}

// MarshalText writes asterisks, to JSON and YAML too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the secret itself.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(text)
	return nil
}

// LogValue logs asterisks.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
