//go:build kafka

package security

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"testing"
	"time"
)

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
