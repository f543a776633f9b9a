package spec

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
)

// HMAC is the value of text.terms with which the counts know terms by their keyed hashes.
const HMAC = "hmac"

const (
	minSecret = 32 // bytes of a key: as long as its hash
	keyIDSize = 8  // bytes of the id of a key
	hashSize  = 16 // bytes of a keyed hash
)

// TermsKey is the key of the hashes that stand for terms and ids where text.terms is hmac. It
// prints as its id.
type TermsKey struct {
	secret []byte
	id     string
}

// NewTermsKey returns the key of a secret: at least 32 bytes, of which white space at the end does
// not count.
func NewTermsKey(secret []byte) (*TermsKey, error) {
	secret = bytes.TrimRight(secret, " \t\r\n")
	if len(secret) < minSecret {
		return nil, fmt.Errorf("a key of %d bytes is too short: want at least %d, from a source of random numbers",
			len(secret), minSecret)
	}
	sum := sha256.Sum256(append([]byte("bayestream: id of a key of terms\x00"), secret...))
	return &TermsKey{secret: bytes.Clone(secret), id: hex.EncodeToString(sum[:keyIDSize])}, nil
}

// String returns the id, 16 hexadecimal digits from which the key cannot be computed: a spec names its
// key by them, and the secret is never shown.
func (k *TermsKey) String() string { return k.id }

// GoString returns the id, for %#v.
func (k *TermsKey) GoString() string { return k.id }

// Hasher computes keyed hashes: HMAC-SHA256, its first 128 bits in the alphabet of base64 for URLs,
// 22 characters. It is for one goroutine.
type Hasher struct {
	mac hash.Hash
	sum []byte
}

// The first byte of what is hashed, so that the hash of an id says nothing about an equal term.
var (
	ofTerm = []byte("t")
	ofID   = []byte("i")
)

// Hasher returns a hasher with the key.
func (k *TermsKey) Hasher() *Hasher { return &Hasher{mac: hmac.New(sha256.New, k.secret)} }

// AppendTerm appends the hash of a term.
func (h *Hasher) AppendTerm(dst, term []byte) []byte { return h.append(dst, ofTerm, term) }

// ID returns the hash of an id.
func (h *Hasher) ID(id string) string { return string(h.append(nil, ofID, []byte(id))) }

func (h *Hasher) append(dst, kind, text []byte) []byte {
	h.mac.Reset()
	_, _ = h.mac.Write(kind) // a hash does not fail
	_, _ = h.mac.Write(text)
	h.sum = h.mac.Sum(h.sum[:0])
	return base64.RawURLEncoding.AppendEncode(dst, h.sum[:hashSize])
}

// KeyError says that the terms of a spec are hashed and their key is not there, or another one.
type KeyError struct{ Want, Got string } // ids of keys, "" for none

func (e *KeyError) Error() string {
	switch {
	case e.Got == "" && e.Want == "":
		return "text.terms is hmac, and there is no key: name its file with --terms-key-file"
	case e.Got == "":
		return fmt.Sprintf("the terms are hashed with the key %s: name its file with --terms-key-file", e.Want)
	}
	return fmt.Sprintf("the terms are hashed with the key %s, and the file of --terms-key-file holds the key %s", e.Want,
		e.Got)
}

// errNoUse is the error of a key for a spec that counts terms as they are.
var errNoUse = errors.New("there is a --terms-key-file, and text.terms is plain: the model would hold all terms as " +
	"they are; set text.terms to hmac, or leave the key away")

// HashesTerms reports whether the counts know terms by their keyed hashes.
func (s *Spec) HashesTerms() bool { return s.Text != nil && s.Text.Terms == HMAC }

// WithKey returns the spec with the key of its terms; nil is no key. The spec then names the key by
// its id. The error is a *KeyError, or that the key is of no use.
func (s *Spec) WithKey(k *TermsKey) (*Spec, error) {
	switch {
	case !s.HashesTerms() && k == nil:
		return s, nil
	case !s.HashesTerms():
		return nil, errNoUse
	case k == nil:
		return nil, &KeyError{Want: s.Text.TermsKey}
	case s.Text.TermsKey != "" && s.Text.TermsKey != k.id:
		return nil, &KeyError{Want: s.Text.TermsKey, Got: k.id}
	}
	keyed := s.withText(func(t *Text) { t.TermsKey = k.id })
	keyed.key = k
	return keyed, nil
}

// withText returns a copy of the spec with a changed copy of its block of text.
func (s *Spec) withText(change func(*Text)) *Spec {
	c := *s
	t := *s.Text
	change(&t)
	c.Text = &t
	return &c
}

// Key returns the key of the terms: nil if the counts know them as they are. The error is a
// *KeyError.
func (s *Spec) Key() (*TermsKey, error) {
	if s.HashesTerms() && s.key == nil {
		return nil, &KeyError{Want: s.Text.TermsKey}
	}
	return s.key, nil
}

// CountedTerm returns what the counts know a term by. The error is a *KeyError.
func (s *Spec) CountedTerm(term []byte) ([]byte, error) {
	key, err := s.Key()
	if err != nil || key == nil {
		return term, err
	}
	return key.Hasher().AppendTerm(nil, term), nil
}

// WithPlainTerms returns the spec with terms counted as they are, for counts that are not kept:
// hashing the terms of a model changes none of its decisions.
func (s *Spec) WithPlainTerms() *Spec {
	if !s.HashesTerms() {
		return s
	}
	plain := s.withText(func(t *Text) {
		t.Terms = ""
		t.TermsKey = ""
	})
	plain.key = nil
	return plain
}

// checkTerms checks how terms are counted. Plain is written as nothing, so that a spec without the
// key is as it was.
func (t *Text) checkTerms() error {
	switch t.Terms {
	case "plain":
		t.Terms = ""
	case "", HMAC:
	default:
		return fmt.Errorf("text.terms is %q: want plain or hmac", t.Terms)
	}
	if t.TermsKey == "" {
		return nil
	}
	if t.Terms != HMAC {
		return errors.New("text.terms_key is for text.terms: hmac")
	}
	if id, err := hex.DecodeString(t.TermsKey); err != nil || hex.EncodeToString(id) != t.TermsKey ||
		len(id) != keyIDSize {
		return fmt.Errorf("text.terms_key is %q: want the 16 hexadecimal digits of a key's id, "+
			"or nothing, and the workers fill it in", t.TermsKey)
	}
	return nil
}
