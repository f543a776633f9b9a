package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/test/size/prose"
)

// TestSentences finds sentences that are too long to be read once.
func TestSentences(t *testing.T) {
	found := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !prose.IsDocument(name) {
			return err
		}
		found++
		long := prose.Long(read(t, filepath.Join(root, filepath.FromSlash(name))))
		if len(long) > 0 {
			t.Errorf("%s has sentences of more than %d words; split them:\n%s", name, prose.Most, strings.Join(long, "\n"))
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d documents found: %v", found, err)
	}
}

// TestTry holds the two commands of the README to what the check of a change calls.
func TestTry(t *testing.T) {
	_, rest, _ := strings.Cut(read(t, filepath.Join(root, "README.md")), "\n## Try it\n\n```sh\n")
	commands, _, _ := strings.Cut(rest, "```")
	check := read(t, filepath.Join(root, ".ci", "run"))
	want := []string{"go run ./cmd/bayestream demo", "go test ./..."}
	var got []string
	for line := range strings.Lines(commands) {
		command, _, _ := strings.Cut(line, "#")
		got = append(got, strings.TrimSpace(command))
	}
	if !slices.Equal(got, want) {
		t.Errorf("under Try it the README has %q, not %q", got, want)
	}
	for _, command := range want {
		if !strings.Contains(check, "\nstep '"+command+"' "+command) {
			t.Errorf(".ci/run does not call %s", command)
		}
	}
}
