package config

import (
	"fmt"
	"io/fs"
	"os"

	"bayestream/internal/spec"
)

// othersMay are the permissions of users who are neither the owner of a file nor in its group.
const othersMay fs.FileMode = 0o007

// ReadTermsKey reads the file of --terms-key-file; "" is no key. It refuses a file that every user may read or change.
func ReadTermsKey(path string) (*spec.TermsKey, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("--terms-key-file: %w", err)
	}
	if info.Mode().Perm()&othersMay != 0 {
		return nil, fmt.Errorf("--terms-key-file: %s has the mode %04o, and other users may use the key: chmod o-rwx, and make another key if they did", path, info.Mode().Perm())
	}
	secret, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--terms-key-file: %w", err)
	}
	key, err := spec.NewTermsKey(secret)
	if err != nil {
		return nil, fmt.Errorf("--terms-key-file: %s: %w", path, err)
	}
	return key, nil
}
