package stream_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
)

// authority signs certificates into files of a directory.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	template := &x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.cert, a.key = a.sign("ca", template, nil, nil)
	return a
}

// sign makes a certificate and leaves name.pem and name-key.pem.
func (a *authority) sign(name string, template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if parent == nil {
		parent, signer = template, key
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	if template.NotAfter.IsZero() {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name+".pem", "CERTIFICATE", der)
	a.write(name+"-key.pem", "EC PRIVATE KEY", secret)
	return cert, key
}

func (a *authority) write(file, kind string, der []byte) {
	a.t.Helper()
	if err := os.WriteFile(a.file(file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// issue makes a certificate for a host or a client.
func (a *authority) issue(name string, template *x509.Certificate) tls.Certificate {
	a.t.Helper()
	a.sign(name, template, a.cert, a.key)
	pair, err := tls.LoadX509KeyPair(a.file(name+".pem"), a.file(name+"-key.pem"))
	if err != nil {
		a.t.Fatal(err)
	}
	return pair
}

func brokerTemplate() *x509.Certificate {
	return &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"kafka.test"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
}

// everything does one of each with a client: the group too, which dials by
// another way.
func everything(t *testing.T, client *stream.Client) error {
	t.Helper()
	ctx := deadline(t)
	if err := client.Ping(ctx); err != nil {
		return err
	}
	if _, err := client.Produce(ctx, "t", 0, numbered("x", 1)); err != nil {
		return err
	}
	if got, err := client.Fetch(ctx, stream.FetchRequest{Topic: "t"}); err != nil || len(got.Records) == 0 {
		return fmt.Errorf("fetched %d records: %w", len(got.Records), err)
	}
	if id, err := client.TopicID(ctx, "t", 0); err != nil || id == (stream.TopicID{}) {
		return fmt.Errorf("the id of the topic is %s: %w", id, err)
	}
	assigned := make(chan struct{}, 8)
	config := quick("g", "t")
	config.OnGeneration = func(partitions []int) {
		if len(partitions) > 0 {
			assigned <- struct{}{}
		}
	}
	stop := consume(t, client, config, newLedger().reader("A", client))
	defer stop()
	select {
	case <-assigned:
		return nil
	case <-time.After(20 * time.Second):
		return errors.New("no partition was assigned")
	}
}

func TestTLS(t *testing.T) {
	ours, foreign := newAuthority(t, "ours"), newAuthority(t, "foreign")
	pool := x509.NewCertPool()
	pool.AddCert(ours.cert)
	ours.issue("client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	foreign.issue("client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	pair := ours.issue("broker", brokerTemplate())
	old := brokerTemplate()
	old.NotBefore, old.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
	late := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{ours.issue("old", old)}}))
	open := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}}))
	mutual := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"),
		kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}))
	for _, c := range []struct {
		name   string
		broker *kfake.Cluster
		tls    stream.TLS
		want   string // "": works
	}{
		{"our authority", open, stream.TLS{CA: ours.file("ca.pem")}, ""},
		{"by the certificate's other name", open, stream.TLS{CA: ours.file("ca.pem"), ServerName: "kafka.test"}, ""},
		{"by a name that it does not have", open, stream.TLS{CA: ours.file("ca.pem"), ServerName: "elsewhere.test"}, "not elsewhere.test: connect to a host that the certificate names, or set tls-server-name"},
		{"a foreign authority", open, stream.TLS{CA: foreign.file("ca.pem")}, "unknown authority: set tls-ca"},
		{"the system's authorities", open, stream.TLS{Enabled: true}, "unknown authority: set tls-ca"},
		{"an expired certificate of the broker", late, stream.TLS{CA: ours.file("ca.pem")}, "renew the broker's certificate"},
		{"no TLS at all", open, stream.TLS{}, "TLS"},
		{"our certificate", mutual, stream.TLS{CA: ours.file("ca.pem"), Cert: ours.file("client.pem"), Key: ours.file("client-key.pem")}, ""},
		{"no certificate", mutual, stream.TLS{CA: ours.file("ca.pem")}, "it requires a client certificate: remote error: tls: certificate required: set tls-cert"},
		{"a foreign certificate", mutual, stream.TLS{CA: ours.file("ca.pem"), Cert: foreign.file("client.pem"), Key: foreign.file("client-key.pem")}, "it refuses the client certificate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := kafkatest.DialConfig(t, stream.Config{Brokers: c.broker.ListenAddrs(), TLS: c.tls, RequestTimeout: 5 * time.Second})
			if c.want == "" {
				if err := everything(t, client); err != nil {
					t.Error(err)
				}
				return
			}
			if err := client.Ping(deadline(t)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Ping: %v, want something about %q", err, c.want)
			}
		})
	}
}

func TestTLSFiles(t *testing.T) {
	a := newAuthority(t, "a")
	noise := a.file("noise.pem")
	filetest.Write(t, noise, "not a certificate")
	for name, config := range map[string]stream.TLS{
		"a missing authority":      {CA: a.file("missing.pem")},
		"an authority of noise":    {CA: noise},
		"a missing certificate":    {Cert: a.file("missing.pem"), Key: a.file("ca-key.pem")},
		"a key that is no key":     {Cert: a.file("ca.pem"), Key: noise},
		"a certificate, no key":    {Cert: a.file("ca.pem")},
		"a key for no one":         {Key: a.file("ca-key.pem")},
		"a key of somebody else's": {Cert: a.file("ca.pem"), Key: newAuthority(t, "b").file("ca-key.pem")},
	} {
		if _, err := stream.Dial(stream.Config{Brokers: []string{"127.0.0.1:9092"}, TLS: config}); err == nil {
			t.Errorf("Dial takes %s", name)
		}
	}
}

func TestSASL(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"), kfake.EnableSASL(), kfake.Superuser(mechanism, "ann", "pa55word"))
			sasl := stream.SASL{Mechanism: strings.ToLower(mechanism), Username: "ann", Password: "pa55word"}
			dial := func(sasl stream.SASL) *stream.Client {
				return kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs(), SASL: sasl, RequestTimeout: 5 * time.Second})
			}
			if err := everything(t, dial(sasl)); err != nil {
				t.Error(err)
			}
			sasl.Password = "wr0ng"
			err := dial(sasl).Ping(deadline(t))
			if err == nil || !strings.Contains(err.Error(), "SASL") || strings.Contains(err.Error(), "wr0ng") {
				t.Errorf("with a wrong password: %v, want an error about SASL that does not show it", err)
			}
			if err := dial(stream.SASL{}).Ping(deadline(t)); err == nil {
				t.Error("a client without a name is served")
			}
		})
	}
}

func TestSASLValidate(t *testing.T) {
	for name, sasl := range map[string]stream.SASL{
		"an unknown mechanism": {Mechanism: "oauthbearer", Username: "a", Password: "b"},
		"no user":              {Mechanism: "plain", Password: "b"},
		"no password":          {Mechanism: "plain", Username: "a"},
		"no mechanism":         {Username: "a", Password: "b"},
	} {
		if err := (stream.Config{Brokers: []string{"h:1"}, SASL: sasl}).Validate(); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestSecretIsNotShown(t *testing.T) {
	const word = "pa55word"
	config := stream.Config{SASL: stream.SASL{Username: "ann", Password: word}}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("starting", "config", config, "password", config.SASL.Password)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("starting", "config", config, "password", config.SASL.Password)
	encoded, err := json.Marshal(config.SASL)
	if err != nil {
		t.Fatal(err)
	}
	shown := []string{log.String(), string(encoded), config.SASL.Password.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown = append(shown, fmt.Sprintf(verb, config), fmt.Sprintf(verb, config.SASL.Password), fmt.Sprintf(verb, &config.SASL))
	}
	for _, text := range shown {
		if strings.Contains(text, word) || strings.Contains(text, fmt.Sprintf("%x", word)) {
			t.Errorf("the secret is in %q", text)
		}
	}
	if got := fmt.Sprintf("%v|%s", config.SASL.Password, stream.Secret("")); got != "******|" {
		t.Errorf("a secret and none print as %q", got)
	}
	var read stream.Secret
	if err := json.Unmarshal([]byte(`"pa55word"`), &read); err != nil || read.Reveal() != word {
		t.Errorf("reading a secret: %q, %v", read.Reveal(), err)
	}
}
