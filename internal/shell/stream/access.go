package stream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"
)

// AccessError says that the client and a broker do not accept each other: a certificate, a user, a
// password or a token is wrong, or one side wants TLS or SASL and the other does not. Before the
// first response of a broker it is permanent. Later it is an ErrRetriable, because files and
// brokers are not renewed at the same instant.
type AccessError struct {
	Broker string // host:port, empty if not known
	Err    error  // what is wrong
	Advice string // what to do
}

// Error returns one sentence: the broker, what is wrong, and what to do.
func (e *AccessError) Error() string {
	if e.Broker == "" {
		return fmt.Sprintf("%v: %s", e.Err, e.Advice)
	}
	return fmt.Sprintf("broker %s: %v: %s", e.Broker, e.Err, e.Advice)
}

// Unwrap returns what is wrong.
func (e *AccessError) Unwrap() error { return e.Err }

// brokerConn is a connection that explains why it ends before the broker's first byte: with TLS 1.3
// a broker refuses a client certificate only then, and a broker that wants TLS answers plain text
// with a TLS alert.
type brokerConn struct {
	net.Conn
	address   string
	encrypted bool
	own       *x509.Certificate // of the client, nil if none
	asked     bool              // the broker asked for it
	answered  bool
}

// tlsAlert begins a TLS record that is an alert: its type and the major version.
const tlsAlert = "\x15\x03"

// Read reads from the connection.
func (c *brokerConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.answered {
		return n, err
	}
	if n > 0 {
		c.answered = true
		if !c.encrypted && n >= len(tlsAlert) && string(b[:len(tlsAlert)]) == tlsAlert {
			return 0, &AccessError{Broker: c.address, Err: errors.New("it wants TLS on this port"),
				Advice: "set tls, or tls-ca with the file of its authority"}
		}
		return n, err
	}
	return n, c.explain(err)
}

// Write writes to the connection.
func (c *brokerConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if !c.answered {
		err = c.explain(err)
	}
	return n, err
}

// explain returns an error of the handshake, or of the first bytes after it, as the error that an
// operator needs.
func (c *brokerConn) explain(err error) error {
	var unverified *tls.CertificateVerificationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unverified):
		return c.explainCertificate(unverified)
	case errors.As(err, new(tls.RecordHeaderError)):
		return &AccessError{Broker: c.address, Err: fmt.Errorf("it does not speak TLS on this port: %w", err),
			Advice: "use its TLS port, or leave TLS off"}
	case c.asked && c.own == nil && closedByBroker(err):
		return &AccessError{Broker: c.address, Err: fmt.Errorf("it requires a client certificate: %w", err),
			Advice: "set tls-cert and tls-key"}
	case !isAlert(err):
		return err
	case !c.asked || c.own == nil:
		return &AccessError{Broker: c.address, Err: fmt.Errorf("it refuses the TLS handshake: %w", err),
			Advice: "check that it speaks TLS 1.2 or 1.3"}
	}
	refusal := fmt.Errorf("it refuses the client certificate of %q: %w", c.own.Subject, err)
	if time.Now().After(c.own.NotAfter) {
		refusal = fmt.Errorf("it refuses the client certificate of %q, which expired on %s: %w", c.own.Subject,
			c.own.NotAfter.UTC().Format(time.DateTime), err)
	}
	return &AccessError{Broker: c.address, Err: refusal,
		Advice: "set tls-cert to a certificate that has not expired and whose authority the brokers trust"}
}

// closedByBroker reports whether the other side ended the connection, with or without an alert.
func closedByBroker(err error) bool {
	return isAny(err, io.EOF, syscall.ECONNRESET, syscall.EPIPE) || isAlert(err)
}

// isAlert reports whether the other side sent a TLS alert. The type of one is private.
func isAlert(err error) bool {
	network, ok := errors.AsType[*net.OpError](err)
	return ok && network.Op == "remote error"
}

func (c *brokerConn) explainCertificate(err *tls.CertificateVerificationError) error {
	advice := "give the broker another certificate"
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		advice = "set tls-ca to the PEM file of the authority that signed it"
	case errors.As(err, &host):
		advice = "connect to a host that the certificate names, or set tls-server-name to one"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		advice = "renew the broker's certificate, or correct the clock of this machine"
	}
	return &AccessError{Broker: c.address, Err: fmt.Errorf("its certificate is refused: %w", err), Advice: advice}
}

// access returns an error as an AccessError if it is one of access, else as it is.
func (c *Client) access(err error) error {
	known, ok := errors.AsType[*AccessError](err)
	if !ok {
		known = c.config.SASL.refusal(err)
	}
	if known == nil {
		return err
	}
	if c.answered.Load() != nil {
		return retriableError{known}
	}
	return known
}

// refusal returns an error code of SASL as an AccessError, nil for another error.
func (s SASL) refusal(err error) *AccessError {
	switch code, _ := errors.AsType[kafka.Error](err); code {
	case kafka.SASLAuthenticationFailed:
		return s.refused(code.Title())
	case kafka.UnsupportedSASLMechanism:
		return &AccessError{Err: fmt.Errorf("the brokers do not offer SASL %s on this port: %w", s.Mechanism, code),
			Advice: "set sasl to a mechanism that they offer"}
	case kafka.IllegalSASLState:
		return &AccessError{Err: fmt.Errorf("the brokers take no SASL on this port: %w", code),
			Advice: "use their SASL port, or leave sasl out"}
	}
	return nil
}

// RightError says that the brokers do not allow an operation to this client: an ACL is missing. It
// is permanent.
type RightError struct {
	Operation string // as ACLs name it: Read, Write, Describe, Create
	Resource  string // Topic, Group or TransactionalId
	Name      string
	Err       error
}

// Error names the missing right.
func (e *RightError) Error() string {
	operation := e.Operation
	if operation == "Describe" {
		operation = "Describe, which Read and Write include,"
	}
	return fmt.Sprintf("the brokers do not allow %s on %s %q to this user: add an ACL", operation, e.Resource, e.Name)
}

// Unwrap returns the error of the broker.
func (e *RightError) Unwrap() error { return e.Err }

// deniedTopic returns the broker's refusal of an operation on a topic as a RightError, another
// error as it is.
func deniedTopic(err error, operation, topic string) error {
	if !errors.Is(err, kafka.TopicAuthorizationFailed) {
		return err
	}
	return &RightError{Operation: operation, Resource: "Topic", Name: topic, Err: err}
}

// deniedKey returns the broker's refusal of what a coordinator keeps as a RightError, another error
// as it is.
func deniedKey(err error, kind int8, key string) error {
	switch {
	case kind == groupKey && errors.Is(err, kafka.GroupAuthorizationFailed):
		return &RightError{Operation: "Read", Resource: "Group", Name: key, Err: err}
	case kind == transactionalKey && errors.Is(err, kafka.TransactionalIDAuthorizationFailed):
		return &RightError{Operation: "Write", Resource: "TransactionalId", Name: key, Err: err}
	}
	return err
}
