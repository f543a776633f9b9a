//go:build kafka

package security

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/testing/certtest"
	"bayestream/internal/testing/modeltest"
	"bayestream/test/chaos/kafka"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// broker is a node of Kafka with a listener for each way in, and an authorizer.
type broker struct {
	*kafka.Cluster
	ours    *certtest.Authority
	foreign *certtest.Authority
	issuer  *issuer

	open, tls, mutual, expired, sasl, plain string // addresses of the listeners
}

var shared struct {
	sync.Once
	*broker
}

// TestMain stops the broker.
func TestMain(m *testing.M) {
	code := m.Run()
	if shared.broker != nil {
		_ = shared.Close()
	}
	os.Exit(code)
}

// start returns the broker that the tests share. Its first caller starts it.
func start(t *testing.T) *broker {
	t.Helper()
	shared.Do(func() { shared.broker = launch(t) })
	if shared.broker == nil {
		t.Fatal("the broker did not start")
	}
	return shared.broker
}

func launch(t *testing.T) *broker {
	dir, err := os.MkdirTemp("", "bayestream-security-")
	if err != nil {
		t.Fatal(err)
	}
	b := &broker{ours: certtest.New(t, dir, "ours"), foreign: certtest.New(t, dir, "foreign"), issuer: newIssuer(t)}
	b.ours.Broker("broker", time.Hour)
	b.ours.Broker("expired", -time.Hour)
	b.ours.Write("keys.json", b.issuer.keys())
	options := "JAVA_TOOL_OPTIONS=-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file://" + b.ours.File("keys.json")
	b.Cluster, err = kafka.Start(t.Context(), modeltest.Root(),
		kafka.Options{Nodes: 1, Dir: dir, Heap: "256m", Props: b.properties, Env: []string{options}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// properties are the settings beside those of kafka.sh. A setting that is there twice has its last
// value.
func (b *broker) properties(first int) string {
	address := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", first+i) }
	b.open, b.tls, b.mutual, b.expired, b.sasl, b.plain = address(0), address(2), address(3), address(4), address(5), address(6)
	const modules = "org.apache.kafka.common.security."
	listeners := fmt.Sprintf("PLAINTEXT://%s,TLS://%s,MUTUAL://%s,EXPIRED://%s,SASL://%s,PLAIN://%s", b.open, b.tls, b.mutual, b.expired, b.sasl, b.plain)
	lines := []string{
		fmt.Sprintf("listeners=%s,CONTROLLER://127.0.0.1:%d", listeners, first+1), "advertised.listeners=" + listeners,
		"listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL,MUTUAL:SSL,EXPIRED:SSL,SASL:SASL_SSL,PLAIN:SASL_PLAINTEXT",
		"authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer", "super.users=User:ANONYMOUS",
		"ssl.keystore.type=PEM", "ssl.keystore.location=" + b.ours.File("broker-store.pem"),
		"ssl.truststore.type=PEM", "ssl.truststore.location=" + b.ours.File("ours.pem"),
		"listener.name.mutual.ssl.client.auth=required",
		"listener.name.expired.ssl.keystore.type=PEM", "listener.name.expired.ssl.keystore.location=" + b.ours.File("expired-store.pem"),
	}
	for _, name := range []string{"sasl", "plain"} {
		prefix := "listener.name." + name + "."
		lines = append(lines,
			prefix+"sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
			prefix+`plain.sasl.jaas.config=`+modules+`plain.PlainLoginModule required user_ann="`+password+`";`,
			prefix+"scram-sha-256.sasl.jaas.config="+modules+"scram.ScramLoginModule required;",
			prefix+"scram-sha-512.sasl.jaas.config="+modules+"scram.ScramLoginModule required;",
			prefix+"oauthbearer.sasl.jaas.config="+modules+"oauthbearer.OAuthBearerLoginModule required;",
			prefix+"oauthbearer.sasl.server.callback.handler.class="+modules+"oauthbearer.OAuthBearerValidatorCallbackHandler",
			prefix+"sasl.oauthbearer.jwks.endpoint.url=file://"+b.ours.File("keys.json"),
			prefix+"sasl.oauthbearer.expected.audience=kafka",
			prefix+"sasl.oauthbearer.expected.issuer=bayestream-test",
			prefix+"scram-sha-256.connections.max.reauth.ms=1000",
		)
	}
	return strings.Join(lines, "\n")
}

// admin returns a client that may do everything.
func (b *broker) admin(t *testing.T) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.open))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// setPassword gives a user of SCRAM a password.
func (b *broker) setPassword(t *testing.T, user, password string) {
	t.Helper()
	const iterations = 4096
	salt := []byte("salt of a test")
	for mechanism, function := range map[int8]func() hash.Hash{1: sha256.New, 2: sha512.New} { // a request takes one of a user
		salted, err := pbkdf2.Key(function, password, salt, iterations, function().Size())
		if err != nil {
			t.Fatal(err)
		}
		change := kmsg.NewAlterUserSCRAMCredentialsRequestUpsertion()
		change.Name, change.Mechanism, change.Iterations, change.Salt, change.SaltedPassword = user, mechanism, iterations, salt, salted
		request := kmsg.NewPtrAlterUserSCRAMCredentialsRequest()
		request.Upsertions = append(request.Upsertions, change)
		response, err := request.RequestWith(bounded(t), b.admin(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range response.Results {
			if err := kerr.ErrorForCode(result.ErrorCode); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.awaitPassword(t, user, password)
}

// awaitPassword waits until the broker has learned a password from the controller.
func (b *broker) awaitPassword(t *testing.T, user, password string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		err := errors.Join(ping(t, b.saslConfig("scram-sha-256", user, password)), ping(t, b.saslConfig("scram-sha-512", user, password)))
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the broker does not learn the password of %s: %v", user, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// bounded returns a context for one step of a test.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}
