package stream_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/certtest"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// reopens has the client open its connections again, and returns the last error of those that could
// not be.
func reopens(t *testing.T, client *stream.Client, want func(error) bool) error {
	t.Helper()
	stream.DropConnections(client)
	for ctx := deadline(t); ; time.Sleep(50 * time.Millisecond) { // kafka-go keeps an error for a second
		err := client.Ping(ctx)
		if want(err) || ctx.Err() != nil {
			return err
		}
	}
}

func none(err error) bool { return err == nil }

// refusal reports whether an error is that of a refused client.
func refusal(err error) bool {
	var access *stream.AccessError
	return errors.As(err, &access)
}

// TestPasswordFileIsReadAgain rotates a password: a refusal is final before the first response, and
// may pass later.
func TestPasswordFileIsReadAgain(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"), kfake.EnableSASL(), kfake.Superuser("PLAIN", "ann", "pa55word"))
	cluster.ControlKey(int16(kmsg.SASLAuthenticate), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if strings.HasSuffix(string(request.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes), "pa55word") {
			return nil, nil, false
		}
		response := request.ResponseKind().(*kmsg.SASLAuthenticateResponse) // as Kafka answers; kfake closes the connection
		response.ErrorCode = kerr.SaslAuthenticationFailed.Code
		return response, nil, true
	})
	file := filepath.Join(t.TempDir(), "password")
	write := func(password string) {
		filetest.Write(t, file, password+"\n")
	}
	write("wr0ng")
	sasl := stream.SASL{Mechanism: "plain", Username: "ann", PasswordFile: file}
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs(), SASL: sasl, RequestTimeout: 5 * time.Second})
	if _, err := client.Topic(deadline(t), "t"); !refusal(err) || errors.Is(err, stream.ErrRetriable) {
		t.Errorf("at the start: %v, want a final AccessError", err)
	}
	write("pa55word")
	if err := reopens(t, client, none); err != nil {
		t.Fatal(err)
	}
	write("wr0ng")
	if err := reopens(t, client, refusal); !errors.Is(err, stream.ErrRetriable) {
		t.Errorf("after a response: %v, want an AccessError that may pass", err)
	}
	write("pa55word")
	if err := reopens(t, client, none); err != nil {
		t.Error(err)
	}
}

// TestTLSFilesAreReadAgain renews the authority, the certificate and the key.
func TestTLSFilesAreReadAgain(t *testing.T) {
	before, after := certtest.New(t, t.TempDir(), "ca"), certtest.New(t, t.TempDir(), "ca")
	pool := x509.NewCertPool()
	pool.AddCert(after.Cert)
	before.Client("client", time.Hour)
	after.Client("client", time.Hour)
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.TLS(&tls.Config{
		Certificates: []tls.Certificate{after.Broker("broker", time.Hour)}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}))
	files := stream.TLS{CA: before.File("ca.pem"), Cert: before.File("client.pem"), Key: before.File("client-key.pem")}
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs(), TLS: files, RequestTimeout: 5 * time.Second})
	for _, step := range []struct{ file, words string }{
		{"ca.pem", "unknown authority"}, {"client.pem", "refuses the client certificate"}, {"client-key.pem", "private key does not match"},
	} {
		if err := client.Ping(deadline(t)); !refusal(err) || !strings.Contains(err.Error(), step.words) {
			t.Errorf("before %s is renewed: %v, want %q", step.file, err, step.words)
		}
		renewed := filetest.Read(t, after.File(step.file))
		filetest.Write(t, before.File(step.file), renewed)
		words := step.words
		if err := reopens(t, client, func(err error) bool { return err == nil || !strings.Contains(err.Error(), words) }); err != nil && step.file == "client-key.pem" {
			t.Error(err)
		}
	}
}

func TestSecretFiles(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	filetest.Write(t, empty, "\n")
	for name, sasl := range map[string]stream.SASL{
		"a missing password": {Mechanism: "plain", Username: "u", PasswordFile: empty + "-not"},
		"an empty password":  {Mechanism: "plain", Username: "u", PasswordFile: empty},
		"a missing token":    {Mechanism: "oauthbearer", TokenFile: empty + "-not"},
		"an empty token":     {Mechanism: "oauthbearer", TokenFile: empty},
	} {
		if _, err := stream.Dial(stream.Config{Brokers: []string{"127.0.0.1:9092"}, SASL: sasl}); err == nil {
			t.Errorf("Dial takes %s", name)
		}
	}
}

func TestTokenEndpoint(t *testing.T) {
	requests, life := 0, "3600"
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Content-Type", "application/json")
		if user, secret, _ := r.BasicAuth(); user != "ann" || secret != "pa55word" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"not ` + secret + `"}`))
			return
		}
		_, _ = w.Write([]byte(`{"token_type":"bearer","access_token":"t0ken","expires_in":` + life + `}`))
	}))
	defer endpoint.Close()
	sasl := stream.SASL{Mechanism: "oauthbearer", TokenURL: endpoint.URL, Username: "ann", Password: "pa55word"}
	start := stream.StartSASL(sasl)
	for range 2 {
		first, err := start(t.Context())
		if err != nil || string(first) != "n,,\x01auth=Bearer t0ken\x01\x01" {
			t.Fatalf("the first message is %q, %v", first, err)
		}
	}
	if requests != 1 {
		t.Errorf("%d requests for a token that is valid for an hour", requests)
	}
	life = "1" // it is renewed before it ends
	start = stream.StartSASL(sasl)
	for range 2 {
		if _, err := start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if requests != 3 {
		t.Errorf("%d requests, want one for each start", requests-1)
	}
	sasl.Password = "wr0ng"
	_, err := stream.StartSASL(sasl)(t.Context())
	if !refusal(err) || !strings.Contains(err.Error(), "invalid_client") || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("with a wrong secret: %v", err)
	}
	endpoint.Close()
	if _, err := stream.StartSASL(sasl)(t.Context()); err == nil || refusal(err) {
		t.Errorf("without an endpoint: %v, want an error of the network, which may pass", err)
	}
}

func TestTokenIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	filetest.Write(t, file, "t0ken")
	sasl := stream.SASL{Mechanism: "oauthbearer", TokenFile: file}
	_, answer, err := stream.ExchangeSASL(sasl)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if done, err := answer(nil); !done || err != nil {
		t.Errorf("a token that is taken: %v, %v", done, err)
	}
	if done, err := answer([]byte("\x1b[2Jinvalid")); done || !refusal(err) || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("a token that is refused: %v, %v", done, err)
	}
}

// TestRefusedTokenIsNotKept: a token that was taken back long before its end is asked for again.
func TestRefusedTokenIsNotKept(t *testing.T) {
	requests := 0
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"token_type":"bearer","access_token":"t%d","expires_in":3600}`, requests)
	}))
	defer endpoint.Close()
	start := stream.ExchangeSASL(stream.SASL{Mechanism: "oauthbearer", TokenURL: endpoint.URL, Username: "ann", Password: "pa55word"})
	_, first, err := start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Bearer t2", "Bearer t2"} { // the second refusal is of the token that is not kept any more
		if _, err := first([]byte("invalid")); !refusal(err) {
			t.Fatalf("a token that is refused: %v", err)
		}
		got, _, err := start(t.Context())
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("after a refusal the first message is %q, %v, want %q", got, err, want)
		}
	}
}

func TestTokenURL(t *testing.T) {
	for _, url := range []string{"", "h", "ftp://h/t", "http://h/t", "https://u:p@h/t", "https:///t", "http://10.0.0.1/t"} {
		sasl := stream.SASL{Mechanism: "oauthbearer", TokenURL: url, Username: "u", Password: "p"}
		if err := sasl.Validate(); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
	for _, url := range []string{"https://h/t", "http://127.0.0.1:1/t", "http://localhost/t", "http://[::1]/t"} {
		sasl := stream.SASL{Mechanism: "oauthbearer", TokenURL: url, Username: "u", Password: "p"}
		if err := sasl.Validate(); err != nil {
			t.Error(err)
		}
	}
}
