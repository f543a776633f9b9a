package main

import (
	"errors"
	"reflect"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
)

// brokerFlags name the model log. A verb that works on files connects to a broker only if one is named, so the
// flags do not have the defaults of the workers.
type brokerFlags struct {
	clusterFlags `embed:""`
	ModelTopic   string `default:"bayestream-model" placeholder:"TOPIC" help:"With --brokers: topic of the model log."`
}

// clusterFlags say how to reach a Kafka cluster.
type clusterFlags struct {
	Brokers       []string      `placeholder:"HOST:PORT" help:"Addresses of one or more brokers of the Kafka cluster, separated by commas."`
	TLS           bool          `name:"tls" help:"Use TLS."`
	TLSCA         string        `name:"tls-ca" type:"existingfile" placeholder:"FILE" help:"PEM file with the certificates of the trusted authorities. Default: those of the system."`
	TLSCert       string        `name:"tls-cert" type:"existingfile" placeholder:"FILE" help:"PEM file with the client's certificate. Needs --tls-key."`
	TLSKey        string        `name:"tls-key" type:"existingfile" placeholder:"FILE" help:"PEM file with the key of --tls-cert."`
	TLSServerName string        `name:"tls-server-name" placeholder:"HOST" help:"Host name in the certificates of the brokers. Default: the host of their address."`
	SASL          string        `name:"sasl" placeholder:"MECHANISM" help:"SASL mechanism: plain, scram-sha-256, scram-sha-512 or oauthbearer."`
	User          string        `name:"sasl-user" placeholder:"NAME" help:"SASL user."`
	Password      stream.Secret `name:"sasl-password" placeholder:"SECRET" help:"SASL password. Set BAYESTREAM_SASL_PASSWORD instead: other users of the machine can see the command line."`
	PasswordFile  string        `name:"sasl-password-file" type:"existingfile" placeholder:"FILE" help:"File with the SASL password, instead of --sasl-password."`
	TokenFile     string        `name:"sasl-token-file" type:"existingfile" placeholder:"FILE" help:"File with the token of oauthbearer."`
	TokenURL      string        `name:"sasl-token-url" placeholder:"URL" help:"Endpoint that returns tokens of oauthbearer for --sasl-user and its password, instead of --sasl-token-file."`
	Scope         string        `name:"sasl-scope" placeholder:"SCOPE" help:"Scope of the token to request from --sasl-token-url."`
}

// kafka returns the flags as settings of a worker.
func (f *clusterFlags) kafka() config.Kafka {
	k := config.Default[config.Ingest]().Kafka
	k.Brokers, k.TLS, k.TLSCA, k.TLSCert, k.TLSKey, k.TLSServerName = f.Brokers, f.TLS, f.TLSCA, f.TLSCert, f.TLSKey, f.TLSServerName
	k.SASL, k.User, k.Password, k.PasswordFile = f.SASL, f.User, f.Password, f.PasswordFile
	k.TokenFile, k.TokenURL, k.Scope = f.TokenFile, f.TokenURL, f.Scope
	return k
}

// problems returns the problems of the flags.
func (f *clusterFlags) problems() []error {
	if len(f.Brokers) > 0 {
		k := f.kafka()
		if f.wantsPassword() {
			k.Password = "from the environment, or missing: dial says so"
		}
		return []error{k.Validate()}
	}
	others := *f
	others.Brokers = nil
	if !reflect.ValueOf(others).IsZero() {
		return []error{errors.New("the flags for TLS and SASL have an effect only with --brokers")}
	}
	return nil
}

// wantsPassword reports whether the password must come from the environment.
func (f *clusterFlags) wantsPassword() bool {
	return f.SASL != "" && f.Password == "" && f.PasswordFile == "" && f.TokenFile == ""
}

// needBrokers returns the problems of the flags of a verb that works on topics alone.
func (f *clusterFlags) needBrokers() []error {
	if len(f.Brokers) == 0 {
		return []error{errors.New("--brokers is missing: the addresses of one or more brokers of the cluster, like 127.0.0.1:9092")}
	}
	return f.problems()
}

// connection returns the settings of a connection, with the password of the environment.
func (f *clusterFlags) connection(p cli.Process) (config.Kafka, error) {
	if f.wantsPassword() {
		if secret, ok := p.LookupEnv("BAYESTREAM_SASL_PASSWORD"); ok {
			f.Password = stream.Secret(secret)
		}
	}
	k := f.kafka()
	if err := k.Validate(); err != nil {
		return k, cli.WrongInput(err)
	}
	return k, nil
}

// dial connects to the brokers.
func (f *clusterFlags) dial(p cli.Process) (*stream.Client, error) {
	k, err := f.connection(p)
	if err != nil {
		return nil, err
	}
	c := k.Stream()
	c.Log = cli.Sentences(p.Stderr)
	return stream.Dial(c)
}
