package stream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
)

// TLS configures the encryption of connections. The zero value is plain text. The files are read
// again for each connection, so that renewed ones need no restart.
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

// doubt says what may be wrong if a broker closes the connection.
func (t TLS) doubt() string {
	if t.enabled() {
		return "has no TLS on this port (leave tls out)"
	}
	return "wants TLS (set tls)"
}

func (t TLS) validate() error {
	if (t.Cert == "") != (t.Key == "") {
		return errors.New("tls-cert and tls-key belong together: give both files or neither")
	}
	return nil
}

// Files returns what the files say.
func (t TLS) Files() (*tls.Config, error) {
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

// open returns conn as a caller should use it: encrypted if TLS is on, and with errors that say
// what a broker refuses. On an error conn is still open.
func (t TLS) open(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	opened := &brokerConn{Conn: conn, address: address}
	if !t.enabled() {
		return opened, nil
	}
	config, err := t.Files()
	if err != nil {
		return nil, &AccessError{Broker: address, Err: err, Advice: "name files that this program can read"}
	}
	if config.ServerName == "" {
		config.ServerName, _, err = net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("broker address %q: %w", address, err)
		}
	}
	own := new(tls.Certificate) // none
	if len(config.Certificates) > 0 {
		own = &config.Certificates[0]
	}
	opened.own = own.Leaf
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		opened.asked = true
		return own, nil // also if the broker does not name its authority: its refusal says more than none
	}
	encrypted := tls.Client(conn, config)
	opened.Conn = encrypted
	opened.encrypted = true
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, opened.explain(err)
	}
	return opened, nil
}
