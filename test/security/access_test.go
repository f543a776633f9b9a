//go:build kafka

package security

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/certtest"
	"bayestream/internal/testing/kafkatest"
)

// password is that of the user ann.
const password = "s3cret-of-ann"

// prompt is how long a refusal may take: less than the shortest retry that gives up.
const prompt = 5 * time.Second

func ping(t *testing.T, config stream.Config) error {
	t.Helper()
	return kafkatest.DialConfig(t, config).Ping(bounded(t))
}

// over is a configuration for a listener with TLS.
func (b *broker) over(address string) stream.Config {
	return stream.Config{Brokers: []string{address}, TLS: stream.TLS{CA: b.ours.File("ours.pem")}, RequestTimeout: 10 * time.Second}
}

func (b *broker) saslConfig(mechanism, user, password string) stream.Config {
	c := b.over(b.sasl)
	c.SASL = stream.SASL{Mechanism: mechanism, Username: user, Password: stream.Secret(password)}
	return c
}

func (b *broker) withToken(t *testing.T, token string) stream.Config {
	t.Helper()
	c := b.over(b.sasl)
	b.ours.Write("token", []byte(token+"\n"))
	c.SASL = stream.SASL{Mechanism: "oauthbearer", TokenFile: b.ours.File("token")}
	return c
}

func (b *broker) withCertificate(name string, from *certtest.Authority) stream.Config {
	c := b.over(b.mutual)
	c.TLS.Cert, c.TLS.Key = from.File(name+".pem"), from.File(name+"-key.pem")
	return c
}

// refused checks that a client is refused at once, with a sentence that has all the words, and
// never a password.
func refused(t *testing.T, config stream.Config, words ...string) {
	t.Helper()
	client := kafkatest.DialConfig(t, config)
	start := time.Now()
	_, err := client.Topic(bounded(t), "any") // a call that retries what may pass
	if err == nil {
		t.Fatal("the client is served")
	}
	t.Log(err)
	if took := time.Since(start); took > prompt {
		t.Errorf("the refusal took %s", took)
	}
	var access *stream.AccessError
	if !errors.As(err, &access) || errors.Is(err, stream.ErrRetriable) {
		t.Errorf("the error is a %T and retriable: %v, want an AccessError that is not", err, errors.Is(err, stream.ErrRetriable))
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not say %q", word)
		}
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Error("the error has the password")
	}
}

func TestTLS(t *testing.T) {
	b := start(t)
	b.ours.Client("client", time.Hour)
	b.ours.Client("late", -time.Hour)
	b.foreign.Client("stranger", time.Hour)
	t.Run("our authority", func(t *testing.T) { serves(t, b.over(b.tls)) })
	t.Run("our certificate", func(t *testing.T) { serves(t, b.withCertificate("client", b.ours)) })
	t.Run("another name of the broker", func(t *testing.T) {
		c := b.over(b.tls)
		c.TLS.ServerName = "kafka.test"
		serves(t, c)
	})
	t.Run("a foreign authority", func(t *testing.T) {
		c := b.over(b.tls)
		c.TLS.CA = b.foreign.File("foreign.pem")
		refused(t, c, b.tls, "unknown authority", "tls-ca")
	})
	t.Run("a wrong host", func(t *testing.T) {
		c := b.over(b.tls)
		c.TLS.ServerName = "elsewhere.test"
		refused(t, c, "elsewhere.test", "kafka.test", "tls-server-name")
	})
	t.Run("an expired certificate of the broker", func(t *testing.T) { refused(t, b.over(b.expired), "expired", "renew") })
	t.Run("no TLS", func(t *testing.T) { refused(t, stream.Config{Brokers: []string{b.tls}}, "wants TLS", "tls-ca") })
	t.Run("no certificate", func(t *testing.T) { refused(t, b.over(b.mutual), "requires a client certificate", "tls-cert") })
	t.Run("an expired certificate", func(t *testing.T) {
		refused(t, b.withCertificate("late", b.ours), "client certificate", "which expired on")
	})
	t.Run("a foreign certificate", func(t *testing.T) {
		refused(t, b.withCertificate("stranger", b.foreign), "client certificate", "authority")
	})
}

// serves checks that a broker takes a client.
func serves(t *testing.T, config stream.Config) {
	t.Helper()
	if err := ping(t, config); err != nil {
		t.Error(err)
	}
}

// TestSecretsAreReadAgain changes the password of a user while a client runs, and then the client's
// file.
func TestSecretsAreReadAgain(t *testing.T) {
	b := start(t)
	b.setPassword(t, "rita", "s3cret-old")
	b.ours.Write("rita", []byte("s3cret-old\n"))
	c := b.saslConfig("scram-sha-512", "rita", "")
	c.SASL.PasswordFile = b.ours.File("rita")
	client := kafkatest.DialConfig(t, c)
	topic := b.createTopic(t, "rotation", 1)
	b.allow(t, "rita", right{"Topic", topic, "Read"}, right{"Group", "rotation", "Read"})
	if err := client.Ping(bounded(t)); err != nil {
		t.Fatal(err)
	}
	b.setPassword(t, "rita", "s3cret-new")
	joined := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- client.Consume(ctx, stream.GroupConfig{Group: "rotation", Topic: topic}, func(ctx context.Context, _ stream.Assignment) error {
			joined <- struct{}{}
			<-ctx.Done()
			return nil
		})
	}()
	select { // the group has connections of its own, which cannot be opened with the old password
	case err := <-done:
		t.Fatalf("the consumer ended: %v", err)
	case <-joined:
		t.Fatal("the old password is taken")
	case <-time.After(time.Second):
	}
	b.ours.Write("rita", []byte("s3cret-new\n"))
	<-joined
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestRenewedUnderLoad changes a password again and again while records are written over
// connections that the broker ends each second. The writer is refused until its file is changed
// too, and then goes on; nothing that it was told is lost.
func TestRenewedUnderLoad(t *testing.T) {
	b := start(t)
	b.setPassword(t, "lena", "s3cret-0")
	b.ours.Write("lena", []byte("s3cret-0\n"))
	c := b.saslConfig("scram-sha-256", "lena", "")
	c.SASL.PasswordFile = b.ours.File("lena")
	client := kafkatest.DialConfig(t, c)
	topic := b.createTopic(t, "renewed", 1)
	b.allow(t, "lena", right{"Topic", topic, "Read"}, right{"Topic", topic, "Write"})
	written := 0
	next := func() error {
		record := stream.Record{Value: fmt.Append(nil, written)}
		_, err := client.Produce(bounded(t), topic, 0, []stream.Record{record})
		if err == nil {
			written++
		}
		return err
	}
	for renewal := 1; renewal <= 4; renewal++ {
		secret := fmt.Sprint("s3cret-", renewal)
		b.setPassword(t, "lena", secret)
		var access *stream.AccessError
		for err := next(); !errors.As(err, &access); err = next() {
			if err != nil && !errors.Is(err, stream.ErrRetriable) {
				t.Fatalf("while the old connection lasts: %v", err)
			}
		}
		b.ours.Write("lena", []byte(secret+"\n"))
		before := written
		for deadline := time.Now().Add(prompt); written < before+100; {
			if err := next(); err != nil && time.Now().After(deadline) {
				t.Fatalf("after the file was renewed: %v", err)
			}
		}
	}
	read(t, client, topic, written)
}

// read expects the numbers below n in a partition, in order; one may be there twice, because its
// answer was lost.
func read(t *testing.T, client *stream.Client, topic string, n int) {
	t.Helper()
	expected := 0
	for from := int64(0); expected < n; {
		got, err := client.Fetch(bounded(t), stream.FetchRequest{Topic: topic, Offset: from})
		if err != nil && !errors.Is(err, stream.ErrRetriable) {
			t.Fatal(err)
		}
		for i := range got.Records {
			switch value := string(got.Records[i].Value); value {
			case fmt.Sprint(expected):
				expected++
			case fmt.Sprint(expected - 1):
			default:
				t.Fatalf("got %s, want %d of %d", value, expected, n)
			}
		}
		from = max(from, got.Next)
	}
	t.Logf("%d records", n)
}

func TestSASL(t *testing.T) {
	b := start(t)
	b.setPassword(t, "ann", password)
	for _, mechanism := range []string{"plain", "scram-sha-256", "scram-sha-512"} {
		t.Run(mechanism, func(t *testing.T) {
			serves(t, b.saslConfig(mechanism, "ann", password))
			c := b.saslConfig(mechanism, "ann", password)
			c.Brokers, c.TLS = []string{b.plain}, stream.TLS{}
			serves(t, c)
		})
		t.Run(mechanism+" with a wrong password", func(t *testing.T) {
			refused(t, b.saslConfig(mechanism, "ann", "wrong-s3cret"), `user "ann"`, strings.ToUpper(mechanism), "sasl-user")
		})
		t.Run(mechanism+" with an unknown user", func(t *testing.T) {
			refused(t, b.saslConfig(mechanism, "nobody", password), `user "nobody"`, "know this user")
		})
	}
}

func TestOAuth(t *testing.T) {
	b := start(t)
	t.Run("a token", func(t *testing.T) { serves(t, b.withToken(t, b.issuer.token(t, "ann", time.Hour))) })
	t.Run("an expired token", func(t *testing.T) {
		refused(t, b.withToken(t, b.issuer.token(t, "ann", -time.Hour)), "OAuth token", "expired")
	})
	t.Run("a token of another issuer", func(t *testing.T) {
		refused(t, b.withToken(t, newIssuer(t).token(t, "ann", time.Hour)), "OAuth token", "signature")
	})
	t.Run("noise", func(t *testing.T) { refused(t, b.withToken(t, "no-token-s3cret"), "OAuth token") })
	t.Run("a command", func(t *testing.T) {
		c := b.withToken(t, b.issuer.token(t, "ann", time.Hour))
		c.SASL = stream.SASL{Mechanism: "oauthbearer", TokenCommand: "cat " + c.SASL.TokenFile}
		serves(t, c)
	})
}

// TestOAuthEndpoint gets tokens with the client's id and secret.
func TestOAuthEndpoint(t *testing.T) {
	b := start(t)
	requests := 0
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Content-Type", "application/json")
		user, secret, _ := r.BasicAuth()
		if user != "ann" || secret != password || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "kafka" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"not ` + secret + `"}`))
			return
		}
		_, _ = w.Write([]byte(`{"token_type":"bearer","expires_in":3600,"access_token":"` + b.issuer.token(t, "ann", time.Hour) + `"}`))
	}))
	defer endpoint.Close()
	c := b.over(b.sasl)
	c.SASL = stream.SASL{Mechanism: "oauthbearer", TokenURL: endpoint.URL, Username: "ann", Password: password, Scope: "kafka"}
	client := kafkatest.DialConfig(t, c)
	for range 3 {
		if err := client.Ping(bounded(t)); err != nil {
			t.Fatal(err)
		}
	}
	if requests > 1 {
		t.Errorf("%d requests for one token that is valid for an hour", requests)
	}
	c.SASL.Password = "wrong-s3cret"
	refused(t, c, "401", "invalid_client", "user and password")
}
