//go:build tools

package python

import (
	"bufio"
	"fmt"
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
	url, token, kafka string
	workers           map[string]string // the addresses of its workers, by verb
}

// env returns where it is, for the tests of the client.
func (s *served) env() []string {
	return []string{
		"BAYESTREAM_URL=" + s.url, "BAYESTREAM_TOKEN=" + s.token,
		"BAYESTREAM_CLASSIFY=" + s.workers["classify"], "BAYESTREAM_INGEST=" + s.workers["ingest"],
	}
}

// bin is the folder of the toolbox.
var bin string

// TestMain builds the toolbox.
func TestMain(m *testing.M) {
	var err error
	if bin, err = os.MkdirTemp("", "bayestream-python-"); err == nil {
		c := exec.Command("go", "build", "-o", bin, "./cmd/bayestream")
		c.Dir, c.Stderr = modeltest.Root(), os.Stderr
		err = c.Run()
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	_ = os.RemoveAll(bin)
	os.Exit(code)
}

// toolbox returns a command of the toolbox.
func toolbox(t *testing.T, args ...string) *exec.Cmd {
	return exec.CommandContext(t.Context(), filepath.Join(bin, "bayestream"), args...)
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
	s := &served{workers: map[string]string{}}
	c := toolbox(t, "serve", "--model="+filepath.Join(t.TempDir(), "t.db"), "--addr=127.0.0.1:0")
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
