// Package certtest makes certificates for tests.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"path/filepath"
	"testing"
	"time"

	"bayestream/internal/testing/filetest"
)

// Authority signs certificates into files of a folder.
type Authority struct {
	Cert *x509.Certificate

	t   testing.TB
	dir string
	key *ecdsa.PrivateKey
}

// New returns an authority whose certificate is name.pem.
func New(t testing.TB, dir, name string) *Authority {
	t.Helper()
	a := &Authority{t: t, dir: dir}
	template := validFor(name, time.Hour)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	a.Cert = a.issue(name, template).Leaf
	return a
}

// Broker makes a certificate for brokers on this machine, which ends at a time from now; a negative
// one has ended.
func (a *Authority) Broker(name string, d time.Duration) tls.Certificate {
	a.t.Helper()
	template := validFor(name, d)
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = []string{"kafka.test"}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	return a.issue(name, template)
}

// Client makes a certificate for a client, which ends as one of Broker does.
func (a *Authority) Client(name string, d time.Duration) {
	a.t.Helper()
	template := validFor(name, d)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	a.issue(name, template)
}

// File returns the path of a file of the folder.
func (a *Authority) File(name string) string { return filepath.Join(a.dir, name) }

// Write writes a file of the folder.
func (a *Authority) Write(name string, content []byte) {
	a.t.Helper()
	filetest.Write(a.t, a.File(name), content)
}

func validFor(name string, d time.Duration) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, SerialNumber: big.NewInt(now.UnixNano()),
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.Add(d),
	}
}

// issue leaves name.pem, name-key.pem, and name-store.pem with both, as Kafka wants a key store.
func (a *Authority) issue(name string, template *x509.Certificate) tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.Cert == nil {
		a.Cert, a.key = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.Cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, private := block("CERTIFICATE", der), block("PRIVATE KEY", secret)
	a.Write(name+".pem", cert)
	a.Write(name+"-key.pem", private)
	a.Write(name+"-store.pem", append(private, cert...))
	pair, err := tls.X509KeyPair(cert, private)
	if err != nil {
		a.t.Fatal(err)
	}
	return pair
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
