package stream_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/certtest"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
)

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
	ours, foreign := certtest.New(t, t.TempDir(), "ours"), certtest.New(t, t.TempDir(), "foreign")
	pool := x509.NewCertPool()
	pool.AddCert(ours.Cert)
	ours.Client("client", time.Hour)
	foreign.Client("client", time.Hour)
	pair := ours.Broker("broker", time.Hour)
	late := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{ours.Broker("old", -time.Hour)}}))
	open := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}}))
	mutual := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"),
		kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}))
	for _, c := range []struct {
		name   string
		broker *kfake.Cluster
		tls    stream.TLS
		want   string // "": works
	}{
		{"our authority", open, stream.TLS{CA: ours.File("ours.pem")}, ""},
		{"by the certificate's other name", open, stream.TLS{CA: ours.File("ours.pem"), ServerName: "kafka.test"}, ""},
		{"by a name that it does not have", open, stream.TLS{CA: ours.File("ours.pem"), ServerName: "elsewhere.test"}, "not elsewhere.test: connect to a host that the certificate names, or set tls-server-name"},
		{"a foreign authority", open, stream.TLS{CA: foreign.File("foreign.pem")}, "unknown authority: set tls-ca"},
		{"the system's authorities", open, stream.TLS{Enabled: true}, "unknown authority: set tls-ca"},
		{"an expired certificate of the broker", late, stream.TLS{CA: ours.File("ours.pem")}, "renew the broker's certificate"},
		{"no TLS at all", open, stream.TLS{}, "TLS"},
		{"our certificate", mutual, stream.TLS{CA: ours.File("ours.pem"), Cert: ours.File("client.pem"), Key: ours.File("client-key.pem")}, ""},
		{"no certificate", mutual, stream.TLS{CA: ours.File("ours.pem")}, "it requires a client certificate: remote error: tls: certificate required: set tls-cert"},
		{"a foreign certificate", mutual, stream.TLS{CA: ours.File("ours.pem"), Cert: foreign.File("client.pem"), Key: foreign.File("client-key.pem")}, "it refuses the client certificate"},
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
	a := certtest.New(t, t.TempDir(), "ca")
	noise := a.File("noise.pem")
	filetest.Write(t, noise, "not a certificate")
	for name, config := range map[string]stream.TLS{
		"a missing authority":      {CA: a.File("missing.pem")},
		"an authority of noise":    {CA: noise},
		"a missing certificate":    {Cert: a.File("missing.pem"), Key: a.File("ca-key.pem")},
		"a key that is no key":     {Cert: a.File("ca.pem"), Key: noise},
		"a certificate, no key":    {Cert: a.File("ca.pem")},
		"a key for no one":         {Key: a.File("ca-key.pem")},
		"a key of somebody else's": {Cert: a.File("ca.pem"), Key: certtest.New(t, t.TempDir(), "ca").File("ca-key.pem")},
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
