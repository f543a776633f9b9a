package main

import (
	"errors"
	"log/slog"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/stream"
)

// brokerFlags say where the model log is. A verb that works on files goes to a broker only if it is told
// one, so that nothing here has the defaults of the workers.
type brokerFlags struct {
	Brokers       []string      `placeholder:"HOST:PORT" help:"Addresses of some brokers of the Kafka that holds the model log, with commas."`
	ModelTopic    string        `default:"bayestream-model" placeholder:"TOPIC" help:"With --brokers: the model log."`
	TLS           bool          `name:"tls" help:"Speak TLS with the brokers."`
	TLSCA         string        `name:"tls-ca" type:"existingfile" placeholder:"FILE" help:"PEM file with the certificates of the authorities to trust instead of the system's."`
	TLSCert       string        `name:"tls-cert" type:"existingfile" placeholder:"FILE" help:"PEM file with the client's certificate. Needs --tls-key."`
	TLSKey        string        `name:"tls-key" type:"existingfile" placeholder:"FILE" help:"PEM file with the key of --tls-cert."`
	TLSServerName string        `name:"tls-server-name" placeholder:"HOST" help:"Name to expect in the brokers' certificates when it is not the host of their address."`
	SASL          string        `name:"sasl" placeholder:"MECHANISM" help:"SASL mechanism: plain, scram-sha-256 or scram-sha-512."`
	User          string        `name:"sasl-user" placeholder:"NAME" help:"SASL user."`
	Password      stream.Secret `name:"sasl-password" placeholder:"SECRET" help:"SASL password. Better in BAYESTREAM_SASL_PASSWORD than on the command line, where other users of the machine see it."`
}

// kafka returns the same as the settings of a worker.
func (f *brokerFlags) kafka() config.Kafka {
	k := config.Default[config.Ingest]().Kafka
	k.Brokers, k.TLS, k.TLSCA, k.TLSCert, k.TLSKey, k.TLSServerName = f.Brokers, f.TLS, f.TLSCA, f.TLSCert, f.TLSKey, f.TLSServerName
	k.SASL, k.User, k.Password = f.SASL, f.User, f.Password
	return k
}

// problems says what is wrong with the flags.
func (f *brokerFlags) problems() []error {
	if len(f.Brokers) > 0 {
		k := f.kafka()
		if k.SASL != "" && k.Password == "" {
			k.Password = "from the environment, or missing: dial says so"
		}
		return []error{k.Validate()}
	}
	if f.TLS || f.TLSCA != "" || f.TLSCert != "" || f.TLSKey != "" || f.TLSServerName != "" || f.SASL != "" || f.User != "" || f.Password != "" {
		return []error{errors.New("the flags of TLS and SASL are for --brokers: name some")}
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
