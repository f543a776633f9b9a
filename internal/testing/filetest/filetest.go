// Package filetest reads and writes the files of tests, which fail if that fails.
package filetest

import "os"

// A tester is a *testing.T, or one like it.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// Read returns what is in a file.
func Read(t tester, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Write puts a file where it is, or makes one.
func Write[T ~string | ~[]byte](t tester, path string, content T) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
