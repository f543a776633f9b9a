package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"bayestream/internal/shell/stream"
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
	SASL           string        `group:"kafka" name:"sasl" placeholder:"MECHANISM" help:"SASL mechanism: plain, scram-sha-256, scram-sha-512 or oauthbearer. Plain and oauthbearer send the password or token unencrypted: use them with --tls."`
	User           string        `group:"kafka" name:"sasl-user" placeholder:"NAME" help:"SASL user. With --sasl-token-url: the id of the client there."`
	Password       stream.Secret `group:"kafka" name:"sasl-password" placeholder:"SECRET" help:"SASL password. Set it with BAYESTREAM_SASL_PASSWORD or in the file: other users of the machine can see the command line."`
	PasswordFile   string        `group:"kafka" name:"sasl-password-file" type:"existingfile" placeholder:"FILE" help:"File with the SASL password, instead of --sasl-password. It is read again for each connection, so that a new password needs no restart; so are the files of TLS."`
	TokenFile      string        `group:"kafka" name:"sasl-token-file" type:"existingfile" placeholder:"FILE" help:"File with the token of oauthbearer, read again for each connection."`
	TokenURL       string        `group:"kafka" name:"sasl-token-url" placeholder:"URL" help:"Endpoint that returns tokens of oauthbearer for --sasl-user and its password (OAuth 2 client credentials), instead of --sasl-token-file."`
	Scope          string        `group:"kafka" name:"sasl-scope" placeholder:"SCOPE" help:"Scope of the token to request from --sasl-token-url."`
}

// Stream returns the configuration of package stream, without a logger.
func (k Kafka) Stream() stream.Config {
	return stream.Config{
		Brokers:        k.Brokers,
		ClientID:       k.ClientID,
		TLS:            stream.TLS{Enabled: k.TLS, CA: k.TLSCA, Cert: k.TLSCert, Key: k.TLSKey, ServerName: k.TLSServerName},
		SASL:           k.sasl(),
		Compression:    k.Compression,
		RequestTimeout: k.RequestTimeout,
	}
}

func (k Kafka) sasl() stream.SASL {
	return stream.SASL{
		Mechanism: k.SASL, Username: k.User, Password: k.Password, PasswordFile: k.PasswordFile,
		TokenFile: k.TokenFile, TokenURL: k.TokenURL, Scope: k.Scope,
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
	token := k.TokenFile != "" || k.TokenURL != "" || k.Scope != ""
	switch strings.ToLower(k.SASL) {
	case "":
		if token || k.User != "" || k.Password != "" || k.PasswordFile != "" {
			return []error{errors.New("the flags --sasl-... are for --sasl: name its mechanism, " + stream.Mechanisms)}
		}
		return nil
	case "plain", "scram-sha-256", "scram-sha-512":
		if token {
			return []error{fmt.Errorf("--sasl %s has no token: --sasl-token-file, --sasl-token-url and --sasl-scope are for oauthbearer", k.SASL)}
		}
		return k.passwordProblems("--sasl " + k.SASL)
	case "oauthbearer":
		return k.tokenProblems()
	}
	return []error{fmt.Errorf("--sasl: %q is not valid: want %s", k.SASL, stream.Mechanisms)}
}

// passwordProblems returns what is wrong with the user and the password that a setting needs.
func (k Kafka) passwordProblems(needs string) []error {
	var missing []string
	if k.User == "" {
		missing = append(missing, "--sasl-user")
	}
	if k.Password == "" && k.PasswordFile == "" {
		missing = append(missing, "--sasl-password or --sasl-password-file")
	}
	if len(missing) > 0 {
		return []error{fmt.Errorf("%s needs %s", needs, strings.Join(missing, " and "))}
	}
	if k.Password != "" && k.PasswordFile != "" {
		return []error{errors.New("--sasl-password and --sasl-password-file exclude each other: give one of them")}
	}
	return nil
}

// tokenProblems returns what is wrong with the settings of oauthbearer.
func (k Kafka) tokenProblems() []error {
	if (k.TokenFile == "") == (k.TokenURL == "") {
		return []error{errors.New("--sasl oauthbearer needs either --sasl-token-file or --sasl-token-url")}
	}
	if k.TokenURL != "" {
		if found := k.passwordProblems("--sasl-token-url"); found != nil {
			return found
		}
	}
	if err := k.sasl().Validate(); err != nil {
		return []error{err}
	}
	return nil
}
