package config

import "bayestream/internal/shell/stream"

// Connection says how to reach a Kafka cluster. What is hidden is no flag: it comes from a file of
// clusters, from the environment, or from the file of a worker.
type Connection struct {
	Cluster string   `group:"kafka" placeholder:"NAME" help:"Cluster in ~/.config/bayestream/clusters.yaml, or in the file that BAYESTREAM_CLUSTERS names: its brokers, TLS and SASL."`
	Brokers []string `group:"kafka" default:"127.0.0.1:9092" placeholder:"HOST:PORT" help:"Addresses of brokers, separated by commas. They name the other brokers of the cluster."`

	TLS           bool          `hidden:"" name:"tls" help:"Use TLS. Implied by tls-ca, tls-cert and tls-key."`
	TLSCA         string        `hidden:"" name:"tls-ca" type:"existingfile" placeholder:"FILE" help:"PEM file of trusted CA certificates, instead of those of the system."`
	TLSCert       string        `hidden:"" name:"tls-cert" type:"existingfile" placeholder:"FILE" help:"PEM file of the client certificate, for brokers that require one. Needs tls-key."`
	TLSKey        string        `hidden:"" name:"tls-key" type:"existingfile" placeholder:"FILE" help:"PEM file of the private key of tls-cert."`
	TLSServerName string        `hidden:"" name:"tls-server-name" placeholder:"HOST" help:"Host name in the certificates of the brokers, if it differs from the host of their addresses."`
	SASL          string        `hidden:"" name:"sasl" placeholder:"MECHANISM" help:"SASL mechanism: plain, scram-sha-256, scram-sha-512 or oauthbearer. Plain and oauthbearer send the password or token unencrypted: use them with TLS."`
	User          string        `hidden:"" name:"sasl-user" placeholder:"NAME" help:"SASL user. With sasl-token-url: the id of the client there."`
	Password      stream.Secret `hidden:"" name:"sasl-password" placeholder:"SECRET" help:"SASL password. A file of clusters that holds one must be closed to other users."`
	PasswordFile  string        `hidden:"" name:"sasl-password-file" type:"existingfile" placeholder:"FILE" help:"File with the SASL password, instead of sasl-password. It is read again for each connection, so that a new password needs no restart; so are the files of TLS."`
	TokenFile     string        `hidden:"" name:"sasl-token-file" type:"existingfile" placeholder:"FILE" help:"File with the token of oauthbearer, read again for each connection."`
	TokenURL      string        `hidden:"" name:"sasl-token-url" placeholder:"URL" help:"Endpoint that returns tokens of oauthbearer for sasl-user and its password (OAuth 2 client credentials), instead of sasl-token-file."`
	Scope         string        `hidden:"" name:"sasl-scope" placeholder:"SCOPE" help:"Scope of the token to request from sasl-token-url."`

	Named bool `kong:"-"` // --cluster or --brokers is on the command line
}

// dialer is the flags of a verb that connects to brokers.
type dialer interface{ connection() *Connection }

// connection returns the settings, from any command that embeds them.
func (c *Connection) connection() *Connection { return c }

// Stream returns the configuration of package stream, without a logger.
func (c Connection) Stream() stream.Config {
	return stream.Config{
		Brokers: c.Brokers,
		TLS:     stream.TLS{Enabled: c.TLS, CA: c.TLSCA, Cert: c.TLSCert, Key: c.TLSKey, ServerName: c.TLSServerName},
		SASL: stream.SASL{
			Mechanism: c.SASL, Username: c.User, Password: c.Password, PasswordFile: c.PasswordFile,
			TokenFile: c.TokenFile, TokenURL: c.TokenURL, Scope: c.Scope,
		},
	}
}

// Problems returns what is wrong with the settings, without using the network.
func (c Connection) Problems() []error { return []error{c.Stream().Validate()} }
