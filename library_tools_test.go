//go:build tools

package bayestream

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program of docs/library.md runs in a module of its own, as the document says.
func TestProgramOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("docs/library.md")
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "```go\n")
	program, _, found := strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "```sh\n")
	command, _, foundCommand := strings.Cut(rest, "\n```")
	if !found || !foundCommand {
		t.Fatal("docs/library.md has no program, or no command")
	}
	here, err := os.Getwd()
	must(t, err)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example\n\ngo 1.26\n"), 0o600))
	command = strings.Replace(command, "../bayestream", here, 1)
	out := shell(t, dir, command+" && go run .")
	if !strings.Contains(out, "spam 0.") || !strings.Contains(out, "no broker") && !strings.Contains(out, "map[") {
		t.Errorf("the program printed\n%s", out)
	}
}

func shell(t *testing.T, dir, command string) string {
	t.Helper()
	c := exec.Command("sh", "-c", command)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}
