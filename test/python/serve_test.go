//go:build tools

package python

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bayestream/internal/testing/modeltest"
)

// served is a running serve.
type served struct {
	dir, url, token, kafka string
	workers                map[string]string // the addresses of its workers, by verb
}

// env returns where it is, for the tests of the client.
func (s *served) env() []string {
	return []string{
		"BAYESTREAM_URL=" + s.url, "BAYESTREAM_TOKEN=" + s.token,
		"BAYESTREAM_CLASSIFY=" + s.workers["classify"], "BAYESTREAM_INGEST=" + s.workers["ingest"],
	}
}

// build builds the toolbox, and returns its folder.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	c := exec.Command("go", "build", "-o", dir, "./cmd/bayestream")
	c.Dir = modeltest.Root()
	run(t, c)
	return dir
}

// run runs a command to its end, and returns what it writes.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(c.Args, " "), err, out)
	}
	return string(out)
}

// startServe starts a serve, and returns when it is ready.
func startServe(t *testing.T) *served {
	t.Helper()
	s := &served{dir: build(t), workers: map[string]string{}}
	c := exec.CommandContext(t.Context(), filepath.Join(s.dir, "bayestream"), "serve", "--model="+filepath.Join(t.TempDir(), "t.db"), "--addr=127.0.0.1:0")
	said, w := io.Pipe()
	c.Stdout, c.Stderr = w, w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	})
	worker := regexp.MustCompile(`msg="HTTP is served" worker=(\w+) address=(\S+)`)
	for lines := bufio.NewScanner(said); lines.Scan() && lines.Text() != "ready"; {
		if url, token, is := strings.Cut(strings.TrimPrefix(lines.Text(), "console  "), "/#token="); is {
			s.url, s.token = url, token
		}
		if kafka, is := strings.CutPrefix(lines.Text(), "kafka  "); is {
			s.kafka = strings.TrimSpace(kafka)
		}
		if m := worker.FindStringSubmatch(lines.Text()); m != nil {
			s.workers[m[1]] = "http://" + m[2]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return s
}
