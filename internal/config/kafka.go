package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"bayestream/internal/stream"
)

// Kafka says how to reach the brokers.
type Kafka struct {
	Brokers        []string      `group:"kafka" default:"127.0.0.1:9092" placeholder:"HOST:PORT" help:"Addresses of brokers, separated by commas. They name the other brokers of the cluster."`
	ClientID       string        `group:"kafka" name:"client-id" default:"bayestream" placeholder:"NAME" help:"Client name in the logs and quotas of the brokers."`
	Compression    string        `group:"kafka" default:"none" enum:"none,gzip,snappy,lz4,zstd" placeholder:"CODEC" help:"Compression of written batches: none, gzip, snappy, lz4 or zstd. All of them can be read."`
	RequestTimeout time.Duration `group:"kafka" default:"10s" placeholder:"TIME" help:"Time limit of a request to a broker, including the connection."`
	TLS            bool          `group:"kafka" name:"tls" help:"Use TLS. Implied by --tls-ca, --tls-cert and --tls-key."`
	TLSCA          string        `group:"kafka" name:"tls-ca" type:"existingfile" placeholder:"FILE" help:"PEM file of trusted CA certificates, instead of those of the system."`
	TLSCert        string        `group:"kafka" name:"tls-cert" type:"existingfile" placeholder:"FILE" help:"PEM file of the client certificate, for brokers that require one. Needs --tls-key."`
	TLSKey         string        `group:"kafka" name:"tls-key" type:"existingfile" placeholder:"FILE" help:"PEM file of the private key of --tls-cert."`
	TLSServerName  string        `group:"kafka" name:"tls-server-name" placeholder:"HOST" help:"Host name in the certificates of the brokers, if it differs from the host of their addresses."`
	SASL           string        `group:"kafka" name:"sasl" placeholder:"MECHANISM" help:"SASL mechanism: plain, scram-sha-256 or scram-sha-512. Plain sends the password unencrypted: use it with --tls."`
	User           string        `group:"kafka" name:"sasl-user" placeholder:"NAME" help:"SASL user."`
	Password       stream.Secret `group:"kafka" name:"sasl-password" placeholder:"SECRET" help:"SASL password. Set it with BAYESTREAM_SASL_PASSWORD or in the file: other users of the machine can see the command line."`
}

// Stream returns the configuration of package stream, without a logger.
func (k Kafka) Stream() stream.Config {
	return stream.Config{
		Brokers:        k.Brokers,
		ClientID:       k.ClientID,
		TLS:            stream.TLS{Enabled: k.TLS, CA: k.TLSCA, Cert: k.TLSCert, Key: k.TLSKey, ServerName: k.TLSServerName},
		SASL:           stream.SASL{Mechanism: k.SASL, Username: k.User, Password: k.Password},
		Compression:    k.Compression,
		RequestTimeout: k.RequestTimeout,
	}
}

// Validate returns all problems of the settings, joined, without using the network.
func (k Kafka) Validate() error { return errors.Join(append(enums(&k), k.problems()...)...) }

func (k Kafka) problems() []error {
	found := []error{CheckBrokers("--brokers", k.Brokers)}
	found = append(found, positive("--request-timeout", k.RequestTimeout)...)
	if (k.TLSCert == "") != (k.TLSKey == "") {
		found = append(found, errors.New("--tls-cert and --tls-key belong together: give both files or neither"))
	}
	return append(found, k.saslProblems()...)
}

func (k Kafka) saslProblems() []error {
	var missing []string
	if k.User == "" {
		missing = append(missing, "--sasl-user")
	}
	if k.Password == "" {
		missing = append(missing, "--sasl-password")
	}
	switch strings.ToLower(k.SASL) {
	case "":
		if len(missing) < 2 {
			return []error{errors.New("--sasl-user and --sasl-password are for --sasl: name its mechanism, plain, scram-sha-256 or scram-sha-512")}
		}
	case "plain", "scram-sha-256", "scram-sha-512":
		if len(missing) > 0 {
			return []error{fmt.Errorf("--sasl %s needs %s", k.SASL, strings.Join(missing, " and "))}
		}
	default:
		return []error{fmt.Errorf("--sasl: %q is not valid: want plain, scram-sha-256 or scram-sha-512", k.SASL)}
	}
	return nil
}
