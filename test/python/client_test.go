//go:build tools

package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"bayestream/internal/testing/filetest"
)

// client is the folder of the client.
const client = "../../clients/python"

// TestClient runs the tests of the client as it lies in its folder, then as the wheel that pip installs.
func TestClient(t *testing.T) {
	desk := startServe(t)
	t.Run("file", func(t *testing.T) { runTests(t, "python3", client, desk.env()) })
	t.Run("wheel", func(t *testing.T) {
		venv, apart := filepath.Join(t.TempDir(), "venv"), t.TempDir()
		run(t, exec.Command("python3", "-m", "venv", venv))
		python := filepath.Join(venv, "bin", "python")
		run(t, exec.Command(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", client))
		filetest.Write(t, filepath.Join(apart, "test_bayestream.py"), filetest.Read(t, filepath.Join(client, "test_bayestream.py")))
		runTests(t, python, apart, desk.env())
	})
}

func runTests(t *testing.T, python, dir string, env []string) {
	t.Helper()
	c := exec.Command(python, "test_bayestream.py")
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	if out := run(t, c); !regexp.MustCompile(`(?m)^Ran [1-9][0-9]* tests .*\n\nOK$`).MatchString(out) {
		t.Errorf("not all tests have run:\n%s", out)
	}
}
