package main

import (
	"errors"
	"log/slog"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/stream"
)

// brokerFlags name the model log. A verb that works on files connects to a broker only if one is named, so the
// flags do not have the defaults of the workers.
type brokerFlags struct {
	Brokers       []string      `placeholder:"HOST:PORT" help:"Addresses of one or more brokers of the Kafka cluster of the model log, separated by commas."`
	ModelTopic    string        `default:"bayestream-model" placeholder:"TOPIC" help:"With --brokers: topic of the model log."`
	TLS           bool          `name:"tls" help:"Use TLS."`
	TLSCA         string        `name:"tls-ca" type:"existingfile" placeholder:"FILE" help:"PEM file with the certificates of the trusted authorities. Default: those of the system."`
	TLSCert       string        `name:"tls-cert" type:"existingfile" placeholder:"FILE" help:"PEM file with the client's certificate. Needs --tls-key."`
	TLSKey        string        `name:"tls-key" type:"existingfile" placeholder:"FILE" help:"PEM file with the key of --tls-cert."`
	TLSServerName string        `name:"tls-server-name" placeholder:"HOST" help:"Host name in the certificates of the brokers. Default: the host of their address."`
	SASL          string        `name:"sasl" placeholder:"MECHANISM" help:"SASL mechanism: plain, scram-sha-256 or scram-sha-512."`
	User          string        `name:"sasl-user" placeholder:"NAME" help:"SASL user."`
	Password      stream.Secret `name:"sasl-password" placeholder:"SECRET" help:"SASL password. Set BAYESTREAM_SASL_PASSWORD instead: other users of the machine can see the command line."`
}

// kafka returns the flags as settings of a worker.
func (f *brokerFlags) kafka() config.Kafka {
	k := config.Default[config.Ingest]().Kafka
	k.Brokers, k.TLS, k.TLSCA, k.TLSCert, k.TLSKey, k.TLSServerName = f.Brokers, f.TLS, f.TLSCA, f.TLSCert, f.TLSKey, f.TLSServerName
	k.SASL, k.User, k.Password = f.SASL, f.User, f.Password
	return k
}

// problems returns the problems of the flags.
func (f *brokerFlags) problems() []error {
	if len(f.Brokers) > 0 {
		k := f.kafka()
		if k.SASL != "" && k.Password == "" {
			k.Password = "from the environment, or missing: dial says so"
		}
		return []error{k.Validate()}
	}
	if f.TLS || f.TLSCA != "" || f.TLSCert != "" || f.TLSKey != "" || f.TLSServerName != "" || f.SASL != "" || f.User != "" || f.Password != "" {
		return []error{errors.New("the flags for TLS and SASL have an effect only with --brokers")}
	}
	return nil
}

// dial connects to the brokers.
func (f *brokerFlags) dial(p cli.Process) (*stream.Client, error) {
	if f.SASL != "" && f.Password == "" {
		if secret, ok := p.LookupEnv("BAYESTREAM_SASL_PASSWORD"); ok {
			f.Password = stream.Secret(secret)
		}
	}
	k := f.kafka()
	if err := k.Validate(); err != nil {
		return nil, cli.WrongInput(err)
	}
	c := k.Stream()
	c.Log = slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return stream.Dial(c)
}
