package stream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// TLS configures the encryption of connections. The zero value is plain text.
type TLS struct {
	// Enabled turns encryption on; so does a file below.
	Enabled bool
	// CA is a PEM file with the authorities that sign the brokers'
	// certificates, those of the system if empty.
	CA string
	// Cert and Key are PEM files with the client's certificate and its key, for
	// brokers that require one: both or neither.
	Cert, Key string
	// ServerName is the name in the brokers' certificates if it is not the host
	// of their address.
	ServerName string
}

func (t TLS) enabled() bool {
	return t.Enabled || t.CA != "" || t.Cert != "" || t.Key != "" || t.ServerName != ""
}

func (t TLS) validate() error {
	if (t.Cert == "") != (t.Key == "") {
		return errors.New("a TLS certificate and its key belong together: give both files or neither")
	}
	return nil
}

// config reads the files; nil means plain text.
func (t TLS) config() (*tls.Config, error) {
	if !t.enabled() {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("read the TLS authorities: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read the TLS authorities: %s has no certificate in PEM form", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("read the TLS certificate %s with the key %s: %w", t.Cert, t.Key, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// SASL authenticates the client to the brokers. The zero value does not.
type SASL struct {
	// Mechanism is plain, scram-sha-256 or scram-sha-512 in any case; empty is
	// no SASL.
	Mechanism string
	Username  string
	Password  Secret
}

// Names of the SASL mechanisms, as Kafka spells them.
const (
	saslPlain    = "PLAIN"
	saslScram256 = "SCRAM-SHA-256"
	saslScram512 = "SCRAM-SHA-512"
)

func (s SASL) validate() error {
	switch strings.ToUpper(s.Mechanism) {
	case "":
		if s.Username != "" || s.Password != "" {
			return errors.New("a SASL user or password is given without a mechanism: want plain, scram-sha-256 or scram-sha-512")
		}
		return nil
	case saslPlain, saslScram256, saslScram512:
		if s.Username == "" || s.Password == "" {
			return fmt.Errorf("SASL mechanism %s wants a user and a password", s.Mechanism)
		}
		return nil
	}
	return fmt.Errorf("SASL mechanism %q is not known: want plain, scram-sha-256 or scram-sha-512", s.Mechanism)
}

// mechanism returns the mechanism of kafka-go, nil without SASL.
func (s SASL) mechanism() (sasl.Mechanism, error) {
	algorithm := scram.SHA256
	switch strings.ToUpper(s.Mechanism) {
	case "":
		return nil, nil
	case saslPlain:
		return plain.Mechanism{Username: s.Username, Password: s.Password.Reveal()}, nil
	case saslScram512:
		algorithm = scram.SHA512
	}
	m, err := scram.Mechanism(algorithm, s.Username, s.Password.Reveal())
	if err != nil {
		return nil, fmt.Errorf("prepare SASL %s for user %q: %w", s.Mechanism, s.Username, err)
	}
	return m, nil
}
