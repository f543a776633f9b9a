package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// folder is where the toolbox is built.
var folder string

// TestMain makes the folder, and removes it.
func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "bayestream-docs-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// build builds the toolbox once.
var build = sync.OnceValue(func() error {
	c := exec.Command("go", "build", "-o", folder, "./cmd/bayestream")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// program returns the path of the toolbox.
func program(t *testing.T) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "bayestream")
}
