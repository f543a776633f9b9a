package main

import (
	"io"
	"log/slog"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/config/version"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/console"
	"bayestream/internal/tools/console/page"
)

// doorFlags say where pages are served, and to whom.
type doorFlags struct {
	Addr      string `default:"127.0.0.1:7430" placeholder:"HOST:PORT" help:"Address of the pages. Port 0 selects a free port. An address beyond loopback needs --addr-cert and --addr-key, and a token."`
	AddrCert  string `type:"existingfile" placeholder:"FILE" help:"PEM file with the certificate of the pages: they are served by HTTPS."`
	AddrKey   string `type:"existingfile" placeholder:"FILE" help:"PEM file with the key of --addr-cert."`
	TokenFile string `type:"existingfile" placeholder:"FILE" help:"File with the token that corrections and labels need, at least 16 characters. It is read for each request. Other users must not be able to read it. Without it serve makes a token, and the console takes no corrections."`
	Log       string `default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Minimum level of log messages: debug, info, warn or error."`
}

func (f *doorFlags) problems() (found config.Problems) {
	found.If(f.Addr == "", "--addr is empty: name an address, like 127.0.0.1:7430")
	found.If((f.AddrCert == "") != (f.AddrKey == ""),
		"--addr-cert and --addr-key belong together: give both files or neither")
	return append(found, config.CheckListen("--addr", f.Addr))
}

// token returns what reads the token for each request, nil where no file is named.
func (f *doorFlags) token() (read func() ([]byte, error), err error) {
	if f.TokenFile == "" {
		return nil, nil
	}
	read = func() ([]byte, error) { return config.ReadToken("--token-file", f.TokenFile) }
	_, err = read()
	return read, cli.WrongInput(err)
}

// console returns the options of a console that is served so. keyFile has the key of the terms.
func (f *doorFlags) console(p cli.Process, keyFile string) (o console.Options, err error) {
	o = console.Options{Cert: f.AddrCert, CertKey: f.AddrKey, Page: page.Handler(), Version: version.Read().Version,
		Log: f.logger(p.Stderr)}
	if o.Key, err = config.ReadTermsKey(keyFile); err != nil {
		return o, cli.WrongInput(err)
	}
	o.Token, err = f.token()
	return o, err
}

func (f *doorFlags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.Log)) // the flag is one of four
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}
