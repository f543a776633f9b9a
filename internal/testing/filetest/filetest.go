// Package filetest reads and writes the files of tests, which fail if that fails.
package filetest

import (
	"fmt"
	"os"
	"strings"
)

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

// Golden compares a text with the content of a file, which update writes first.
func Golden[T ~string | ~[]byte](t interface {
	tester
	Errorf(format string, args ...any)
}, path string, got T, update bool) {
	t.Helper()
	if update {
		Write(t, path, got)
	}
	if want := string(Read(t, path)); string(got) != want {
		t.Errorf("%s differs (go test -update writes it): %s", path, FirstDifference(string(got), want))
	}
}

// FirstDifference shows the first line in which two texts differ.
func FirstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d of %d: got\n%s\nwant, of %d,\n%s", i+1, len(g), g[i], len(w), w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
