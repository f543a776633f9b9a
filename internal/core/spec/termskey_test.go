package spec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

func newKey(t testing.TB, secret string) *spec.TermsKey {
	t.Helper()
	k, err := spec.NewTermsKey([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The hashes are part of the format of logs and files. Made with Python's hmac and hashlib.
func TestTermsKeyGolden(t *testing.T) {
	k := newKey(t, "0123456789abcdef0123456789abcdef\n")
	h := k.Hasher()
	if got, want := string(h.AppendTerm([]byte("x"), []byte("prize"))), "x"+"3JSjo2lfFJVDIjJozEbklg"; got != want {
		t.Errorf("the term is %s, want %s", got, want)
	}
	if got, want := h.ID("prize"), "urevRgm8NoA-Y5JTUJLSAA"; got != want {
		t.Errorf("the id is %s, want %s", got, want)
	}
	if got, want := k.String(), "664323ac4873c0e7"; got != want {
		t.Errorf("the key is %s, want %s", got, want)
	}
	for _, shown := range []string{fmt.Sprint(k), fmt.Sprintf("%+v", k), fmt.Sprintf("%#v", k), fmt.Sprintf("%q", k)} {
		if strings.Contains(shown, "0123456789abcdef0123") {
			t.Errorf("the secret shows in %s", shown)
		}
	}
	if _, err := spec.NewTermsKey([]byte("too short")); err == nil {
		t.Error("a short key is taken")
	}
}

func TestSpecWithKey(t *testing.T) {
	one, two := newKey(t, strings.Repeat("1", 32)), newKey(t, strings.Repeat("2", 32))
	plain, err := spec.Parse([]byte("text: {terms: plain}"))
	if err != nil || plain.Counting() != spec.Default().Counting() || strings.Contains(string(plain.YAML()), "terms:\n") {
		t.Fatalf("plain is not the default: %v\n%s", err, plain.YAML())
	}
	if _, err := plain.WithKey(one); err == nil || !strings.Contains(err.Error(), "text.terms is plain") {
		t.Errorf("a key for plain terms: %v", err)
	}
	hashed := modeltest.Spec(t, "text: {terms: hmac}")
	var missing *spec.KeyError
	if _, err := hashed.WithKey(nil); !errors.As(err, &missing) {
		t.Errorf("no key: %v", err)
	}
	keyed, err := hashed.WithKey(one)
	if err != nil {
		t.Fatal(err)
	}
	read, err := spec.Parse(keyed.YAML()) // as another worker reads it from the log
	if err != nil || read.Counting() != keyed.Counting() || read.Counting() == hashed.Counting() || read.Counting() == plain.Counting() {
		t.Fatalf("%v\n%s", err, keyed.YAML())
	}
	if _, err := read.Key(); !errors.As(err, &missing) {
		t.Errorf("the key came through YAML: %v", err)
	}
	if _, err := read.WithKey(two); err == nil || !strings.Contains(err.Error(), one.String()) || !strings.Contains(err.Error(), two.String()) {
		t.Errorf("a wrong key: %v", err)
	}
	other, err := hashed.WithKey(two)
	if err != nil {
		t.Fatal(err)
	}
	if diff := other.CountingDifference(read); diff != "text.terms_key is "+two.String()+" here and "+one.String()+" there" {
		t.Errorf("the difference is %q", diff)
	}
	for _, text := range []string{"text: {terms: sha1}", "text: {terms_key: 0011223344556677}", "text: {terms: hmac, terms_key: xyz}"} {
		if _, err := spec.Parse([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
