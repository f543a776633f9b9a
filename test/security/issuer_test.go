//go:build kafka

package security

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates into files of a folder.
type authority struct {
	t    testing.TB
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB, dir, name string) *authority {
	t.Helper()
	a := &authority{t: t, dir: dir}
	template := validFor(time.Hour)
	template.Subject.CommonName = name
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	a.cert, a.key = template, newKey(t)
	der := a.sign(template, a.key)
	a.write(name+".pem", block("CERTIFICATE", der))
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a.cert = cert
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// validFor is a certificate that ends at a time from now; a negative one has ended.
func validFor(d time.Duration) *x509.Certificate {
	return &x509.Certificate{NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(d)}
}

func (a *authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

// issue leaves name.pem, name-key.pem, and name-store.pem with both, as Kafka wants a key store.
func (a *authority) issue(name string, template *x509.Certificate) {
	a.t.Helper()
	key := newKey(a.t)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, private := block("CERTIFICATE", a.sign(template, key)), block("PRIVATE KEY", secret)
	a.write(name+".pem", cert)
	a.write(name+"-key.pem", private)
	a.write(name+"-store.pem", append(private, cert...))
}

// issueBroker makes a certificate for brokers on this machine.
func (a *authority) issueBroker(name string, d time.Duration) {
	template := validFor(d)
	template.Subject.CommonName = name
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = []string{"kafka.test"}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	a.issue(name, template)
}

// issueClient makes a certificate for a client.
func (a *authority) issueClient(name string, d time.Duration) {
	template := validFor(d)
	template.Subject = pkix.Name{CommonName: name}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	a.issue(name, template)
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) write(name string, content []byte) {
	a.t.Helper()
	if err := os.WriteFile(a.file(name), content, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// issuer signs OAuth tokens.
type issuer struct{ key *rsa.PrivateKey }

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return &issuer{key}
}

// keys returns the public key as a set of JSON web keys.
func (i *issuer) keys() []byte {
	encode := base64.RawURLEncoding.EncodeToString
	key := map[string]string{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k", "n": encode(i.key.N.Bytes()), "e": encode(big.NewInt(int64(i.key.E)).Bytes()),
	}
	set, _ := json.Marshal(map[string]any{"keys": []any{key}}) // strings can be encoded
	return set
}

// token returns a signed token for a user, which ends at a time from now.
func (i *issuer) token(t testing.TB, user string, d time.Duration) string {
	t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	claims, err := json.Marshal(map[string]any{
		"sub": user, "iss": "bayestream-test", "aud": "kafka", "scope": "kafka", "iat": time.Now().Add(-time.Hour).Unix(), "exp": time.Now().Add(d).Unix(),
	})
	if err != nil {
		t.Fatal(err)
	}
	text := encode([]byte(`{"alg":"RS256","kid":"k","typ":"JWT"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(signature)
}
