package config

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"bayestream/internal/core/spec"
)

// othersMay are the permissions of users who are neither the owner of a file nor in its group.
const othersMay fs.FileMode = 0o007

// readSecret reads the file that a flag names. It refuses one that every user may read or change.
func readSecret(flag, path string) ([]byte, error) {
	if err := checkPrivate(flag, path); err != nil {
		return nil, err
	}
	secret, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return secret, nil
}

// checkPrivate refuses a file that every user may read or change.
func checkPrivate(flag, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	if mode := info.Mode().Perm(); mode&othersMay != 0 {
		return fmt.Errorf("%s: %s has the mode %04o, and other users may use its secret: chmod o-rwx, and replace the "+
			"secret if they did", flag, path, mode)
	}
	return nil
}

// leastToken is the number of characters that a token must have.
const leastToken = 16

// ReadToken reads the file of a token that a flag names, without white space around the token.
func ReadToken(flag, path string) ([]byte, error) {
	secret, err := readSecret(flag, path)
	if err != nil {
		return nil, err
	}
	token := bytes.TrimSpace(secret)
	if len(token) < leastToken {
		return nil, fmt.Errorf("%s: the token in %s has %d characters; want at least %d, like those of: openssl rand -hex 32",
			flag, path, len(token), leastToken)
	}
	return token, nil
}

// ReadTermsKey reads the file of --terms-key-file; "" is no key. It refuses a file that every user
// may read or change.
func ReadTermsKey(path string) (*spec.TermsKey, error) {
	if path == "" {
		return nil, nil
	}
	secret, err := readSecret("--terms-key-file", path)
	if err != nil {
		return nil, err
	}
	key, err := spec.NewTermsKey(secret)
	if err != nil {
		return nil, fmt.Errorf("--terms-key-file: %s: %w", path, err)
	}
	return key, nil
}
