package counts

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Bounds of names, in bytes.
const (
	// MaxClassBytes is the largest length of the name of a class.
	MaxClassBytes = 256
	// MaxTermBytes is the largest length of a term: a model file can keep no longer key.
	MaxTermBytes = 32 << 10
)

// CheckClass reports what is wrong with the name of a class, as the end of a sentence: "is empty".
func CheckClass(name string) error { return checkName(name, MaxClassBytes) }

// CheckTerm reports what is wrong with a term, as the end of a sentence. A term is a word, a value
// or a bin.
func CheckTerm(term []byte) error { return checkName(term, MaxTermBytes) }

// checkName returns an error for a name that is empty, longer than so many bytes, not UTF-8, or
// with a control character (category Cc), which would move what is printed beside it.
func checkName[T string | []byte](name T, most int) error {
	switch {
	case len(name) == 0:
		return errors.New("is empty")
	case len(name) > most:
		return fmt.Errorf("has %d bytes, the limit is %d", len(name), most)
	case isPlain(name):
		return nil
	case !utf8.ValidString(string(name)):
		return fmt.Errorf("is %.64q, which is not UTF-8", string(name))
	}
	for _, r := range string(name) {
		if isControl(r) {
			return fmt.Errorf("is %.64q, with the control character %U", string(name), r)
		}
	}
	return nil
}

// isPlain reports whether a name is printable ASCII, as most are.
func isPlain[T string | []byte](name T) bool {
	for i := range len(name) {
		if b := name[i]; b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

// isControl reports whether a rune is of the category Cc, which is the same in all versions of
// Unicode.
func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }
