package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

// TestReadToken: white space around the token does not count; one that others may read, or can
// guess, is refused.
func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct {
		text    string
		mode    fs.FileMode
		want    string
		problem string
	}{
		{"0123456789abcdef\n", 0o600, "0123456789abcdef", ""},
		{"0123456789abcdef", 0o640, "0123456789abcdef", ""},
		{"0123456789abcde\n", 0o600, "", "at least 16"},
		{"", 0o600, "", "at least 16"},
		{"0123456789abcdef\n", 0o644, "", "chmod o-rwx"},
	} {
		filetest.Write(t, path, c.text)
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := ReadToken("--http-token-file", path)
		if string(got) != c.want || (c.problem == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q with %04o: got %q, %v", c.text, c.mode, got, err)
		}
	}
	if _, err := ReadToken("--http-token-file", path+"-of-nobody"); err == nil {
		t.Error("a file that is missing is read")
	}
}
